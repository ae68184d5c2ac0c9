"""Writers that remember what they were told, and an oracle that holds it against the log.

The oracle reads the server's keys itself, by other code than the log's own, and compares events by
identity, never by count: the invariants are those of the fault catalogue,

I1  every acknowledged event is at its position with its id
I2  positions are 1..head without a gap
I3  no append is there in part
I4  a command in doubt, repeated, is there exactly once
"""

from __future__ import annotations

import random
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import redis

from domain.errors import LogUnavailable
from eventlog.entry import RawEntry
from eventlog.outcomes import Appended, Conflict, Duplicate, InDoubt
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import an_entry

SHARED_AGGREGATE = "shared-by-all-writers"


@dataclass(frozen=True)
class Attempt:
    """One command as it was sent."""

    command_id: str
    fingerprint: str
    entries: tuple[RawEntry, ...]

    @property
    def event_ids(self) -> list[str]:
        return [entry.event_id for entry in self.entries]


@dataclass
class Ledger:
    """What writers attempted and what they were told. Thread-safe."""

    attempts: dict[str, Attempt] = field(default_factory=dict)
    acknowledged: dict[str, tuple[int, int]] = field(default_factory=dict)
    in_doubt: list[Attempt] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def sent(self, attempt: Attempt) -> None:
        with self.lock:
            self.attempts[attempt.command_id] = attempt

    def told(self, attempt: Attempt, outcome: Appended | Duplicate) -> None:
        with self.lock:
            self._settle(attempt)
            self.acknowledged[attempt.command_id] = (outcome.first, outcome.last)

    def refused(self, attempt: Attempt) -> None:
        """A version was taken by another writer: then it was never stored, nor will it be."""
        with self.lock:
            self._settle(attempt)
            del self.attempts[attempt.command_id]

    def doubted(self, attempt: Attempt) -> None:
        with self.lock:
            self._settle(attempt)
            self.in_doubt.append(attempt)

    def _settle(self, attempt: Attempt) -> None:
        self.in_doubt = [a for a in self.in_doubt if a.command_id != attempt.command_id]

    def acknowledged_events(self) -> dict[int, str]:
        """Event ids by position, of all that was acknowledged."""
        with self.lock:
            return {
                position: event_id
                for command_id, (first, last) in self.acknowledged.items()
                for position, event_id in zip(
                    range(first, last + 1), self.attempts[command_id].event_ids, strict=True
                )
            }


def new_attempt(*versions: tuple[str, int]) -> Attempt:
    """A command of one event per aggregate and version."""
    return Attempt(
        str(uuid.uuid4()),
        uuid.uuid4().hex,
        tuple(an_entry(aggregate, version, uuid.uuid4().bytes) for aggregate, version in versions),
    )


def send(log: RedisLog, ledger: Ledger, attempt: Attempt) -> Appended | Duplicate:
    """Append and write down the answer. Raises what the append raises, after writing it down."""
    ledger.sent(attempt)
    try:
        outcome = log.append(
            attempt.entries, command_id=attempt.command_id, fingerprint=attempt.fingerprint
        )
    except InDoubt:
        ledger.doubted(attempt)
        raise
    ledger.told(attempt, outcome)
    return outcome


@contextmanager
def writers(url: str, ledger: Ledger, count: int, seed: int) -> Iterator[threading.Event]:
    """``count`` threads that append batches of 1 to 5 events until the server is gone.

    Each writes its own aggregates, and one that all of them write. Set the event that is given
    right before the server goes: from then on a writer ends at its first answer that is not
    definite, before that it repeats its command. The context ends when all have.
    """
    going, stop = threading.Event(), threading.Event()
    failures: list[BaseException] = []
    threads = [
        threading.Thread(target=_write, args=(url, ledger, f"{seed}-{n}", going, stop, failures))
        for n in range(count)
    ]
    for thread in threads:
        thread.start()
    try:
        yield going
        assert going.is_set(), "the writers were not told that the server goes"
    except BaseException:
        stop.set()
        raise
    finally:
        for thread in threads:
            thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []


