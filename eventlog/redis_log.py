"""The log in a Redis or Valkey server: one stream, positions 1, 2, 3, … without gaps.

Everything is synchronous and thread-safe; run it in threads under asyncio.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from msgspec import Struct
from redis.exceptions import ResponseError

from domain.errors import KeyReused, LogUnavailable
from eventlog.append import (
    Appending,
    AppendRequest,
    Fence,
    Followed,
    SealingKeys,
    Tracked,
    VersionRule,
    build_request,
    followed_after,
    outcome_of,
    require_age_allowed,
)
from eventlog.archive.reader import Archive
from eventlog.connection import Argument, Connections
from eventlog.durability import LogWatch, find_shortfalls
from eventlog.entry import RawEntry, contiguous, entry_from, position_of
from eventlog.keys import BUCKETS, Keys, key_field
from eventlog.outcomes import Appended, Duplicate, LogGap
from eventlog.repeating import until_answered, until_definite
from eventlog.scripts import APPEND, HEAD, PUT_SNAPSHOT, READ_AGGREGATE, READ_SNAPSHOTS, Script

T = TypeVar("T")

_BUCKETS_AT_ONCE: Final = 256
_KEYS_AT_ONCE: Final = 1_000


class Head(Struct, frozen=True):
    """The newest position, its event's id, and the epoch of the log ("" and 0 when empty)."""

    position: int
    event_id: str
    epoch: str


class _Indexed(Struct, frozen=True):
    """What the index of an aggregate gave. ``thinned``: it does not know every version any more."""

    floor: int
    last_version: int
    thinned: bool
    found: list[Any]


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _random_epoch() -> str:
    return os.urandom(16).hex()


