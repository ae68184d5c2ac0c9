"""Somebody else comes between a command's reading and its append: it decides anew."""

from collections.abc import Iterator

import pytest

from commands.application import MemoryApplication
from domain.errors import (
    Forbidden,
    NameTaken,
    NotFound,
    Unauthenticated,
    VersionMismatch,
    WrongState,
)
from domain.memory import MEMORY
from tests.commands.speaking import Speaker

EPHEMERAL = "hermes-ephemeral"
TEXT = "the port is 3000"


class Interrupted(MemoryApplication):
    """Before its next append, and only that, it lets something else happen."""

    between = None

    def store(self, work, context, fence=None):
        happens, self.between = self.between, None
        if happens is not None:
            happens()
        return super().store(work, context, fence)


@pytest.fixture
def slow(log_server, log_name) -> Iterator[Interrupted]:
    with Interrupted(log_server.url, log_name) as application:
        yield application


@pytest.fixture
def during(slow, hermes, admin):
    """Give hermes (or another) on the slow application, with what comes between."""

    def speaker(happens, kind="agent"):
        slow.between = happens
        if kind == "agent":
            return Speaker(slow, hermes.caller)
        return Speaker.of_kind(slow, kind)

    return speaker


def test_of_two_episodes_deleted_at_once_the_second_takes_the_memory(application, hermes, during):
    one, two = hermes.remember(TEXT), hermes.remember(TEXT)
    receipt = during(lambda: hermes.delete_episode(two.episode_id)).delete_episode(one.episode_id)
    assert receipt.memory_ids == [one.memory_id]
    assert not application.load(MEMORY, one.memory_id).is_live


def test_a_memory_seen_again_meanwhile_does_not_go_with_its_episode(application, hermes, during):
    made = hermes.remember(TEXT)
    receipt = during(lambda: hermes.remember(TEXT)).delete_episode(made.episode_id)
    assert receipt.memory_ids == []
    assert application.load(MEMORY, made.memory_id).is_live


def test_a_text_remembered_meanwhile_is_reinforced(hermes, during):
    others = []
    receipt = during(lambda: others.append(hermes.remember(TEXT))).remember(TEXT)
    assert (receipt.reinforced, receipt.memory_id) == (True, others[0].memory_id)


@pytest.mark.parametrize(
    "happens",
    [
        lambda h, m: h.delete(m),
        lambda h, m: h.deprecate(m),
        lambda h, m: h.correct(m, "something else"),
    ],
)
def test_a_memory_that_lost_its_text_meanwhile_is_not_reinforced(hermes, during, happens):
    before = hermes.remember(TEXT).memory_id
    receipt = during(lambda: happens(hermes, before)).remember(TEXT)
    assert not receipt.reinforced
    assert receipt.memory_id != before


def test_a_text_taken_meanwhile_is_not_restored_or_corrected_to(hermes, during):
    gone = hermes.remember(TEXT).memory_id
    hermes.delete(gone)
    with pytest.raises(WrongState, match="already"):
        during(lambda: hermes.remember(TEXT)).restore(gone)
    other = hermes.remember("something else").memory_id
    with pytest.raises(WrongState, match="already"):
        during(lambda: hermes.remember("a third")).correct(other, "a third")


def test_a_memory_restored_meanwhile_keeps_its_text_from_a_correction(hermes, during):
    gone = hermes.remember(TEXT).memory_id
    hermes.delete(gone)
    other = hermes.remember("something else").memory_id
    with pytest.raises(WrongState, match=gone):
        during(lambda: hermes.restore(gone)).correct(other, TEXT)


@pytest.mark.parametrize(
    "act",
    [
        lambda s, m: s.useful(m),
        lambda s, m: s.correct(m, "x"),
        lambda s, m: s.tag(m, "x"),
    ],
)
def test_a_memory_deleted_meanwhile_is_a_tombstone_for_it(hermes, during, act):
    memory = hermes.remember(TEXT).memory_id
    with pytest.raises(WrongState, match="tombstone"):
        act(during(lambda: hermes.delete(memory)), memory)


def test_a_correction_meanwhile_is_met_by_the_expected_version(hermes, during):
    memory = hermes.remember(TEXT).memory_id
    with pytest.raises(VersionMismatch):
        during(lambda: hermes.correct(memory, "y")).correct(memory, "x", expected_version=1)
    assert during(lambda: hermes.correct(memory, "z")).correct(memory, "x").version == 4


def test_a_session_closed_meanwhile_begins_anew(hermes, during):
    fields = {"namespace": EPHEMERAL, "session_id": "s-1"}
    before = hermes.remember(TEXT, **fields)
    after = during(lambda: hermes.close_session("s-1")).remember(TEXT, **fields)
    assert not after.reinforced
    assert hermes.remember(TEXT, **fields).memory_id == after.memory_id
    with pytest.raises(NotFound):
        hermes.useful(before.memory_id)
    with pytest.raises(NotFound):
        during(lambda: hermes.close_session("s-1")).useful(after.memory_id)


def test_a_name_taken_meanwhile_is_not_enrolled(application, slow, admin):
    token = admin.issue_token().token
    newcomer = Speaker.agent(slow, "newcomer")
    slow.between = lambda: admin.register("other", namespace="newcomer-main")
    with pytest.raises(NameTaken, match="newcomer-main"):
        newcomer.enrol(token)
    slow.between = lambda: Speaker.agent(application, "second").enrol(token)
    with pytest.raises(Unauthenticated):
        newcomer.enrol(token, namespace="lab")


def test_an_agent_deactivated_meanwhile_gets_no_grant_and_no_key(admin, during):
    for number, act in enumerate(
        (
            lambda s, a: s.grant(a, "hermes-main"),
            lambda s, a: s.rotate_key(a),
        )
    ):
        agent = admin.register(f"agent-{number}").agent_id
        with pytest.raises(WrongState):
            act(during(lambda agent=agent: admin.deactivate(agent), "admin"), agent)


def test_what_is_refused_before_the_append_does_not_wait_for_it(hermes, during):
    memory = hermes.remember(TEXT).memory_id
    with pytest.raises(Forbidden):
        during(lambda: pytest.fail("it came to an append")).pin(memory)
