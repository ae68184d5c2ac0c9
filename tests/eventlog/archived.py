"""A log with an archive: entries of several aggregates, archived and trimmed in small steps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from eventlog.archive.archiver import Archiver
from eventlog.archive.place import Place
from eventlog.archive.reader import Archive
from eventlog.archive.rules import ArchiveRules
from eventlog.entry import RawEntry
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import an_entry, new_command

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SMALL = ArchiveRules(segment_events=10, hot_window=7, small_index=1)
"""Segments of 10 events; 7 stay hot; every index is thinned."""


class ArchivedLog:
    """Writes random events to a log and archives it. ``log`` reads across the boundary."""

    def __init__(
        self,
        url: str,
        name: str,
        place: Place | Path,
        *,
        rules: ArchiveRules = SMALL,
        seed: int = 0,
    ) -> None:
        self.archive = Archive(place)
        self.log = RedisLog(url, name, archive=self.archive)
        self.place = self.archive.place
        self.rules = rules
        self.random = random.Random(seed)
        self.versions: Counter[str] = Counter()
        self.now = NOW
        self.snapshotted: list[str] = []

    def write(self, count: int) -> None:
        while count:
            batch = [self._next_entry() for _ in range(min(count, self.random.randint(1, 6)))]
            self.log.append(batch, **new_command())
            count -= len(batch)

    def _next_entry(self) -> RawEntry:
        aggregate = f"a{self.random.randrange(6)}"
        self.versions[aggregate] += 1
        body = self.random.randbytes(self.random.randint(0, 40))
        entry = an_entry(aggregate, self.versions[aggregate], body)
        return replace(entry, occurred_at_us=int(self.now.timestamp() * 1e6))

    def archiver(self, holder: str = "one", log: RedisLog | None = None) -> Archiver:
        return Archiver(
            log or self.log,
            self.place,
            Lease(log or self.log, "archive", holder, ttl_s=60),
            keep_snapshots=self._keep_snapshots,
            clock=lambda: self.now,
            rules=self.rules,
        )

    def everything(self) -> list[RawEntry]:
        """Every event, read through the log and its archive."""
        entries: list[RawEntry] = []
        while page := self.log.read(len(entries) + 1, limit=13):
            entries += page
        return entries

    def _keep_snapshots(self, kinds: Mapping[str, str]) -> None:
        for aggregate in kinds:
            assert self.log.put_snapshot(aggregate, self.versions[aggregate], b"a state", keep=2)
            self.snapshotted.append(aggregate)
