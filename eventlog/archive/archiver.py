"""Moving the beginning of the log into the archive, one step after the other.

Close a stretch, write its segment, have it on disk, read it back, compare, put it on the manifest,
say so in the log, and only then trim. A crash leaves a file that no manifest names, or events in
both places; either is harmless, and the next run goes on from there. Only the holder of the lease
acts: the log refuses anybody else's event and trimming (docs/decisions/0014).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec.structs import replace

from domain.errors import Fenced
from domain.events import Event, SegmentArchived, type_of
from domain.identity import command_id, event_id, id_from_key
from eventlog.append import Fence
from eventlog.archive.manifest import (
    Manifest,
    SegmentRecord,
    lengthen,
    read_manifest,
    segment_name,
)
from eventlog.archive.place import Place
from eventlog.archive.reader import open_segment
from eventlog.archive.realigning import realign
from eventlog.archive.rules import ArchiveRules
from eventlog.archive.trim_plan import TrimPlan, plan_trim
from eventlog.archive.trimming import snapshot_worthy, thin_indices, trim_log
from eventlog.chain import links
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.lease import Lease
from eventlog.lineage import comes_from, read_lineage
from eventlog.outcomes import ArchiveDamaged, Conflict, LogFork
from eventlog.readers import Reader, Readers
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing

LEASE: Final = "archive"
ACTOR: Final = "system:lifecycle"
SEGMENT: Final = "Segment"

KeepSnapshots = Callable[[Mapping[str, str]], None]
"""Keeps a snapshot of aggregates as they are now, as far as their kinds have any: id → kind."""

_PAGE: Final = 2_000
_LOOKED_AT: Final = 20
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Archiver:
    """Archives and trims one log. Acts only while ``lease`` is held; takes and renews it."""

    def __init__(
        self,
        log: RedisLog,
        place: Place,
        lease: Lease,
        *,
        keep_snapshots: KeepSnapshots,
        clock: Callable[[], datetime],
        rules: ArchiveRules = ArchiveRules(),  # noqa: B008  # frozen
    ) -> None:
        self._log = log
        self._place = place
        self._lease = lease
        self._keep_snapshots = keep_snapshots
        self._clock = clock
        self._rules = rules
        self._readers = Readers(log)
        self._codec = Codec(KeyRing(log.subject_keys))

    def obey(self, rules: ArchiveRules) -> None:
        """Go by these rules from now on."""
        self._rules = rules

    def archive_due(self) -> Manifest:
        """Archive every stretch that is to be closed now, and give the manifest.

        Raises `Fenced` where somebody else holds the lease, `LogFork` and `ArchiveDamaged` where
        log, archive and readers do not agree, `LogUnavailable`, `LogFull`, OSError.
        """
        return self._archive(self._due)

    def archive_all(self) -> Manifest:
        """Archive everything up to the newest event. Raises as `archive_due` does."""
        end = self._log.head().position

        def rest(manifest: Manifest) -> int | None:
            last = min(end, manifest.last + self._rules.segment_events)
            return last if last > manifest.last else None

        return self._archive(rest)

    def trim(self) -> TrimPlan:
        """Trim what the rules allow, and say what held it back. Raises as `archive_due` does."""
        fence = self._fence()
        manifest = self._manifest()
        floor = self._log.floor()
        plan = plan_trim(
            manifest,
            self._log.head().position,
            floor,
            self._present_readers(),
            self._rules,
            self._clock(),
        )
        if plan.floor > floor:
            for segment in _between(manifest, floor, plan.floor):
                kinds = {e.aggregate_id: e.aggregate_type for e in self._entries_of(segment)}
                worthy = snapshot_worthy(self._log, kinds, self._rules.small_index)
                self._keep_snapshots({aggregate_id: kinds[aggregate_id] for aggregate_id in worthy})
                fence = self._fence()
            chain = manifest.chain_at(plan.floor - 1)
            assert chain is not None
            trim_log(self._log, fence, plan.floor, chain)
        self._thin(manifest, plan.floor)
        return plan

    def _archive(self, next_last: Callable[[Manifest], int | None]) -> Manifest:
        fence = self._fence()
        manifest = self._manifest()
        self._announce_untold(manifest, fence)
        while (last := next_last(manifest)) is not None:
            manifest = self._archive_stretch(manifest, last)
        return manifest

    def _archive_stretch(self, manifest: Manifest, last: int) -> Manifest:
        # Imported here: an idle lifecycle worker does without Arrow.
        from eventlog.archive.segment import encode_segment

        first = manifest.last + 1
        entries = self._read(first, last)
        chains = links(manifest.chain, entries)
        self._compare_with_readers(first, chains)
        data = encode_segment(entries)
        record = SegmentRecord(
            first=first,
            last=last,
            sha256=hashlib.sha256(data).hexdigest(),
            chain=chains[-1].hex(),
        )
        self._place.write(segment_name(first, last), data)
        if self._entries_of(record) != entries:
            raise ArchiveDamaged(first, f"{record.file_name} does not give back what was written")
        fence = self._fence()
        longer = replace(manifest, segments=(*manifest.segments, record))
        lengthen(self._place, manifest, longer)
        self._announce(record, fence)
        return longer

    def _fence(self) -> Fence:
        state = self._lease.take()
        if state.fence is None:
            raise Fenced(f"{state.holder} archives this log")
        return state.fence

    def _manifest(self) -> Manifest:
        head = self._log.head()
        manifest = read_manifest(self._place)
        if manifest is None:
            floor = self._log.floor()
            if floor > 1:
                raise LogFork(f"the log was trimmed up to {floor - 1} and its archive is empty")
            return Manifest(log=self._log.name, epoch=head.epoch)
        if manifest.log == self._log.name and comes_from(
            read_lineage(self._log), head.epoch, manifest.epoch
        ):
            # Somebody has decided for the log as it is (decision 0022).
            manifest, _ = realign(self._log, self._place, manifest, head.epoch)
        if (manifest.log, manifest.epoch) != (self._log.name, head.epoch):
            raise LogFork(
                f"the archive is that of log {manifest.log!r} of epoch {manifest.epoch}, this is "
                f"{self._log.name!r} of epoch {head.epoch}: give each log a place of its own"
            )
        if head.position < manifest.last:
            raise LogFork(f"the log ends at {head.position}, the archive at {manifest.last}")
        return manifest

    def _due(self, manifest: Manifest) -> int | None:
        """Say up to where the next segment goes, None if none is to be closed yet."""
        first, head = manifest.last + 1, self._log.head().position
        if head - manifest.last >= self._rules.segment_events:
            return manifest.last + self._rules.segment_events
        oldest = self._log.read(first, head, _LOOKED_AT) if head >= first else []
        # What the archive itself has said is no reason to go on archiving an idle log.
        if all(entry.type == type_of(SegmentArchived) for entry in oldest):
            return None
        age = self._clock() - (_EPOCH + timedelta(microseconds=oldest[0].occurred_at_us))
        return head if age.total_seconds() >= self._rules.segment_age_s else None

    def _read(self, first: int, last: int) -> list[RawEntry]:
        entries: list[RawEntry] = []
        while first <= last:
            page = self._log.read(first, last, _PAGE)
            if not page:
                raise LogFork(f"the log ends before {first}, it had reached {last}")
            entries += page
            first = page[-1].position + 1
        return entries

    def _compare_with_readers(self, first: int, chains: list[bytes]) -> None:
        """Refuse to archive a stretch that says something else than when it was read."""
        for reader in self._present_readers():
            seen = reader.checkpoint
            index = seen.position - first
            if seen.chain and 0 <= index < len(chains) and chains[index].hex() != seen.chain:
                raise LogFork(
                    f"what the log holds up to {seen.position} is not what {reader.name} has read"
                )

    def _present_readers(self) -> list[Reader]:
        """Give the readers of this epoch: those of an earlier one have another history."""
        epoch = self._log.head().epoch
        return [reader for reader in self._readers.all() if reader.checkpoint.epoch == epoch]

    def _announce_untold(self, manifest: Manifest, fence: Fence) -> None:
        """Say of which segments the log has not heard: the last, after a crash; after a tail of the
        log was lost, all that were told in it.
        """
        untold: list[SegmentRecord] = []
        for record in reversed(manifest.segments):
            if self._was_told(record):
                break
            untold.append(record)
        for record in reversed(untold):
            self._announce(record, fence)

    def _was_told(self, record: SegmentRecord) -> bool:
        return self._log.find_duplicate(_command_of(record), record.sha256) is not None

    def _announce(self, record: SegmentRecord, fence: Fence) -> None:
        """Say in the log that a segment is archived; once, however often this is called."""
        if self._was_told(record):
            return
        command = _command_of(record)
        event = Event(
            aggregate_type=SEGMENT,
            aggregate_id=id_from_key(self._log.name, "segment", str(record.first)),
            version=1,
            event_id=event_id(command, 0),
            occurred_at=self._clock(),
            actor=ACTOR,
            correlation_id=command,
            body=SegmentArchived(
                first=record.first, last=record.last, sha256=record.sha256, chain=record.chain
            ),
        )
        entry = self._codec.seal(event).entry
        try:
            self._log.append([entry], command_id=command, fingerprint=record.sha256, fence=fence)
        except Conflict as conflict:
            raise LogFork(
                f"another archive of this log has a segment that begins at {record.first}: there "
                "may be one archive only"
            ) from conflict

    def _thin(self, manifest: Manifest, floor: int) -> None:
        """Thin the indices of what was trimmed, also by a run that did not come to its end."""
        done = self._log.call("HGET", self._log.keys.meta, "thinned")
        first = 1 if done is None else int(done)
        for segment in _between(manifest, first, floor):
            aggregates = {entry.aggregate_id for entry in self._entries_of(segment)}
            worthy = snapshot_worthy(self._log, aggregates, self._rules.small_index)
            thin_indices(self._log, self._fence(), worthy, self._rules.small_index)
        if floor > first:
            self._log.call("HSET", self._log.keys.meta, "thinned", floor)

    def _entries_of(self, record: SegmentRecord) -> list[RawEntry]:
        return open_segment(self._place, record).read(record.first, record.last)


def _command_of(record: SegmentRecord) -> str:
    return command_id(ACTOR, "segment-archived", f"{record.first}-{record.sha256}")


def _between(manifest: Manifest, first: int, end: int) -> Iterator[SegmentRecord]:
    return (s for s in manifest.segments if s.first >= first and s.last < end)
