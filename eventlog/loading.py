"""Putting a log back into an empty server, event by event, with their positions and ids.

What a running log grows by itself is grown again: the index of each aggregate, so that stale
versions are conflicts, and the records of commands, so that repeats are recognised. Snapshots come
anew with time. Until the end the log has no epoch, so nobody takes half of it for a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from domain.errors import MemoryWeaveError
from eventlog.connection import Argument
from eventlog.entry import RawEntry, fields_of
from eventlog.keys import Keys, commands_expire_at
from eventlog.lineage import Branch, encode_lineage
from eventlog.log_format import FORMAT
from eventlog.redis_log import RedisLog
from eventlog.scripts import LOAD

_AT_ONCE: Final = 500
_SCAN: Final = 1_000
_TOKENS_AHEAD: Final = 1_000_000
_PASSING: Final = ("lease:", "node:", "nodes", "readers")

Command = tuple[Argument, ...]


class LogNotEmpty(MemoryWeaveError):
    """There is something of a log already where one shall be put."""

    name = "log-not-empty"
    title = "The log is not empty"


class LogParts(Struct, frozen=True, kw_only=True):
    """A log's other parts. ``floor`` is the first position that goes into the server, not above the
    last one: the stream has to know where the log ends.

    ``floor_chain`` (hex) is the chain before it, ``tokens`` the last fencing token of each lease.
    """

    lineage: tuple[Branch, ...]
    floor: int
    floor_chain: str
    tokens: Mapping[str, int]


def make_room(log: RedisLog) -> None:
    """Raise `LogNotEmpty` if the server holds anything of this log.

    What a loading that was killed has left there is removed. Leases and reports of nodes that wait
    for the log do not count.
    """
    if _is_broken_off(log):
        for key in list(_keys_of(log)):
            log.call("UNLINK", key)
        return
    for key in _keys_of(log):
        name = key.removeprefix(log.keys.prefix)
        if not name.startswith(_PASSING) and (key != log.keys.meta or log.head().epoch):
            raise LogNotEmpty(
                f"the server has keys of the log {log.name!r} ({name}): restore into an empty one, "
                "or give the log another name"
            )


def load_log(
    log: RedisLog,
    parts: LogParts,
    entries: Iterable[RawEntry],
    keys: Iterable[tuple[bytes, bytes]],
    now: datetime,
) -> None:
    """Load ``entries``, which are the whole log from position 1 on, and its sealing keys.

    Entries before the floor stay in the archive; the server gets their indices and records.
    ``keys`` are as `RedisLog.all_subject_keys` gave them. Raises `LogNotEmpty`, `LogUnavailable`,
    `LogFull`; then the log has no epoch, and may be loaded anew.
    """
    make_room(log)
    mark = parts.lineage[-1].epoch
    log.call("HSET", log.keys.meta, "restoring", mark)
    log.put_subject_keys(keys)
    records = _CommandRecords(log.keys, now)
    for batch in _batches(entries):
        _store(log, mark, [entry for entry in batch if entry.position >= parts.floor])
        log.call_many([*_indexed(log.keys, batch), *records.of(batch)])
    log.call_many(records.rest())
    _finish(log, parts)


def _finish(log: RedisLog, parts: LogParts) -> None:
    meta: dict[str, Argument] = {
        "format": FORMAT,
        "lineage": encode_lineage(parts.lineage),
        # Whoever held a lease before holds none of these tokens.
        **{f"token:{name}": token + _TOKENS_AHEAD for name, token in parts.tokens.items()},
    }
    if parts.floor > 1:
        meta |= {"floor": parts.floor, "floor_chain": parts.floor_chain}
    flat = [part for pair in meta.items() for part in pair]
    log.call("HSET", log.keys.meta, *flat)
    # One command: with the epoch it is a log, and not one that is being loaded any more.
    log.call("HSET", log.keys.meta, "epoch", parts.lineage[-1].epoch, "restoring", "")


def is_being_loaded(log: RedisLog) -> bool:
    """Tell whether a loading has begun and not come to its end."""
    return bool(log.call("HGET", log.keys.meta, "restoring"))


def _is_broken_off(log: RedisLog) -> bool:
    return is_being_loaded(log) and not log.head().epoch


def _store(log: RedisLog, mark: str, entries: Sequence[RawEntry]) -> None:
    arguments: list[Argument] = [mark]
    for entry in entries:
        fields = fields_of(entry)
        arguments += [entry.position, len(fields), *fields]
    if entries and log.run(LOAD, [log.keys.stream, log.keys.meta], arguments) != len(entries):
        raise LogNotEmpty(f"somebody else writes the log {log.name!r} while it is being loaded")


def _indexed(keys: Keys, batch: Iterable[RawEntry]) -> Iterator[Command]:
    for entry in batch:
        if not entry.malformed:
            yield ("ZADD", keys.aggregate(entry.aggregate_id), entry.version, entry.position)


class _CommandRecords:
    """The records of commands, as their appends made them. An append's events follow one another.

    A record whose time has passed is not made: a key of that age is refused.
    """

    def __init__(self, keys: Keys, now: datetime) -> None:
        self._keys = keys
        self._now = now.timestamp()
        self._first = RawEntry(0, "", "", "", 0, "", 0, 0, "", "", "", "", None, b"")
        self._count = 0

    def of(self, batch: Iterable[RawEntry]) -> Iterator[Command]:
        """Give what is to be stored for the commands that ended before the end of ``batch``."""
        for entry in batch:
            if entry.malformed or entry.command_id != self._first.command_id or not self._count:
                yield from self.rest()
                self._first, self._count = entry, 0
            self._count += not entry.malformed

    def rest(self) -> list[Command]:
        """Give what is to be stored for the command that is not ended yet."""
        count, self._count = self._count, 0
        if not count:
            return []
        first, key = self._first, self._keys.commands(self._first.command_id)
        ends = commands_expire_at(first.command_id)
        if ends is not None and ends <= self._now:
            return []
        record = f"{first.position}:{count}:{first.fingerprint}"
        stored: list[Command] = [("HSET", key, first.command_id, record)]
        return stored if ends is None else [*stored, ("EXPIREAT", key, ends)]


def _keys_of(log: RedisLog) -> Iterator[str]:
    cursor = "0"
    while True:
        found, keys = log.call("SCAN", cursor, "MATCH", f"{log.keys.prefix}*", "COUNT", _SCAN)
        yield from (key.decode() for key in keys)
        cursor = found.decode()
        if cursor == "0":
            return


def _batches(entries: Iterable[RawEntry]) -> Iterator[list[RawEntry]]:
    batch: list[RawEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