class RedisLog:
    """One log. ``url`` names the server, ``name`` the log in it.

    ``deadline_s`` bounds every call, repeats included; ``attempt_timeout_s`` bounds the wait for
    one answer, so that a call may outlast its deadline by so much. ``new_epoch`` names a log that
    is written for the first time. ``archive`` holds what was trimmed; without it, reading that is
    a `LogGap`. With ``watched`` nothing is appended while the server, by its settings now, could
    lose it; whoever allows such a server leaves that out.
    """

    def __init__(
        self,
        url: str,
        name: str = "main",
        *,
        clock: Callable[[], datetime] = _utc_now,
        deadline_s: float = 5.0,
        attempt_timeout_s: float = 2.0,
        new_epoch: Callable[[], str] = _random_epoch,
        archive: Archive | None = None,
        watched: bool = False,
    ) -> None:
        self.url = url
        self.name = name
        self.archive = archive
        self.keys = Keys(name)
        self._clock = clock
        self._deadline_s = deadline_s
        self._new_epoch = new_epoch
        self._followed = Followed()
        self._following = Lock()
        self._server = Connections.to(url, timeout_s=min(attempt_timeout_s, deadline_s))
        self._watch = LogWatch(self._server) if watched else None

    def follow(self, epoch: str, decided: str = "") -> None:
        """Append to the log of this epoch only; "" means: to whatever log is there first.

        From then on an append elsewhere, or to a log that ends before what it has acknowledged
        here, is a `LogFork`. Who has decided that a log which lost events is right all the same
        gives that decision a name: by a new one what was acknowledged before counts no more.
        """
        with self._following:
            if (epoch, decided) != (self._followed.epoch, self._followed.decided):
                self._followed = Followed(epoch, decided=decided)

    def append(
        self,
        entries: Sequence[RawEntry],
        *,
        command_id: str,
        fingerprint: str,
        fence: Fence | None = None,
        subject_keys: Mapping[str, bytes] | None = None,
        held_keys: Mapping[str, bytes] | None = None,
        destroyed_keys: Sequence[str] = (),
        erased_keys: Sequence[str] = (),
        named_subjects: Sequence[str] = (),
        tracking: Tracked | None = None,
        rule: VersionRule = "next",
        unchanged: Mapping[str, int] | None = None,
    ) -> Appended | Duplicate:
        """Store the events of one command, all or none, and say at which positions they are.

        ``command_id`` (a UUID) and ``fingerprint`` make a repeat recognisable; they go into every
        entry. ``subject_keys`` are new sealing keys, stored with the events; ``held_keys`` are
        those that texts of this append were sealed under and that must be stored already;
        the keys of the subjects in ``destroyed_keys`` and ``erased_keys`` end with this append, and
        the latter never have one again. An append that tells of the subjects in ``named_subjects``
        is `Erased` once one of them was erased. ``unchanged`` names
        aggregates that the decision rests on but does not change, each with the version read (0:
        none): the append is a `Conflict` if one has another now. Repeats by itself,
        with the same command id, until the answer is definite or the deadline has passed.

        Raises Conflict, KeyReused, CommandTooOld, Erased, Fenced, LogFull, TooLarge, KeyMismatch,
        TrackingConflict, LogFork (see `follow`): nothing was written. LogUnavailable: nothing was
        written, the log cannot be reached or would not keep it. InDoubt: the deadline passed and
        nobody knows; repeat with the same id.
        ValueError: there is nothing to append.
        """
        return self.append_prepared(
            self.prepare(
                Appending(
                    entries=entries,
                    command_id=command_id,
                    fingerprint=fingerprint,
                    fence=fence,
                    sealing=SealingKeys(
                        subject_keys or {},
                        held_keys or {},
                        destroyed_keys,
                        erased_keys,
                        named_subjects,
                    ),
                    tracked=tracking,
                    rule=rule,
                    unchanged=unchanged or {},
                )
            )
        )

    def prepare(self, appending: Appending) -> AppendRequest:
        """Lay out an append. Raises CommandTooOld, TooLarge, ValueError."""
        require_age_allowed(appending.command_id, self._clock())
        return build_request(
            self.keys, appending, new_epoch=self._new_epoch(), followed=self._followed
        )

    def append_prepared(self, request: AppendRequest) -> Appended | Duplicate:
        """Store the events of one command as `append` does."""
        self._require_kept()
        return self._outcome(request, lambda: self._sent(request))

    def append_each(
        self, requests: Sequence[AppendRequest]
    ) -> list[Callable[[], Appended | Duplicate]]:
        """Store the events of several commands in one round trip, in this order.

        Each is all or none by itself, whatever becomes of the others, so none may rest on what
        another one changes. What is given tells of each, when it is called, what `append` gives or
        raises; what has no definite answer yet is then repeated by itself. Raises LogUnavailable
        where the server would not keep them: nothing was written.
        """
        self._require_kept()
        replies = self._server.call_script_each(APPEND, [(r.keys, r.arguments) for r in requests])
        for reply in replies:
            self._learn(reply)
        return [
            partial(self._outcome, request, _first(reply, partial(self._sent, request)))
            for request, reply in zip(requests, replies, strict=True)
        ]

    def _outcome(self, request: AppendRequest, ask: Callable[[], Any]) -> Appended | Duplicate:
        return until_definite(
            lambda: outcome_of(ask(), request),
            lambda: self.find_duplicate(request.command_id, request.fingerprint),
            command_id=request.command_id,
            deadline_s=self._deadline_s,
        )

    def _sent(self, request: AppendRequest) -> Any:
        reply = self._server.call_script(APPEND, request.keys, request.arguments)
        self._learn(reply)
        return reply

    def _learn(self, reply: Any) -> None:
        if not isinstance(reply, Exception):
            with self._following:
                self._followed = followed_after(reply, self._followed)

    def _require_kept(self) -> None:
        if self._watch is not None:
            self._watch.require_kept()

    def find_duplicate(self, command_id: str, fingerprint: str) -> Duplicate | None:
        """Tell where a command was stored, if it was. Raises `KeyReused` for another request.

        For a handler whose decision refuses a command that may be a repeat of its own success.
        """
        record = self._repeat(
            lambda: self._server.call("HGET", self.keys.commands(command_id), command_id)
        )
        if record is None:
            return None
        first, count, recorded = record.decode().split(":", 2)
        if recorded != fingerprint:
            raise KeyReused(f"command {command_id} was stored with another request: use a new key")
        return Duplicate(int(first), int(first) + int(count) - 1)

    def read_aggregate(
        self,
        aggregate_id: str,
        after_version: int = 0,
        *,
        up_to_version: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> list[RawEntry]:
        """Read an aggregate's events by version, in one round trip; [] when there is none.

        What was trimmed comes from the archive.
        """
        indexed = self._read_index(
            aggregate_id,
            after_version,
            "+inf" if up_to_version is None else up_to_version,
            -1 if limit is None else limit,
            "desc" if newest_first else "asc",
        )
        if not indexed.thinned:
            return [self._at(found, indexed.floor) for found in indexed.found]
        last = indexed.last_version if up_to_version is None else up_to_version
        wanted = range(after_version + 1, min(last, indexed.last_version) + 1)
        versions = list(wanted[::-1] if newest_first else wanted)[:limit]
        if [version for version, _, _ in indexed.found] == versions:
            return [self._at(found, indexed.floor) for found in indexed.found]
        whole = self._read_whole_aggregate(aggregate_id)
        chosen = [entry for entry in whole if entry.version in wanted]
        return (chosen[::-1] if newest_first else chosen)[:limit]

    def read(self, first: int, last: int | None = None, limit: int = 500) -> list[RawEntry]:
        """Read the events at ``first`` and after, in order; [] at the end of the log.

        ``last`` is included. What was trimmed comes from the archive. Raises `LogGap` when a
        position is missing.
        """
        raw = self._range(first, last, limit)
        if self.archive is None or (raw and position_of(raw[0][0]) <= first):
            return contiguous(raw, first)
        floor = self.floor()
        if first >= floor:
            return contiguous(raw, first)
        end = min(floor - 1, first + limit - 1) if last is None else min(floor - 1, last)
        entries: list[RawEntry] = []
        while len(entries) < limit and first <= end:
            entries += self._cold(first, min(end, first + limit - len(entries) - 1))
            first = entries[-1].position + 1
        if len(entries) < limit and (last is None or first <= last):
            entries += contiguous(self._range(first, last, limit - len(entries)), first)
        return entries

    def floor(self) -> int:
        """Give the first position that was not trimmed; 1 while nothing was."""
        stored = self._repeat(lambda: self._server.call("HGET", self.keys.meta, "floor"))
        return 1 if stored is None else int(stored)

    def head(self) -> Head:
        """Say where the log ends and which log it is."""
        position, event_id, epoch, *_ = self._repeat(
            lambda: self._server.call_script(HEAD, [self.keys.stream, self.keys.meta], [""])
        )
        return Head(position, event_id.decode(errors="replace"), epoch.decode())

    def memory_ratio(self) -> float | None:
        """Give how much of the memory it may use the log's server uses, 1 when it is full.

        The whole machine's memory counts where no limit is set. None where the server does not
        say: this user may not ask it.
        """
        try:
            info = self._repeat(lambda: self._server.call("INFO", "memory"))
        except ResponseError:
            return None
        said = dict(line.split(b":", 1) for line in info.splitlines() if b":" in line)
        limit = int(said.get(b"maxmemory", 0)) or int(said.get(b"total_system_memory", 0))
        return int(said[b"used_memory"]) / limit if limit else None

    def shortfalls(self) -> list[str]:
        """Say why the log's server could lose an acknowledged event now; [] if it could not."""
        return self._repeat(lambda: find_shortfalls(self._server))

    def subject_keys(self, subjects: Iterable[str]) -> dict[str, bytes]:
        """Give the sealing keys of those subjects that have one, in one round trip.

        What was erased has an empty one, and is left out.
        """
        wanted = list(dict.fromkeys(subjects))
        if not wanted:
            return {}
        fields = [key_field(subject) for subject in wanted]
        stored = self.call_many([("HGET", self.keys.sealing_keys(f), f) for f in fields])
        return {s: key for s, key in zip(wanted, stored, strict=True) if key}

    def all_subject_keys(self) -> Iterator[tuple[bytes, bytes]]:
        """Give every sealing key with the `key_field` of its subject, for a backup.

        The key of a subject that was erased is empty; it must come back with a restore.
        Keys that are made or destroyed meanwhile may be among them or not. Raises
        `LogUnavailable`.
        """
        for first in range(0, BUCKETS, _BUCKETS_AT_ONCE):
            numbers = range(first, min(BUCKETS, first + _BUCKETS_AT_ONCE))
            for flat in self.call_many(
                [("HGETALL", self.keys.sealing_key_bucket(n)) for n in numbers]
            ):
                yield from zip(flat[::2], flat[1::2], strict=True)

    def put_subject_keys(self, keys: Iterable[tuple[bytes, bytes]]) -> None:
        """Store sealing keys as `all_subject_keys` gave them, for a restore.

        A key that is there stays as it is. Raises `LogUnavailable`, `LogFull`.
        """
        left = iter(keys)
        while part := list(islice(left, _KEYS_AT_ONCE)):
            self.call_many([("HSETNX", self.keys.sealing_keys(f), f, key) for f, key in part])

    def tracked_position(self, upstream: str) -> int | None:
        """Give the position of another log up to which this one takes account of it."""
        stored = self._repeat(lambda: self._server.call("HGET", self.keys.tracking, upstream))
        return None if stored is None else int(stored)

    def put_snapshot(self, aggregate_id: str, version: int, snapshot: bytes, keep: int) -> bool:
        """Keep a snapshot's bytes, and of the older ones the newest, ``keep`` in all.

        False, and nothing is kept, if the log does not hold the event with that version.
        """
        keys = self._snapshot_keys(aggregate_id)
        arguments: list[Argument] = [version, snapshot, keep]
        return bool(self._repeat(lambda: self._server.call_script(PUT_SNAPSHOT, keys, arguments)))

    def snapshots(self, aggregate_id: str) -> dict[int, bytes]:
        """Give the kept snapshots of an aggregate by version, in one round trip.

        One is left out if the log does not hold the very event that it was taken after.
        """
        keys = [*self._snapshot_keys(aggregate_id), self.keys.meta]
        pairs = self._repeat(lambda: self._server.call_script(READ_SNAPSHOTS, keys, []))
        return {int(version): snapshot for version, snapshot in pairs}

    def run_many(
        self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[Argument]]]
    ) -> list[Any]:
        """Run a script that only reads several times, in one round trip, as `run` does once."""
        return self._repeat(lambda: self._server.call_scripts(script, calls))

    def run(self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """Run a script that does no harm when it is run twice; raises `LogUnavailable`, `LogFull`.

        For what belongs to the log and not to reading and appending: leases, trimming, readers.
        """
        return self._repeat(lambda: self._server.call_script(script, keys, arguments))

    def call(self, *command: Argument) -> Any:
        """Send a command that does no harm when it is sent twice, as `run` does."""
        return self._repeat(lambda: self._server.call(*command))

    def call_many(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send several commands that do no harm when they are sent twice, in one round trip."""
        return self._repeat(lambda: self._server.call_many(commands))

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _snapshot_keys(self, aggregate_id: str) -> list[str]:
        return [
            self.keys.snapshots(aggregate_id),
            self.keys.aggregate(aggregate_id),
            self.keys.stream,
        ]

    def _range(self, first: int, last: int | None, limit: int) -> list[Any]:
        end = "+" if last is None else f"{last}-0"
        raw: list[Any] = self._repeat(
            lambda: self._server.call("XRANGE", self.keys.stream, f"{first}-0", end, "COUNT", limit)
        )
        return raw

    def _cold(self, first: int, last: int) -> list[RawEntry]:
        assert self.archive is not None
        try:
            return self.archive.read(first, last)
        except OSError as error:
            raise LogUnavailable(f"the archive does not answer: {error}") from error

    def _read_index(self, aggregate_id: str, *arguments: Argument) -> _Indexed:
        keys = [self.keys.aggregate(aggregate_id), self.keys.stream, self.keys.meta]
        floor, last_version, count, *found = self._repeat(
            lambda: self._server.call_script(READ_AGGREGATE, keys, arguments)
        )
        return _Indexed(floor, last_version, floor > 1 and count < last_version, found)

    def _at(self, found: Sequence[Any], floor: int) -> RawEntry:
        _, position, fields = found
        if fields is not None:
            return entry_from(position, fields)
        if position >= floor or self.archive is None:
            raise LogGap(position, 0)
        return self._cold(position, position)[0]

    def _read_whole_aggregate(self, aggregate_id: str) -> list[RawEntry]:
        """Read an aggregate whose index was thinned: the archive knows what the index lacks."""
        indexed = self._read_index(aggregate_id, -1, "+inf", -1, "asc")
        if self.archive is None:
            raise LogGap(1, indexed.floor)
        try:
            cold = self.archive.of_aggregate(aggregate_id, indexed.floor)
        except OSError as error:
            raise LogUnavailable(f"the archive does not answer: {error}") from error
        hot = [self._at(found, 1) for found in indexed.found if found[1] >= indexed.floor]
        return [*cold, *hot]

    def _repeat(self, ask: Callable[[], T]) -> T:
        return until_answered(ask, deadline_s=self._deadline_s)


def _first(reply: Any, then: Callable[[], Any]) -> Callable[[], Any]:
    """Give a call that answers with ``reply``, which may be an error, and after that asks anew."""
    given = [reply]

    def ask() -> Any:
        if not given:
            return then()
        known = given.pop()
        if isinstance(known, Exception):
            raise known
        return known

    return ask
