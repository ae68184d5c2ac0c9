"""What was recalled, in the log: stored once, counted whatever is erased, its questions sealed."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from commands.application import MemoryApplication
from commands.recalls import AskedRecall, RecallBatch, record_recalls
from domain.errors import Erased
from domain.events import RecallServed, ServedMemory, ServedRecall
from domain.identity import uuid7
from domain.recall_stretch import stretch_id
from eventlog.codec import Codec
from eventlog.sealing import KeyRing
from tests.commands.speaking import Speaker

NOW = datetime.now(UTC)


def batch(*memory_ids: str, version: int = 1, actor: str = "hermes-a06", query: str = "walnut?"):
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
        stretch="a process:0",
        version=version,
        recalls=[AskedRecall(query, served)],
    )


def stored(application: MemoryApplication, actor: str = "hermes-a06") -> list[RecallServed]:
    """Read what is stored as a process that has seen no key before."""
    log = application.event_log
    codec = Codec(KeyRing(log.subject_keys))
    entries = log.read_aggregate(stretch_id(application.log_name, actor, "a process:0"))
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


def test_with_an_agent_go_its_questions(
    application: MemoryApplication, hermes: Speaker, admin: Speaker
) -> None:
    admin.register("hermes-a06", "hermes")
    record_recalls(application, batch("m-1"), lambda: NOW)
    admin.erase(agent_id="hermes-a06")
    assert [body.queries for body in stored(application)] == [[]]
