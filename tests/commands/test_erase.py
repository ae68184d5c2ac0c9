"""Erasing: which keys end, what goes along, what stays and is named; nothing comes back."""

from __future__ import annotations

from uuid import uuid4

import msgspec
import pytest

from commands import erase as erasing
from commands.application import MemoryApplication
from domain.agent import AGENT, agent_aggregate_id
from domain.distillation.finding import Finding
from domain.errors import Erased, Forbidden, InvalidCommand, KeyReused, NotFound
from domain.events import Event, SubjectErased
from domain.memory import MEMORY
from eventlog.body_shape import ERASED
from eventlog.codec import Codec
from eventlog.keys import key_field
from eventlog.sealing import KeyRing
from memoryweave import contract
from tests.commands.distilling import Distiller, finding

SECRET = "the walnut safe opens with 4711"


@pytest.fixture
def opened(application):
    """Read an aggregate as a process that has seen no key before."""

    def read(aggregate_id: str) -> list[Event]:
        codec = Codec(KeyRing(application.event_log.subject_keys))
        return [codec.open(e) for e in application.event_log.read_aggregate(aggregate_id)]

    return read


def texts(events: list[Event]) -> set[str]:
    return {e.body.content for e in events if hasattr(e.body, "content")}


def distil(
    application: MemoryApplication,
    episode_id: str,
    *contents: str | Finding,
    also: str | None = None,
) -> list[str]:
    """Make memories of an episode; ``also`` is one that it says again in other words."""
    found = [finding(one) if isinstance(one, str) else one for one in contents]
    if also is not None:
        found.append(finding("in other words", reinforces=also))
    return list(Distiller(application).distil(episode_id, *found, distiller="llm").memory_ids)


def test_a_memory_goes_with_its_episode_and_nobody_can_open_either(
    application, hermes, admin, opened
):
    made = hermes.remember(SECRET, tags=["walnut"])
    hermes.correct(made.memory_id, "the walnut safe opens with 4712", reason="walnut")
    other = hermes.remember("the port is 3000")
    done = admin.erase(memory_id=made.memory_id).erasure
    assert done.subjects == (f"memory:{made.memory_id}", f"episode:{made.episode_id}")
    assert (done.memory_ids, done.episode_ids) == ((made.memory_id,), (made.episode_id,))
    assert (done.held, done.complete) == ((), True)
    assert texts(opened(made.memory_id)) | texts(opened(made.episode_id)) == {ERASED}
    assert texts(opened(other.memory_id)) == {"the port is 3000"}
    assert application.event_log.subject_keys(done.subjects) == {}


def test_all_episodes_that_repeat_a_memory_go_with_it(application, hermes, admin, opened):
    made = [hermes.remember(SECRET) for _ in range(3)]
    done = admin.erase(memory_id=made[0].memory_id).erasure
    assert sorted(done.episode_ids) == sorted(m.episode_id for m in made)
    assert {t for m in made for t in texts(opened(m.episode_id))} == {ERASED}


def test_an_episode_of_which_more_came_stays_and_is_named(application, hermes, admin, opened):
    episode = hermes.commit(f"{SECRET}, and the port is 3000").episode_id
    first, second = distil(application, episode, SECRET, "the port is 3000")
    done = admin.erase(memory_id=first).erasure
    assert (done.memory_ids, done.episode_ids) == ((first,), ())
    assert done.held == (f"episode:{episode}",)
    assert texts(opened(second)) == {"the port is 3000"}
    then = admin.erase(memory_id=second).erasure
    assert then.episode_ids == (episode,)


def test_an_episode_takes_the_three_memories_along_that_came_of_it_alone(
    application, hermes, admin, opened
):
    episode = hermes.commit(f"{SECRET} and more").episode_id
    known = hermes.remember("the port is 3000")
    made = distil(application, episode, SECRET, "walnut", "4711", also=known.memory_id)
    done = admin.erase(episode_id=episode).erasure
    assert sorted(done.memory_ids) == sorted(made)
    assert done.episode_ids == (episode,)
    assert set(done.held) == {f"memory:{known.memory_id}", f"episode:{known.episode_id}"}
    assert {t for m in made for t in texts(opened(m))} == {ERASED}
    assert texts(opened(known.memory_id)) == {"the port is 3000"}


def test_a_memory_whose_other_episode_was_only_deleted_goes_and_that_one_is_named(
    application, hermes, admin
):
    made, again = hermes.remember(SECRET), hermes.remember(SECRET)
    hermes.delete_episode(again.episode_id)
    done = admin.erase(episode_id=made.episode_id).erasure
    assert done.memory_ids == (made.memory_id,)
    assert done.held == (f"episode:{again.episode_id}",)


