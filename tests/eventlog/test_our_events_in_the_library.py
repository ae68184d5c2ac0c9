"""Our own events through the library's event store: sealed, strictly numbered, idempotent."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from eventsourcing.persistence import EventStore, InfrastructureFactory, StoredEvent

from domain.errors import Fenced, KeyReused
from domain.events import Event, MemoryCorrected, MemoryCreated
from eventlog.append import Fence
from eventlog.mapper import EventMapper
from eventlog.outcomes import AlreadyAppended, Conflict
from eventlog.redis_streams import RedisFactory
from tests.servers import LogServer

NOW = datetime(2026, 5, 10, tzinfo=UTC)


@pytest.fixture
def factory(log_server: LogServer, log_name: str) -> Iterator[RedisFactory]:
    made = a_factory(log_server, log_name)
    yield made
    made.close()


def a_factory(server: LogServer, log_name: str) -> RedisFactory:
    made = InfrastructureFactory.construct(
        {
            "PERSISTENCE_MODULE": "eventlog.redis_streams",
            "REDIS_URL": server.url,
            "LOG_NAME": log_name,
            "ORIGINATOR_ID_TYPE": "text",
        }
    )
    assert isinstance(made, RedisFactory)
    return made


def event_store(factory: RedisFactory) -> EventStore[str]:
    return factory.event_store(
        mapper=EventMapper(factory.codec), recorder=factory.application_recorder()
    )


def created(memory_id: str = "m1", content: str = "Port 8188") -> Event:
    body = MemoryCreated(
        content=content,
        category="fact",
        decay_class="system_fact",
        namespace="shared",
        agent_id="hermes",
        source="owner_message",
        distilled_by="caller",
        confidence=1.0,
    )
    return an_event(memory_id, 1, body)


def corrected(version: int, content: str, memory_id: str = "m1") -> Event:
    body = MemoryCorrected(content=content, source="owner_edit", agent_id="owner")
    return an_event(memory_id, version, body)


def an_event(memory_id: str, version: int, body: MemoryCreated | MemoryCorrected) -> Event:
    return Event(
        aggregate_type="Memory",
        aggregate_id=memory_id,
        version=version,
        event_id=str(uuid.uuid4()),
        occurred_at=NOW,
        actor="hermes",
        correlation_id="c1",
        body=body,
    )


def texts(store: EventStore[str], memory_id: str = "m1") -> list[str]:
    return [event.body.content for event in store.get(memory_id)]  # type: ignore[attr-defined]


def test_our_events_come_back_opened_and_lie_sealed(factory: RedisFactory) -> None:
    store = event_store(factory)
    command_id = str(uuid.uuid4())
    recordings = store.put([created(), corrected(2, "Port 8189")], command_id=command_id)

    assert [r.notification.id for r in recordings] == [1, 2]
    assert texts(store) == ["Port 8188", "Port 8189"]
    entries = factory.log.read(1)
    assert {e.command_id for e in entries} == {command_id}
    assert not any(b"Port" in e.body for e in entries)
    assert set(factory.log.subject_keys(["memory:m1"])) == {"memory:m1"}


def test_another_process_opens_what_this_one_sealed(
    log_server: LogServer, log_name: str, factory: RedisFactory
) -> None:
    event_store(factory).put([created()])
    other = a_factory(log_server, log_name)
    assert texts(event_store(other)) == ["Port 8188"]
    other.close()


def test_a_repeated_command_says_where_the_first_one_was_stored(factory: RedisFactory) -> None:
    store = event_store(factory)
    command = {"command_id": str(uuid.uuid4()), "fingerprint": "f"}
    store.put([created(), corrected(2, "Port 8189")], **command)

    with pytest.raises(AlreadyAppended) as already:
        store.put([created()], **command)
    assert (already.value.first, already.value.last) == (1, 2)
    with pytest.raises(KeyReused):
        store.put([created()], **(command | {"fingerprint": "other"}))
    assert factory.log.head().position == 2


def test_our_versions_must_follow_one_another(factory: RedisFactory) -> None:
    store = event_store(factory)
    store.put([created()])
    for version in (1, 3):
        with pytest.raises(Conflict):
            store.put([corrected(version, "Port 8189")])
    assert texts(store) == ["Port 8188"]


def test_a_fence_reaches_the_append(factory: RedisFactory) -> None:
    with pytest.raises(Fenced):
        event_store(factory).put([created()], fence=Fence("lifecycle", 3))


def test_of_two_who_make_a_subjects_key_at_once_the_second_seals_again(
    log_server: LogServer, log_name: str, factory: RedisFactory
) -> None:
    """The second has sealed under a key of its own before the first one's is stored."""
    other = a_factory(log_server, log_name)
    mapper = EventMapper(other.codec)
    late = mapper.to_stored_event(corrected(2, "Port 8189"))
    assert late.sealed.new_key is not None
    event_store(factory).put([created()])

    other.application_recorder().insert_events([late])

    assert texts(event_store(factory)) == ["Port 8188", "Port 8189"]
    assert texts(event_store(other)) == ["Port 8188", "Port 8189"]
    stored = factory.log.subject_keys(["memory:m1"])["memory:m1"]
    assert stored != late.sealed.new_key
    other.close()


def test_a_refused_append_leaves_no_key_behind_that_nobody_stored(factory: RedisFactory) -> None:
    store = event_store(factory)
    with pytest.raises(Conflict):
        store.put([corrected(7, "never stored", "m2")])
    assert factory.log.subject_keys(["memory:m2"]) == {}
    store.put([created("m2")])
    assert texts(store, "m2") == ["Port 8188"]


def test_our_events_and_the_librarys_own_do_not_mix_in_one_append(factory: RedisFactory) -> None:
    ours = EventMapper(factory.codec).to_stored_event(created())
    with pytest.raises(TypeError, match="one append"):
        factory.application_recorder().insert_events([ours, StoredEvent("x", 1, "t", b"{}")])


def test_an_unknown_word_given_to_save_is_refused(factory: RedisFactory) -> None:
    with pytest.raises(TypeError, match="comand_id"):
        event_store(factory).put([created()], comand_id="misspelt")


@pytest.mark.parametrize(
    ("environment", "message"),
    [({}, "REDIS_URL"), ({"REDIS_URL": "unix:///x", "ORIGINATOR_ID_TYPE": "int"}, "'int'")],
)
def test_a_wrong_environment_is_refused_by_name(environment: dict[str, str], message: str) -> None:
    with pytest.raises(OSError, match=message):
        RedisFactory(environment)
