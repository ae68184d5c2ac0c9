"""What somebody else put into the stream is told apart, and stops nobody."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from eventlog.codec import Codec, Undecodable
from eventlog.entry import FIELDS, entry_from
from eventlog.keys import BUCKETS, Keys, commands_expire_at, key_field
from eventlog.outcomes import Appended
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer

GOOD = {
    "e": "id",
    "k": "Memory",
    "a": "m1",
    "n": "1",
    "t": "MemoryRestored",
    "s": "1",
    "o": "1700000000000000",
    "c": "c",
    "f": "f",
    "u": "owner",
    "r": "",
    "p": "",
    "d": '{"agent_id":"owner"}',
}


def flat(fields: dict[str, object]) -> list[bytes]:
    return [
        part if isinstance(part, bytes) else str(part).encode()
        for pair in fields.items()
        for part in pair
    ]


def test_the_fields_are_these_in_this_order() -> None:
    assert FIELDS == (b"e", b"k", b"a", b"n", b"t", b"s", b"o", b"c", b"f", b"u", b"r", b"p", b"d")


def test_a_well_formed_entry_is_read() -> None:
    entry = entry_from(7, flat(GOOD))
    assert not entry.malformed
    assert (entry.position, entry.aggregate_id, entry.version, entry.causation_position) == (
        7,
        "m1",
        1,
        None,
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"foo": "bar"},
        {name: value for name, value in GOOD.items() if name != "d"},
        GOOD | {"extra": "field"},
        dict(reversed(GOOD.items())),
        GOOD | {"n": "one"},
        GOOD | {"s": ""},
        GOOD | {"p": "x"},
        GOOD | {"u": b"\xff\xfe"},
    ],
    ids=[
        "nothing",
        "foreign",
        "a field short",
        "a field more",
        "another order",
        "a version that is no number",
        "no schema",
        "a cause that is no number",
        "an actor that is no text",
    ],
)
def test_a_malformed_entry_is_undecodable_and_keeps_its_aggregate(
    fields: dict[str, object],
) -> None:
    entry = entry_from(7, flat(fields))
    assert entry.malformed
    assert entry.position == 7
    assert entry.aggregate_id == fields.get("a", "")
    with pytest.raises(Undecodable):
        Codec(KeyRing(lambda _: {})).open(entry)


def test_a_foreign_entry_in_the_stream_stops_neither_writers_nor_readers(
    log_server: LogServer, log: RedisLog
) -> None:
    log.append([an_entry("a", 1)], **new_command())
    with log_server.client() as client:
        client.xadd(log.keys.stream, {"foo": b"\xff"}, id="2-0")
    assert log.append([an_entry("a", 2)], **new_command()) == Appended(3, 3)

    assert [bool(e.malformed) for e in log.read(1)] == [False, True, False]
    with Subscription(log.url, log.name, Checkpoint()) as subscription:
        assert [e.position for e in subscription.read(limit=2)] == [1, 2]
        checkpoint = subscription.checkpoint
    # Its id, or that it has none, holds for the checkpoint like any other.
    with Subscription(log.url, log.name, checkpoint) as subscription:
        assert [e.position for e in subscription.read()] == [3]


def test_all_keys_of_a_log_lie_in_one_slot_of_a_cluster() -> None:
    keys = Keys("tenant-1")
    for key in (
        keys.stream,
        keys.meta,
        keys.tracking,
        keys.aggregate("a"),
        keys.commands("00000000-0000-5000-8000-000000000000"),
        keys.lease("l"),
        keys.snapshots("a"),
        keys.sealing_keys(key_field("memory:m")),
    ):
        assert key.startswith("{mw:tenant-1}:")


def test_sealing_keys_are_spread_over_all_buckets() -> None:
    keys = Keys("main")
    names = Counter(keys.sealing_keys(key_field(f"memory:{n}")) for n in range(200_000))
    assert len(names) == BUCKETS
    assert max(names.values()) < 50
    # By hand: the SHA-256 of "memory:1" begins with these bytes.
    assert key_field("memory:1").hex() == hashlib.sha256(b"memory:1").hexdigest()[:32]
    assert keys.sealing_keys(bytes.fromhex("ff01" + 14 * "00")) == "{mw:main}:keys:3f01"


@pytest.mark.parametrize("name", ["", "a b", "a}b", "a:b", "a*"])
def test_a_log_name_that_would_break_its_keys_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="log name"):
        Keys(name)


def test_the_record_of_a_command_is_kept_by_the_day_in_its_id() -> None:
    keys = Keys("main")
    # 2026-05-10T23:59:59.999Z
    timed = "019e1455-5fff-7000-8000-000000000000"
    text = "00000000-0000-5000-8000-000000000000"
    assert keys.commands(timed) == "{mw:main}:cmd:20260510"
    assert commands_expire_at(timed) == 1778457600 + 32 * 86400
    assert keys.commands(text) == "{mw:main}:cmd:text"
    assert commands_expire_at(text) is None