def test_another_memory_that_said_the_same_once_is_named(application, hermes, admin):
    first = hermes.remember(SECRET)
    hermes.delete(first.memory_id)
    second = hermes.remember(SECRET)
    assert second.memory_id != first.memory_id
    done = admin.erase(memory_id=second.memory_id).erasure
    assert done.held == (f"memory:{first.memory_id}",)


def test_an_agent_goes_with_its_episodes_memories_and_days(
    application, hermes, cron, admin, opened
):
    admin.register("cron-1")
    mine = [cron.remember(f"{SECRET} {n}", namespace="shared") for n in range(3)]
    talk = cron.commit("walnut talk").episode_id
    foreign = hermes.remember("the port is 3000", namespace="shared")
    cron.not_useful(foreign.memory_id, reason="walnut")
    quiet = hermes.remember("the port is 3001", namespace="shared")
    cron.useful(quiet.memory_id)
    both = hermes.remember("said by two", namespace="shared")
    cron.remember("said by two", namespace="shared")
    done = admin.erase(agent_id="cron-1").erasure
    assert set(done.memory_ids) == {m.memory_id for m in mine}
    assert {*(m.episode_id for m in mine), talk} < set(done.episode_ids)
    assert set(done.held) == {
        f"memory:{foreign.memory_id}",
        f"memory:{both.memory_id}",
        f"episode:{both.episode_id}",
    }
    agent = agent_aggregate_id(application.log_name, "cron-1")
    assert f"agent:{agent}:{cron.clock.now:%Y-%m-%d}" in done.subjects
    assert not application.load(AGENT, agent).active
    assert {t for m in mine for t in texts(opened(m.memory_id))} == {ERASED}
    assert texts(opened(both.memory_id)) == {"said by two"}


def test_what_is_of_a_session_closes_it_and_later_a_session_of_that_name_begins_anew(
    application, hermes, admin, opened
):
    made = hermes.remember(SECRET, namespace="hermes-ephemeral", session_id="s-1")
    beside = hermes.remember("walnut", namespace="hermes-ephemeral", session_id="s-1")
    done = admin.erase(memory_id=made.memory_id).erasure
    assert done.subjects == (
        f"memory:{made.memory_id}",
        "session:hermes-ephemeral:s-1",
        f"episode:{made.episode_id}",
    )
    assert texts(opened(made.memory_id)) | texts(opened(beside.memory_id)) == {ERASED}
    later = hermes.remember("anew", namespace="hermes-ephemeral", session_id="s-1")
    assert texts(opened(later.memory_id)) == {"anew"}


def test_nothing_can_be_done_with_what_was_erased(application, hermes, owner, admin):
    made = hermes.remember(SECRET)
    admin.erase(memory_id=made.memory_id)
    for act in (
        lambda who: who.useful(made.memory_id),
        lambda who: who.not_useful(made.memory_id),
        lambda who: who.deprecate(made.memory_id),
        lambda who: who.correct(made.memory_id, "x"),
        lambda who: who.delete(made.memory_id),
        lambda who: who.restore(made.memory_id),
        lambda who: who.pin(made.memory_id),
        lambda who: who.unpin(made.memory_id),
        lambda who: who.tag(made.memory_id, "x"),
        lambda who: who.delete_episode(made.episode_id),
        lambda who: who.restore_episode(made.episode_id),
    ):
        with pytest.raises(NotFound):
            act(owner)
    again = hermes.remember(SECRET)
    assert again.memory_id != made.memory_id
    assert not again.reinforced


def test_a_repeat_gives_the_same_and_appends_nothing(application, hermes, admin):
    made = hermes.remember(SECRET)
    first = admin.erase(memory_id=made.memory_id, key="one")
    head = application.event_log.head().position
    for key in ("one", "two"):
        again = admin.erase(memory_id=made.memory_id, key=key)
        assert (again.erasure, again.duplicate) == (first.erasure, True)
    assert application.event_log.head().position == head
    other = hermes.remember("the port is 3000")
    with pytest.raises(KeyReused):
        admin.erase(memory_id=other.memory_id, key="one")


def test_only_the_admin_may_and_only_one_thing_that_is_there(application, hermes, owner, admin):
    made = hermes.remember(SECRET)
    for nobody in (hermes, owner):
        with pytest.raises(Forbidden):
            nobody.erase(memory_id=made.memory_id)
    with pytest.raises(InvalidCommand):
        admin.erase()
    with pytest.raises(InvalidCommand):
        admin.erase(memory_id=made.memory_id, episode_id=made.episode_id)
    for unknown in ({"memory_id": made.episode_id}, {"episode_id": made.memory_id}):
        with pytest.raises(NotFound):
            admin.erase(**unknown)
    with pytest.raises(NotFound):
        admin.erase(agent_id="nobody-1")


