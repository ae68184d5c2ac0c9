"""Every command, repeated: with the same key it is done once and answers the same.

One case per command. ``prepare`` makes what the command needs; ``send`` gives the command under a
key; ``other`` sends something else under the same key; ``spoil`` changes the world so that the
command, were it new, would be refused or find nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from domain.errors import CommandTooOld, KeyReused
from domain.events import Event
from domain.identity import uuid7
from memoryweave import contract
from tests.commands.speaking import Speaker, fresh_key


class World:
    def __init__(self, application):
        self.application = application
        self.hermes = Speaker.agent(application, "hermes-a06", main="hermes-main", may_claim=True)
        self.reader = Speaker.agent(application, "cron-1", granted=frozenset({"hermes-main"}))
        self.owner = Speaker.of_kind(application, "owner")
        self.admin = Speaker.of_kind(application, "admin")
        self.newcomer = Speaker.agent(application, "newcomer")

    @property
    def head(self) -> int:
        return self.application.event_log.head().position


class Case(Struct, frozen=True, kw_only=True):
    prepare: Callable[[World], Any] = lambda world: None
    send: Callable[[World, Any, str], Any]
    other: Callable[[World, Any, str], Any]
    spoil: Callable[[World, Any, Any], Any] = lambda world, made, receipt: None


def memory(world: World) -> str:
    return str(world.hermes.remember("the port is 3000").memory_id)


def tombstone(world: World) -> str:
    memory_id = memory(world)
    world.hermes.delete(memory_id)
    return memory_id


def episode(world: World) -> str:
    return str(world.hermes.remember("the port is 3000").episode_id)


def deleted_episode(world: World) -> str:
    episode_id = episode(world)
    world.hermes.delete_episode(episode_id)
    return episode_id


def another(world: World) -> str:
    return str(world.hermes.remember("something else").memory_id)


CASES = {
    "commit": Case(
        send=lambda w, _, key: w.hermes.commit("hello", key=key),
        other=lambda w, _, key: w.hermes.commit("goodbye", key=key),
        spoil=lambda w, _, r: w.hermes.delete_episode(r.episode_id),
    ),
    "remember": Case(
        send=lambda w, _, key: w.hermes.remember("hello", key=key),
        other=lambda w, _, key: w.hermes.remember("hello", tags=["x"], key=key),
        spoil=lambda w, _, r: w.hermes.delete(r.memory_id),
    ),
    "remember again": Case(
        prepare=memory,
        send=lambda w, _, key: w.hermes.remember("the port is 3000", key=key),
        other=lambda w, _, key: w.hermes.remember("the port is 3001", key=key),
        spoil=lambda w, made, _: w.hermes.delete(made),
    ),
    "batch commit": Case(
        send=lambda w, _, key: w.hermes.batch(
            contract.Commit(content="a"),
            contract.Commit(content="b", distill=False),
            contract.Commit(content="b", distill=False),
            key=key,
        ),
        other=lambda w, _, key: w.hermes.batch(contract.Commit(content="a"), key=key),
        spoil=lambda w, _, r: w.hermes.delete(r.results[1].memory_id),
    ),
    "useful": Case(
        prepare=memory,
        send=lambda w, made, key: w.reader.useful(made, key=key),
        other=lambda w, made, key: w.reader.useful(made, reason="so", key=key),
        spoil=lambda w, made, _: w.hermes.delete(made),
    ),
    "not useful": Case(
        prepare=memory,
        send=lambda w, made, key: w.hermes.not_useful(made, key=key),
        other=lambda w, made, key: w.hermes.not_useful(made, reason="so", key=key),
        spoil=lambda w, made, _: w.hermes.delete(made),
    ),
    "deprecate": Case(
        prepare=memory,
        send=lambda w, made, key: w.hermes.deprecate(made, key=key),
        other=lambda w, _, key: w.hermes.deprecate(another(w), key=key),
        spoil=lambda w, made, _: w.hermes.restore(made),
    ),
    "deprecate another's": Case(
        prepare=memory,
        send=lambda w, made, key: w.reader.deprecate(made, key=key),
        other=lambda w, made, key: w.reader.deprecate(made, reason="so", key=key),
        spoil=lambda w, made, _: w.hermes.delete(made),
    ),
    "correct": Case(
        prepare=memory,
        send=lambda w, made, key: w.hermes.correct(
            made, "the port is 3001", expected_version=1, key=key
        ),
        other=lambda w, made, key: w.hermes.correct(made, "the port is 3002", key=key),
        spoil=lambda w, made, _: w.hermes.correct(made, "the port is 3003"),
    ),
    "delete memory": Case(
        prepare=memory,
        send=lambda w, made, key: w.hermes.delete(made, key=key),
        other=lambda w, _, key: w.hermes.delete(another(w), key=key),
        spoil=lambda w, made, _: w.hermes.restore(made),
    ),
    "delete episode": Case(
        prepare=episode,
        send=lambda w, made, key: w.hermes.delete_episode(made, key=key),
        other=lambda w, _, key: w.hermes.delete_episode(w.hermes.commit("x").episode_id, key=key),
        spoil=lambda w, made, _: w.hermes.restore_episode(made),
    ),
    "restore": Case(
        prepare=tombstone,
        send=lambda w, made, key: w.hermes.restore(made, key=key),
        other=lambda w, _, key: w.hermes.restore(another(w), key=key),
        spoil=lambda w, made, _: (
            w.hermes.delete(made),
            w.hermes.remember("the port is 3000"),
        ),
    ),
    "restore episode": Case(
        prepare=deleted_episode,
        send=lambda w, made, key: w.hermes.restore_episode(made, key=key),
        other=lambda w, _, key: w.hermes.restore_episode(w.hermes.commit("x").episode_id, key=key),
        spoil=lambda w, made, _: w.hermes.delete_episode(made),
    ),
    "pin": Case(
        prepare=memory,
        send=lambda w, made, key: w.owner.pin(made, key=key),
        other=lambda w, _, key: w.owner.pin(another(w), key=key),
        spoil=lambda w, made, _: w.hermes.delete(made),
    ),
    "unpin": Case(
        prepare=lambda w: w.owner.pin(memory(w)).memory_id,
        send=lambda w, made, key: w.owner.unpin(made, key=key),
        other=lambda w, _, key: w.owner.unpin(another(w), key=key),
        spoil=lambda w, made, _: w.owner.pin(made),
    ),
    "tag": Case(
        prepare=memory,
        send=lambda w, made, key: w.hermes.tag(made, "a", key=key),
        other=lambda w, made, key: w.hermes.tag(made, "b", key=key),
        spoil=lambda w, made, _: w.hermes.delete(made),
    ),
    "close session": Case(
        send=lambda w, _, key: w.hermes.close_session("s-1", key=key),
        other=lambda w, _, key: w.hermes.close_session("s-2", key=key),
        spoil=lambda w, _, __: w.hermes.close_session("s-1"),
    ),
    "register": Case(
        send=lambda w, _, key: w.admin.register("newcomer", key=key),
        other=lambda w, _, key: w.admin.register("newcomer", kind="hermes", key=key),
        spoil=lambda w, _, __: w.admin.deactivate("newcomer"),
    ),
    "rotate key": Case(
        prepare=lambda w: w.admin.register("newcomer"),
        send=lambda w, _, key: w.admin.rotate_key("newcomer", key=key),
        other=lambda w, _, key: w.admin.rotate_key(w.admin.register("second").agent_id, key=key),
        spoil=lambda w, _, __: w.admin.deactivate("newcomer"),
    ),
    "deactivate": Case(
        prepare=lambda w: w.admin.register("newcomer"),
        send=lambda w, _, key: w.admin.deactivate("newcomer", key=key),
        other=lambda w, _, key: w.admin.deactivate("nobody", key=key),
    ),
    "grant": Case(
        prepare=lambda w: w.admin.register("newcomer"),
        send=lambda w, _, key: w.owner.grant("newcomer", "hermes-main", key=key),
        other=lambda w, _, key: w.owner.grant("newcomer", "cron-1-main", key=key),
        spoil=lambda w, _, __: w.admin.deactivate("newcomer"),
    ),
    "revoke": Case(
        prepare=lambda w: (
            w.admin.register("newcomer"),
            w.owner.grant("newcomer", "hermes-main"),
        ),
        send=lambda w, _, key: w.owner.revoke("newcomer", "hermes-main", key=key),
        other=lambda w, _, key: w.owner.revoke("newcomer", "cron-1-main", key=key),
        spoil=lambda w, _, __: w.owner.grant("newcomer", "hermes-main"),
    ),
    "issue token": Case(
        send=lambda w, _, key: w.admin.issue_token(key=key),
        other=lambda w, _, key: w.admin.issue_token(kind="hermes", key=key),
    ),
    "enrol": Case(
        prepare=lambda w: w.admin.issue_token().token,
        send=lambda w, made, key: w.newcomer.enrol(made, key=key),
        other=lambda w, made, key: w.newcomer.enrol(made, kind="hermes", key=key),
        spoil=lambda w, _, __: w.admin.deactivate("newcomer"),
    ),
}


@pytest.fixture
def world(application) -> World:
    return World(application)


def stored(world: World, command_id: str) -> list[Event]:
    return [e for e in world.application.read(1, world.head) if e.command_id == command_id]


each_command = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@each_command
def test_a_repeat_answers_the_first_receipt_and_stores_nothing(world, case):
    made, key = case.prepare(world), fresh_key()
    first = case.send(world, made, key)
    head = world.head
    assert not first.duplicate
    assert first.position == head
    for _ in range(2):
        assert case.send(world, made, key) == replace(first, duplicate=True)
    assert world.head == head


@each_command
def test_a_repeat_answers_the_first_receipt_although_the_world_has_moved_on(world, case):
    made, key = case.prepare(world), fresh_key()
    first = case.send(world, made, key)
    case.spoil(world, made, first)
    head = world.head
    assert case.send(world, made, key) == replace(first, duplicate=True)
    assert world.head == head


@each_command
def test_the_same_key_with_another_body_is_refused_and_stores_nothing(world, case):
    made, key = case.prepare(world), fresh_key()
    case.send(world, made, key)
    command = world.application.read(world.head, world.head)[0].command_id
    first = stored(world, command)
    with pytest.raises(KeyReused):
        case.other(world, made, key)
    assert [e.event_id for e in stored(world, command)] == [e.event_id for e in first]


@each_command
def test_eight_threads_with_one_key_execute_it_once(world, case):
    made, key = case.prepare(world), fresh_key()
    before = world.head
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: case.send(world, made, key), range(8)))
    assert [a.duplicate for a in answers].count(False) == 1
    [first] = [a for a in answers if not a.duplicate]
    assert all(a == replace(first, duplicate=True) for a in answers if a is not first)
    added = world.application.read(before + 1, world.head)
    assert {e.command_id for e in added} == {added[0].command_id}
    assert added[-1].position == first.position


@pytest.mark.parametrize(
    "nothing_to_do",
    [
        lambda w: w.hermes.delete(tombstone(w), key="k"),
        lambda w: w.hermes.deprecate(tombstone(w), key="k"),
        lambda w: w.hermes.restore(memory(w), key="k"),
        lambda w: w.hermes.restore_episode(episode(w), key="k"),
        lambda w: w.hermes.delete_episode(deleted_episode(w), key="k"),
        lambda w: w.owner.unpin(memory(w), key="k"),
        lambda w: w.hermes.tag(memory(w), key="k"),
        lambda w: w.hermes.correct(memory(w), "the port is 3000", key="k"),
    ],
)
def test_a_command_that_finds_nothing_to_do_answers_at_the_head_as_a_repeat(world, nothing_to_do):
    receipt = nothing_to_do(world)
    assert receipt.duplicate
    assert receipt.position == world.head
    assert "k" not in {e.command_id for e in world.application.read(1, world.head)}


def test_a_refusal_is_not_remembered(world):
    memory_id = memory(world)
    world.hermes.delete(memory_id)
    key = fresh_key()
    with pytest.raises(Exception, match="tombstone"):
        world.hermes.useful(memory_id, key=key)
    world.hermes.restore(memory_id)
    assert not world.hermes.useful(memory_id, key=key).duplicate


@pytest.mark.parametrize("age", [timedelta(days=30, seconds=1), -timedelta(minutes=5, seconds=1)])
def test_a_key_outside_its_window_is_refused_even_where_nothing_would_be_stored(world, age):
    gone = tombstone(world)
    head = world.head
    moment = world.hermes.clock.now - age
    for act in (world.hermes.delete, world.hermes.useful, world.hermes.restore):
        with pytest.raises(CommandTooOld):
            act(gone, key=uuid7(round(moment.timestamp() * 1000), b"0123456789"))
    assert world.head == head
