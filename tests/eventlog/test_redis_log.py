import uuid

import pytest

from eventlog.entry import RawEntry
from eventlog.outcomes import Appended, Conflict, Duplicate
from eventlog.redis_log import Head, RedisLog
from tests.eventlog.entries import an_entry, new_command


def test_events_get_the_positions_1_2_3(log: RedisLog) -> None:
    first = log.append([an_entry("a", 1), an_entry("a", 2)], **new_command())
    second = log.append([an_entry("b", 1)], **new_command())

    assert first == Appended(1, 2)
    assert second == Appended(3, 3)
    assert [entry.position for entry in log.read(1)] == [1, 2, 3]


def test_an_event_comes_back_as_it_was_appended(log: RedisLog) -> None:
    entry = RawEntry(
        position=0,
        event_id=str(uuid.uuid4()),
        aggregate_type="Memory",
        aggregate_id="m1",
        version=1,
        type="MemoryCreated",
        schema=1,
        occurred_at_us=1_700_000_000_123_456,
        command_id="",
        fingerprint="",
        actor="hermes",
        correlation_id="织忆",
        causation_position=17,
        body=b'{"content":"\x00\xff"}',
    )
    command = new_command()
    log.append([entry], **command)

    (read,) = log.read_aggregate("m1")
    assert read == log.read(1)[0]
    assert read.command_id == command["command_id"]
    assert read.fingerprint == command["fingerprint"]
    for name in RawEntry.__struct_fields__:
        if name not in ("position", "command_id", "fingerprint"):
            assert getattr(read, name) == getattr(entry, name), name


def test_an_aggregate_is_read_within_bounds(log: RedisLog) -> None:
    log.append([an_entry("a", version) for version in range(1, 6)], **new_command())

    def versions(*args: int, **kwargs: object) -> list[int]:
        return [e.version for e in log.read_aggregate("a", *args, **kwargs)]  # type: ignore[arg-type]

    assert versions() == [1, 2, 3, 4, 5]
    assert versions(2) == [3, 4, 5]
    assert versions(1, up_to_version=3) == [2, 3]
    assert versions(limit=2) == [1, 2]
    assert versions(newest_first=True, limit=1) == [5]
    assert log.read_aggregate("nobody") == []


def test_a_range_of_the_log_is_read(log: RedisLog) -> None:
    log.append([an_entry("a", version) for version in range(1, 6)], **new_command())

    assert [e.position for e in log.read(2, 4)] == [2, 3, 4]
    assert [e.position for e in log.read(2, limit=2)] == [2, 3]
    assert log.read(6) == []


def test_the_head_names_the_newest_event_and_the_epoch(log: RedisLog) -> None:
    assert log.head() == Head(0, "", "")
    entry = an_entry("a", 1)
    log.append([entry], **new_command())

    head = log.head()
    assert (head.position, head.event_id) == (1, entry.event_id)
    assert len(head.epoch) == 32
    log.append([an_entry("a", 2)], **new_command())
    assert log.head().epoch == head.epoch


def test_a_repeated_command_is_a_duplicate_at_the_first_positions(log: RedisLog) -> None:
    command = new_command()
    log.append([an_entry("a", 1), an_entry("a", 2)], **command)
    log.append([an_entry("a", 3)], **new_command())

    assert log.append([an_entry("a", 1), an_entry("a", 2)], **command) == Duplicate(1, 2)
    assert log.find_duplicate(**command) == Duplicate(1, 2)
    assert log.head().position == 3


def test_a_stale_version_is_a_conflict_and_writes_nothing(log: RedisLog) -> None:
    log.append([an_entry("a", 1)], **new_command())
    command = new_command()

    with pytest.raises(Conflict) as conflict:
        log.append([an_entry("b", 1), an_entry("a", 1)], **command)

    assert (conflict.value.aggregate_id, conflict.value.expected, conflict.value.actual) == (
        "a",
        0,
        1,
    )
    assert log.head().position == 1
    assert log.read_aggregate("b") == []
    assert log.find_duplicate(**command) is None


def test_sealing_keys_are_stored_with_the_events(log: RedisLog) -> None:
    keys = {f"memory:{n}": bytes([n]) * 32 for n in range(20)}
    log.append([an_entry("a", 1)], **new_command(), subject_keys=keys)

    assert log.subject_keys([*keys, "memory:unknown"]) == keys
    assert log.subject_keys([]) == {}