def test_what_one_append_cannot_hold_is_done_in_parts_that_anybody_may_go_on_with(
    application, cron, admin, opened, monkeypatch
):
    admin.register("cron-1")
    for part in range(4):
        cron.batch(
            *(
                contract.Commit(content=f"{SECRET} {part} {n}", distill=n % 2 == 0)
                for n in range(20)
            )
        )
    monkeypatch.setattr(erasing, "THINGS_A_PART", 30)
    stored = application.store

    def dies_after_two(work, context, fence=None):
        parts = [e for e in work.events if isinstance(e.body, SubjectErased)]
        if parts and parts[0].version > 2:
            raise KeyboardInterrupt
        return stored(work, context, fence)

    monkeypatch.setattr(application, "store", dies_after_two)
    with pytest.raises(KeyboardInterrupt):
        admin.erase(agent_id="cron-1", key="once")
    monkeypatch.setattr(application, "store", stored)
    half = erasing.load_erasure(application, "agent", "cron-1")
    assert half is not None
    assert not half.complete
    done = admin.erase(agent_id="cron-1", key="once").erasure
    assert (len(done.episode_ids), len(done.memory_ids)) == (80, 40)
    assert len(set(done.subjects)) == len(done.subjects) == 121
    assert {t for e in done.episode_ids for t in texts(opened(e))} == {ERASED}
    parts = [e for e in application.events.get(done.id) if isinstance(e.body, SubjectErased)]
    assert len(parts) >= 4
    assert [e.body.last for e in parts] == [False] * (len(parts) - 1) + [True]


def test_an_erased_subject_never_gets_a_key_again(application, hermes, admin):
    made = hermes.remember(SECRET)
    log, subject = application.event_log, f"memory:{made.memory_id}"
    [entry] = log.read_aggregate(made.memory_id)
    admin.erase(memory_id=made.memory_id)
    late = msgspec.structs.replace(entry, version=3)
    for keys in ({"subject_keys": {subject: b"k" * 32}}, {"held_keys": {subject: b"k" * 32}}):
        with pytest.raises(Erased):
            log.append([late], command_id=str(uuid4()), fingerprint="", **keys)
    log.put_subject_keys([(key_field(subject), b"k" * 32)])
    assert log.subject_keys([subject]) == {}
    assert dict(log.all_subject_keys())[key_field(subject)] == b""


# --- what was distilled


def test_a_candidate_goes_with_its_text_its_quote_and_its_episode(
    application, hermes, owner, admin, opened
):
    episode_id = hermes.commit(f"well, {SECRET}").episode_id
    [one] = Distiller(application).distil(episode_id, SECRET, settle="confirm").memory_ids
    owner.settle(one, content="the walnut safe opens with 4712")
    done = admin.erase(memory_id=one).erasure
    assert (done.memory_ids, done.episode_ids, done.held) == ((one,), (episode_id,), ())
    assert texts(opened(one)) | texts(opened(episode_id)) == {ERASED}
    assert opened(one)[0].body.evidence == ERASED
    with pytest.raises(NotFound):
        owner.settle(one)
    with pytest.raises(NotFound):
        owner.redistil(episode_id)


def test_why_it_was_not_distilled_goes_with_the_episode(application, hermes, admin, opened):
    episode_id = hermes.commit(SECRET).episode_id
    Distiller(application).fail(episode_id, f"the model said: {SECRET}")
    admin.erase(episode_id=episode_id)
    assert opened(episode_id)[1].body.error == ERASED


def test_an_agent_takes_its_candidates_along(application, cron, admin, opened):
    admin.register("cron-1")
    episode_id = cron.commit(SECRET, namespace="shared").episode_id
    [one] = Distiller(application).distil(episode_id, SECRET, settle="confirm").memory_ids
    done = admin.erase(agent_id="cron-1").erasure
    assert one in done.memory_ids
    assert texts(opened(one)) == {ERASED}


def test_another_memory_of_the_same_statement_is_named(application, hermes, admin):
    words = "on port 7443 the gateway listens"
    one, two = hermes.commit("talk").episode_id, hermes.commit("more talk").episode_id
    [first] = distil(application, one, "the gateway listens on port 7443")
    hermes.delete(first)
    [second] = distil(application, two, words)
    assert admin.erase(memory_id=first).erasure.held == (f"memory:{second}",)


def test_a_memory_takes_along_what_it_took_the_place_of(application, hermes, owner, admin, opened):
    episode_id = hermes.commit(SECRET).episode_id
    [first] = distil(application, episode_id, finding("a safe opens with 4711", evidence=SECRET))
    owner.redistil(episode_id)
    [second] = distil(application, episode_id, SECRET)
    assert application.load(MEMORY, first).superseded_by == second
    done = admin.erase(memory_id=second).erasure
    assert sorted(done.memory_ids) == sorted((first, second))
    assert (done.episode_ids, done.held) == ((episode_id,), ())
    assert texts(opened(first)) == {ERASED}
