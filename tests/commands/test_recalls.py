"""What was recalled, in the log: stored once, counted whatever is erased, its questions sealed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from commands.application import MemoryApplication
from commands.recalls import AskedRecall, RecallBatch, record_recalls
from domain.errors import Erased
from domain.events import RecallServed, ServedMemory, ServedRecall, SubjectErased
from domain.identity import uuid7
from domain.recall_stretch import stretch_id
from eventlog.codec import Codec
from eventlog.sealing import KeyRing
from tests.commands.speaking import Speaker

NOW = datetime.now(UTC)


def batch(
    *memory_ids: str,
    version: int = 1,
    actor: str = "hermes-a06",
    query: str = "walnut?",
    stretch: str = "a process:0",
    episode_ids: Sequence[str] = (),
) -> RecallBatch:
    served = ServedRecall(
        recall_id=str(uuid4()),
        agent_id=actor,
        namespaces=["hermes-main", "shared"],
        results=[
            ServedMemory(memory_id=memory_id, version=1, rank=rank, score=0.5)
            for rank, memory_id in enumerate(memory_ids, 1)
        ],
        miss=False,
        level="hybrid",
        took_ms=1.5,
    )
    return RecallBatch(
        key=uuid7(int(NOW.timestamp() * 1000), uuid4().bytes[:10]),
        actor=actor,
        stretch=stretch,
        version=version,
        recalls=[AskedRecall(query, served, list(episode_ids))],
    )


def stored(
    application: MemoryApplication, actor: str = "hermes-a06", stretch: str = "a process:0"
) -> list[RecallServed]:
    """Read what is stored as a process that has seen no key before."""
    log = application.event_log
    codec = Codec(KeyRing(log.subject_keys))
    entries = log.read_aggregate(stretch_id(application.log_name, actor, stretch))
    bodies = [codec.open(entry).body for entry in entries]
    assert all(isinstance(body, RecallServed) for body in bodies)
    return bodies


def test_a_batch_that_is_sent_again_is_stored_once(application: MemoryApplication) -> None:
    first = batch("m-1")
    for _ in range(2):
        record_recalls(application, first, lambda: NOW)
    record_recalls(application, batch("m-2", version=2), lambda: NOW)
    assert [body.recalls[0].results[0].memory_id for body in stored(application)] == ["m-1", "m-2"]
    assert [body.queries for body in stored(application)] == [["walnut?"], ["walnut?"]]


def test_the_questions_stand_closed_in_the_log(application: MemoryApplication) -> None:
    record_recalls(application, batch("m-1", query="walnut safe"), lambda: NOW)
    [entry] = application.event_log.read_aggregate(
        stretch_id(application.log_name, "hermes-a06", "a process:0")
    )
    assert b"walnut" not in entry.body
    assert b"m-1" in entry.body


def test_with_a_memory_go_the_questions_that_it_was_an_answer_to(
    application: MemoryApplication, hermes: Speaker, admin: Speaker
) -> None:
    memory = hermes.remember("the walnut safe opens with 4711").memory_id
    other = hermes.remember("the port is 3000").memory_id
    record_recalls(application, batch(memory), lambda: NOW)
    record_recalls(application, batch(other, actor="cron-1", query="port?"), lambda: NOW)
    admin.erase(memory_id=memory)
    [about_it] = stored(application)
    assert about_it.queries == []
    assert about_it.recalls[0].results[0].memory_id == memory  # it is counted all the same
    assert [body.queries for body in stored(application, "cron-1")] == [["port?"]]
    with pytest.raises(Erased):
        record_recalls(application, batch(other, version=2), lambda: NOW)


def test_of_a_batch_that_comes_after_an_erasure_only_the_questions_that_found_it_are_left_out(
    application: MemoryApplication, hermes: Speaker, admin: Speaker
) -> None:
    memory = hermes.remember("the walnut safe opens with 4711").memory_id
    other = hermes.remember("the port is 3000").memory_id
    late, beside = batch(memory, other), batch(other, query="port?")
    late = replace(late, recalls=[*late.recalls, *beside.recalls])
    admin.erase(memory_id=memory)
    for _ in range(2):
        record_recalls(application, late, lambda: NOW)
    [body] = stored(application)
    assert body.queries == ["", "port?"]
    assert body.recalls == [one.served for one in late.recalls]


def test_a_question_that_found_an_erased_episode_goes_before_and_after_it_is_written(
    application: MemoryApplication, hermes: Speaker, admin: Speaker
) -> None:
    episode = hermes.commit("the walnut safe opens with 4711").episode_id
    record_recalls(application, batch(episode_ids=[episode]), lambda: NOW)
    late = batch(episode_ids=[episode], stretch="another:0")
    admin.erase(episode_id=episode)
    record_recalls(application, late, lambda: NOW)
    for stretch in ("a process:0", "another:0"):
        [body] = stored(application, stretch=stretch)
        assert (body.queries, len(body.recalls)) == ([], 1)


def test_a_question_that_found_what_was_erased_of_a_session_is_left_out(
    application: MemoryApplication, hermes: Speaker, admin: Speaker
) -> None:
    said = partial(hermes.remember, namespace="hermes-ephemeral", session_id="s-1")
    first, second = said("walnut 4711").memory_id, said("walnut 4712").memory_id
    for number, memory in enumerate((first, second)):  # the session is closed at the second
        admin.erase(memory_id=memory)
        record_recalls(application, batch(memory, stretch=str(number)), lambda: NOW)
        [body] = stored(application, stretch=str(number))
        assert body.queries == []


def test_questions_of_an_erased_agent_are_left_out(
    application: MemoryApplication, hermes: Speaker, admin: Speaker
) -> None:
    admin.register("hermes-a06", "hermes")
    with before_each_part(application) as parts:
        parts.append(lambda: record_recalls(application, batch("m-1"), lambda: NOW))
        parts.append(lambda: record_recalls(application, batch("m-2", version=2), lambda: NOW))
        admin.erase(agent_id="hermes-a06")
    record_recalls(application, batch("m-3", version=3), lambda: NOW)
    bodies = stored(application)
    assert [body.recalls[0].results[0].memory_id for body in bodies] == ["m-1", "m-2", "m-3"]
    assert [body.queries for body in bodies] == [[], [], []]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whenever_a_question_is_written_none_that_found_what_was_erased_can_be_read(
    application: MemoryApplication, hermes: Speaker, admin: Speaker, data: st.DataObject
) -> None:
    name = uuid4().hex
    gone = hermes.remember(f"the walnut safe opens with {name}")
    stays = hermes.remember(f"the port is {name}")
    things = [gone.memory_id, stays.memory_id, gone.episode_id]
    found = st.lists(st.sampled_from(things), unique=True, max_size=3)
    told = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), found), min_size=1, max_size=8)
    )
    places: dict[int, tuple[int, int]] = {0: (0, 0), 1: (0, 0)}

    def write(moment: int) -> None:
        for when, process, ids in told:
            if when == moment:
                episodes = [one for one in ids if one == gone.episode_id]
                memories = [one for one in ids if one not in episodes]
                query = ",".join(["?", *sorted(ids)])
                make = partial(batch, *memories, query=query, episode_ids=episodes)
                try:
                    number, place = places[process]
                    one = make(stretch=f"{name}:{process}:{number}", version=place + 1)
                    record_recalls(application, one, lambda: NOW)
                except Erased:  # as the recall log goes on
                    number, place = number + 1, 0
                    one = make(stretch=f"{name}:{process}:{number}", version=1)
                    record_recalls(application, one, lambda: NOW)
                places[process] = (number, place + 1)

    write(0)
    with before_each_part(application) as parts:
        parts.extend([partial(write, 1), partial(write, 2)])
        admin.erase(memory_id=gone.memory_id)
        assert not parts
    write(3)
    bodies = [
        body
        for process in places
        for number in range(places[process][0] + 1)
        for body in stored(application, stretch=f"{name}:{process}:{number}")
    ]
    assert sum(len(body.recalls) for body in bodies) == len(told)
    readable = {query for body in bodies for query in body.queries}
    assert not any(one in query for one in (things[0], things[2]) for query in readable)
    harmless = {",".join(["?", *ids]) for when, _, ids in told if when == 3 and ids == things[1:2]}
    assert harmless <= readable


@contextmanager
def before_each_part(application: MemoryApplication) -> Iterator[list[Any]]:
    """Do something when a part of an erasure was decided on and is not appended yet."""
    stored_by, parts = application.store, list[Any]()

    def store(work: Any, context: Any, fence: Any = None) -> Any:
        if parts and any(isinstance(event.body, SubjectErased) for event in work.events):
            parts.pop(0)()
        return stored_by(work, context, fence)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(application, "store", store)
        yield parts


def test_with_an_agent_go_its_questions(
    application: MemoryApplication, hermes: Speaker, admin: Speaker
) -> None:
    admin.register("hermes-a06", "hermes")
    record_recalls(application, batch("m-1"), lambda: NOW)
    admin.erase(agent_id="hermes-a06")
    assert [body.queries for body in stored(application)] == [[]]