def _write(
    url: str,
    ledger: Ledger,
    name: str,
    going: threading.Event,
    stop: threading.Event,
    failures: list[BaseException],
) -> None:
    chance = random.Random(name)
    versions: dict[str, int] = {}
    try:
        with RedisLog(url, deadline_s=0.2) as log:
            attempt: Attempt | None = None
            while not stop.is_set():
                attempt = attempt or _next_attempt(chance, name, versions)
                try:
                    send(log, ledger, attempt)
                except Conflict as conflict:
                    ledger.refused(attempt)
                    versions[conflict.aggregate_id] = conflict.actual
                except (InDoubt, LogUnavailable):
                    if going.is_set():
                        return
                    # A busy machine: the same command again.
                    continue
                else:
                    versions.update((e.aggregate_id, e.version) for e in attempt.entries)
                attempt = None
    except BaseException as error:  # a thread has nobody to raise to
        failures.append(error)
        raise


def _next_attempt(chance: random.Random, name: str, versions: dict[str, int]) -> Attempt:
    own = f"{name}-{chance.randrange(20)}"
    start = versions.get(own, 0)
    batch = [(own, start + n) for n in range(1, chance.randint(1, 5) + 1)]
    if chance.random() < 0.2:
        batch.append((SHARED_AGGREGATE, versions.get(SHARED_AGGREGATE, 0) + 1))
    return new_attempt(*batch)


def settle_doubts(log: RedisLog, ledger: Ledger) -> None:
    """Repeat every command in doubt until it is acknowledged."""
    for attempt in list(ledger.in_doubt):
        try:
            send(log, ledger, attempt)
        except Conflict:
            ledger.refused(attempt)


def stored_events(
    client: redis.Redis, log_name: str = "main"
) -> list[tuple[int, dict[bytes, bytes]]]:
    """Position and fields of every entry of the stream, in its order."""
    entries = client.xrange(f"{{mw:{log_name}}}:log")
    return [(int(entry_id.split(b"-")[0]), fields) for entry_id, fields in entries]


def lost_events(client: redis.Redis, ledger: Ledger) -> dict[int, str]:
    """Acknowledged events that are not at their position with their id (I1)."""
    stored = {position: fields[b"e"].decode() for position, fields in stored_events(client)}
    return {
        position: event_id
        for position, event_id in ledger.acknowledged_events().items()
        if stored.get(position) != event_id
    }


def assert_invariants(client: redis.Redis, ledger: Ledger) -> None:
    """Assert I1 to I4 and that the indices say what the stream says."""
    stored = stored_events(client)
    lost = lost_events(client, ledger)
    assert not lost, f"acknowledged and lost: {lost}"
    positions = [position for position, _ in stored]
    assert positions == list(range(1, len(stored) + 1)), f"a gap in {positions}"
    _assert_whole_commands(stored, ledger)
    _assert_indices(client, stored)


def _assert_whole_commands(
    stored: Sequence[tuple[int, dict[bytes, bytes]]], ledger: Ledger
) -> None:
    by_command: dict[str, list[tuple[int, str]]] = {}
    for position, fields in stored:
        by_command.setdefault(fields[b"c"].decode(), []).append((position, fields[b"e"].decode()))
    for command_id, events in by_command.items():
        whole = [event_id for _, event_id in events] == ledger.attempts[command_id].event_ids
        assert whole, f"command {command_id} is there in part: {events}"
        positions = [position for position, _ in events]
        assert positions == list(range(positions[0], positions[0] + len(positions)))
    assert set(ledger.acknowledged) <= set(by_command)


def _assert_indices(client: redis.Redis, stored: Sequence[tuple[int, dict[bytes, bytes]]]) -> None:
    expected: dict[str, dict[int, int]] = {}
    for position, fields in stored:
        versions = expected.setdefault(fields[b"a"].decode(), {})
        assert int(fields[b"n"]) == len(versions) + 1, "an aggregate's versions rise by one"
        versions[int(fields[b"n"])] = position
    found = {}
    for key in client.scan_iter(match="{mw:main}:agg:*", count=1000):
        members = client.zrange(key, 0, -1, withscores=True)
        found[key.decode().rsplit(":", 1)[1]] = {int(score): int(m) for m, score in members}
    assert found == expected, "an index does not say what the stream says"
