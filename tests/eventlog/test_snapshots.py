"""Snapshots are a cache: right, or not there; never in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eventlog.redis_log import RedisLog
from eventlog.snapshots import KEPT, Snapshot, Snapshots
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer


@pytest.fixture
def filled(log: RedisLog) -> RedisLog:
    log.append([an_entry("a", version) for version in range(1, 11)], **new_command())
    return log


def a_snapshot(version: int, state: bytes = b"state") -> Snapshot:
    return Snapshot("a", version, "Memory", state)


def versions(snapshots: Snapshots) -> list[int]:
    return [snapshot.version for snapshot in snapshots.select("a")]


def test_a_snapshot_comes_back_as_it_was(filled: RedisLog) -> None:
    snapshots = Snapshots(filled, "1")
    snapshot = a_snapshot(5, bytes(range(256)))
    snapshots.put(snapshot)
    assert snapshots.select("a") == [snapshot]
    assert snapshots.select("b") == []


def test_only_the_newest_are_kept_whatever_their_order(filled: RedisLog) -> None:
    snapshots = Snapshots(filled, "1")
    for version in (9, 2, 10, 5):
        snapshots.put(a_snapshot(version))
    assert KEPT == 2
    assert versions(snapshots) == [9, 10]


def test_what_another_version_of_the_code_wrote_is_ignored(filled: RedisLog) -> None:
    Snapshots(filled, "1").put(a_snapshot(5))
    later = Snapshots(filled, "2")
    assert versions(later) == []
    later.put(a_snapshot(5))
    assert versions(later) == [5]
    assert versions(Snapshots(filled, "1")) == []


def test_snapshots_may_be_deleted_at_any_time(log_server: LogServer, filled: RedisLog) -> None:
    snapshots = Snapshots(filled, "1")
    snapshots.put(a_snapshot(5))
    with log_server.client() as client:
        client.delete(filled.keys.snapshots("a"))
    assert versions(snapshots) == []


def cut(raw: bytes) -> bytes:
    return raw[:-1]


def flip_last_bit(raw: bytes) -> bytes:
    return raw[:-1] + bytes([raw[-1] ^ 1])


def flip_a_bit_of_the_state(raw: bytes) -> bytes:
    assert b"state" in raw
    return raw.replace(b"state", b"stbte")


def another_event(raw: bytes) -> bytes:
    return b"00000000" + raw[8:]


def without_the_event(raw: bytes) -> bytes:
    return raw.partition(b"\n")[2]


def empty(_: bytes) -> bytes:
    return b""


@pytest.mark.parametrize(
    "damage",
    [cut, flip_last_bit, flip_a_bit_of_the_state, another_event, without_the_event, empty],
)
def test_a_damaged_snapshot_counts_as_none_and_the_one_before_still_helps(
    log_server: LogServer, filled: RedisLog, damage: Callable[[bytes], bytes]
) -> None:
    snapshots = Snapshots(filled, "1")
    snapshots.put(a_snapshot(4))
    snapshots.put(a_snapshot(8))
    with log_server.client() as client:
        key = filled.keys.snapshots("a")
        client.hset(key, "8", damage(client.hget(key, "8")))
    assert versions(snapshots) == [4]


def test_a_snapshot_moved_to_another_version_counts_as_none(
    log_server: LogServer, filled: RedisLog
) -> None:
    snapshots = Snapshots(filled, "1")
    snapshots.put(a_snapshot(4))
    snapshots.put(a_snapshot(8))
    with log_server.client() as client:
        key = filled.keys.snapshots("a")
        own_event, _ = client.hget(key, "8").split(b"\n", 1)
        _, other = client.hget(key, "4").split(b"\n", 1)
        client.hset(key, "8", own_event + b"\n" + other)
    assert versions(snapshots) == [4]


@pytest.mark.parametrize("put", ["field", "type"])
def test_foreign_things_in_their_place_do_no_harm(
    log_server: LogServer, filled: RedisLog, put: str
) -> None:
    snapshots = Snapshots(filled, "1")
    with log_server.client() as client:
        if put == "field":
            client.hset(filled.keys.snapshots("a"), "not a version", b"anything")
        else:
            client.set(filled.keys.snapshots("a"), b"anything")
    assert versions(snapshots) == []


def test_a_snapshot_of_an_event_that_the_log_does_not_hold_is_not_kept(filled: RedisLog) -> None:
    snapshots = Snapshots(filled, "1")
    snapshots.put(a_snapshot(11))
    assert versions(snapshots) == []


def test_after_a_restore_snapshots_of_lost_or_other_events_are_ignored(
    log_server: LogServer, filled: RedisLog
) -> None:
    """The log is put back to version 6, then another event 7 is appended (F15)."""
    snapshots = Snapshots(filled, "1")
    snapshots.put(a_snapshot(6))
    snapshots.put(a_snapshot(7))
    with log_server.client() as client:
        client.copy(filled.keys.snapshots("a"), "kept")
        client.delete(*client.keys(f"{{mw:{filled.name}}}:*"))
        filled.follow("")
        filled.append([an_entry("a", version) for version in range(1, 7)], **new_command())
        client.rename("kept", filled.keys.snapshots("a"))
        assert versions(snapshots) == []
        snapshots.put(a_snapshot(6))
        assert versions(snapshots) == [6]
        filled.append([an_entry("a", 7)], **new_command())
    assert versions(snapshots) == [6]
