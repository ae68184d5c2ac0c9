"""Who reads this log and how far each has come: their checkpoints, in the log's own server.

Trimming waits for them, within limits, and their chains are evidence of what the log said when
they read it.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint


class Reader(Struct, frozen=True, kw_only=True):
    """One registered reader: its checkpoint, and when it last said so (µs since 1970, UTC)."""

    name: str
    checkpoint: Checkpoint
    seen_at_us: int

    def age_s(self, now: datetime) -> float:
        """Give the seconds since it was seen."""
        return now.timestamp() - self.seen_at_us / 1e6


class Readers:
    """The registered readers of one log. Raises `LogUnavailable`, `LogFull`."""

    def __init__(self, log: RedisLog) -> None:
        self._log = log

    def report(self, name: str, checkpoint: Checkpoint, now: datetime) -> None:
        """Register a reader, or say how far it has come by now. ``now`` is aware."""
        seen_at_us = int(now.astimezone(UTC).timestamp() * 1e6)
        reader = Reader(name=name, checkpoint=checkpoint, seen_at_us=seen_at_us)
        self._log.call("HSET", self._log.keys.readers, name, msgspec.json.encode(reader))

    def forget(self, name: str) -> None:
        """Take a reader off the list: it holds nothing back any more."""
        self._log.call("HDEL", self._log.keys.readers, name)

    def all(self) -> list[Reader]:
        """Give the registered readers by name. An entry that cannot be read is left out."""
        stored = self._log.call("HVALS", self._log.keys.readers)
        found = []
        for raw in stored:
            try:
                found.append(msgspec.json.decode(raw, type=Reader))
            except msgspec.MsgspecError:
                continue
        return sorted(found, key=lambda reader: reader.name)
