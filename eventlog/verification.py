"""Is the log still what it was? Everything that can testify is asked, event by event.

The chain is computed anew over segments and stream and compared with the manifest, with what the
log itself says about its segments (`SegmentArchived`), with the chain it was trimmed with, with
the checkpoints of all registered readers, replicas' included, and with this node's own record of
what it has read. Whoever wants to change the past unnoticed has to hold all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from domain.events import SegmentArchived, type_of
from eventlog.archive.manifest import Manifest
from eventlog.archive.reader import Archive, open_segment_unchecked
from eventlog.chain import BEGINNING, links
from eventlog.entry import RawEntry
from eventlog.keys import Keys
from eventlog.links import WIDTH, LinkRecord
from eventlog.outcomes import ArchiveDamaged, LogGap
from eventlog.readers import Reader, Readers
from eventlog.redis_log import RedisLog

_PAGE: Final = 1_000
_ARCHIVED: Final = type_of(SegmentArchived)


class Deviation(Exception):
    """Where the log is not what it was.

    The first changed event stands at ``position``, or, if nobody can say it more exactly, between
    ``position`` and ``up_to``.
    """

    def __init__(self, position: int, reason: str, up_to: int | None = None) -> None:
        place = str(position) if up_to in (None, position) else f"{position} to {up_to}"
        super().__init__(f"position {place}: {reason}")
        self.position = position
        self.up_to = position if up_to is None else up_to
        self.reason = reason


class Verified(Struct, frozen=True, kw_only=True):
    """What was compared, up to ``position``, where the chain is ``chain`` (hex)."""

    position: int
    chain: str
    segments: int
    statements: int
    checkpoints: int
    seen: int


def verify_log(
    log: RedisLog,
    archive: Archive,
    seen: LinkRecord,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Verified:
    """Compare everything up to the present head; raise `Deviation` at the first difference.

    ``progress`` is told positions done, of how many. Raises `LogUnavailable` and OSError where log
    or archive do not answer.
    """
    archive = Archive(archive.place)  # nothing that was opened before: the files are meant
    readers = Readers(log).all()
    head = log.head()
    try:
        manifest = archive.manifest()
    except ArchiveDamaged as error:
        raise Deviation(error.position, str(error)) from error
    manifest = manifest or Manifest(log=log.name, epoch=head.epoch)
    _compare_heads(head.position, head.epoch, readers, manifest, seen)
    walk = _Walk(log, archive, seen, manifest, head.epoch, readers)
    while walk.position < head.position:
        walk.step(min(head.position, walk.position + _PAGE))
        progress(walk.position, head.position)
    walk.require_announced()
    return walk.result()


class _Walk:
    """The chain on its way through the log, and who has agreed with it."""

    def __init__(
        self,
        log: RedisLog,
        archive: Archive,
        seen: LinkRecord,
        manifest: Manifest,
        epoch: str,
        readers: Iterable[Reader],
    ) -> None:
        self._log = log
        self._archive = archive
        self._record = seen
        self._manifest = manifest
        self._epoch = epoch
        self._witnesses: dict[int, list[Reader]] = {}
        for reader in readers:
            if reader.checkpoint.epoch == epoch:
                self._witnesses.setdefault(reader.checkpoint.position, []).append(reader)
        self._floor, self._floor_chain = _floor_of(log)
        self.position = 0
        self._agreed = 0
        self._chain = BEGINNING
        self._said: dict[int, SegmentArchived] = {}
        self._checkpoints = self._seen = 0

    def step(self, last: int) -> None:
        """Go on to ``last``, or to the end of the segment before it."""
        first = self.position + 1
        segment = self._manifest.segment_with(first)
        if segment is not None:
            last = min(last, segment.last)
        elif first < self._floor:
            raise Deviation(first, f"the log was trimmed, and the archive ends at {first - 1}")
        entries = self._entries(first, last, archived=segment is not None)
        chains = links(self._chain, entries)
        self._compare_seen(first, chains)
        if first + len(entries) > self._floor:
            self._compare_indices([e for e in entries if e.position >= self._floor])
        for entry, chain in zip(entries, chains, strict=True):
            self._compare_witnesses(entry, chain.hex())
            if entry.type == _ARCHIVED:
                self._hear(entry)
        self._chain = chains[-1]
        self.position = entries[-1].position

    def require_announced(self) -> None:
        """Every segment but the newest must have been announced in the log itself."""
        for segment in self._manifest.segments[:-1]:
            if segment.first not in self._said:
                raise Deviation(
                    segment.first, f"the log never said that it archived {segment.file_name}"
                )

    def result(self) -> Verified:
        """Say what was compared."""
        return Verified(
            position=self.position,
            chain=self._chain.hex(),
            segments=len(self._manifest.segments),
            statements=len(self._said),
            checkpoints=self._checkpoints,
            seen=self._seen,
        )

    def _entries(self, first: int, last: int, *, archived: bool) -> list[RawEntry]:
        try:
            if not archived:
                return self._log.read(first, last, last - first + 1)
            entries = self._archive.read(first, last)
            still_hot = max(first, self._floor)
            hot = self._log.read(still_hot, last, _PAGE) if still_hot <= last else []
        except ArchiveDamaged as error:
            raise self._locate(error) from error
        except LogGap as gap:
            raise Deviation(gap.expected, "there is no event at this position") from gap
        for entry in hot:
            if entry != entries[entry.position - first]:
                raise Deviation(entry.position, "the stream does not say what the archive says")
        return entries

    def _locate(self, error: ArchiveDamaged) -> Deviation:
        """Find which event of a damaged segment changed, as far as this node has read it."""
        segment = self._manifest.segment_with(error.position)
        entries = open_segment_unchecked(self._archive.place, segment) if segment else []
        chain = self._chain if segment and segment.first == self.position + 1 else None
        if segment is None or not entries or chain is None:
            return Deviation(error.position, str(error), segment.last if segment else None)
        chains = links(chain, entries)
        changed = self._record.compare(self._epoch, segment.first, chains)
        if changed is not None:
            return Deviation(segment.first + changed, f"{segment.file_name}: {error}")
        return Deviation(segment.first, str(error), segment.last)

    def _compare_seen(self, first: int, chains: Sequence[bytes]) -> None:
        changed = self._record.compare(self._epoch, first, chains)
        if changed is not None:
            raise Deviation(first + changed, "this node has read something else there before")
        recorded = self._record.recorded(self._epoch, first, len(chains))
        self._seen += sum(link != bytes(WIDTH) for link in recorded)
        if len(recorded) == len(chains) and recorded[-1] != bytes(WIDTH):
            self._agreed = first + len(chains) - 1

    def _compare_indices(self, entries: Sequence[RawEntry]) -> None:
        """Each event must stand where the index of its aggregate says."""
        keys: Keys = self._log.keys
        scores = self._log.call_many(
            [("ZSCORE", keys.aggregate(entry.aggregate_id), entry.position) for entry in entries]
        )
        for entry, score in zip(entries, scores, strict=True):
            if entry.malformed or (score is not None and int(score) == entry.version):
                continue
            # What is trimmed while we look leaves the index, too.
            if entry.position >= self._log.floor():
                raise Deviation(
                    entry.position, "the index of its aggregate does not know this event there"
                )

    def _compare_witnesses(self, entry: RawEntry, chain: str) -> None:
        position = entry.position
        for reader in self._witnesses.get(position, ()):
            if reader.checkpoint.event_id not in ("", entry.event_id):
                raise Deviation(position, f"{reader.name} has read another event there")
            self._require(chain, reader.checkpoint.chain, position, f"{reader.name} has read")
            self._checkpoints += 1
        segment = self._manifest.chain_at(position)
        if segment is not None:
            self._require(chain, segment, position, "the manifest says")
        if position == self._floor - 1:
            self._require(chain, self._floor_chain, position, "the log was trimmed with")

    def _require(self, chain: str, recorded: str, position: int, who: str) -> None:
        if recorded and recorded != chain:
            raise Deviation(
                min(self._agreed + 1, position), f"{who} chain {recorded}, it is {chain}", position
            )
        if recorded:
            self._agreed = max(self._agreed, position)

    def _hear(self, entry: RawEntry) -> None:
        """Compare what the log says about a segment with the manifest."""
        said = msgspec.json.decode(entry.body, type=SegmentArchived)
        self._said[said.first] = said
        segment = self._manifest.segment_with(said.first)
        found = (segment.first, segment.last, segment.sha256, segment.chain) if segment else None
        if found != (said.first, said.last, said.sha256, said.chain):
            raise Deviation(
                said.first,
                f"at {entry.position} the log says that {said.first} to {said.last} were archived "
                f"with SHA-256 {said.sha256} and chain {said.chain}, the manifest says otherwise",
                said.last,
            )


def _compare_heads(
    head: int, epoch: str, readers: Iterable[Reader], manifest: Manifest, seen: LinkRecord
) -> None:
    for reader in readers:
        if reader.checkpoint.epoch == epoch and reader.checkpoint.position > head:
            raise Deviation(
                head + 1, f"{reader.name} has read up to {reader.checkpoint.position}, it is gone"
            )
    if manifest.last > head:
        raise Deviation(head + 1, f"the archive goes on to {manifest.last}, the log does not")
    if manifest.epoch and manifest.epoch != epoch:
        raise Deviation(1, f"the archive is of epoch {manifest.epoch}, the log of {epoch}")
    if seen.recorded(epoch, head + 1, 1) not in ([], [bytes(WIDTH)]):
        raise Deviation(head + 1, "this node has read more events than there are now")


def _floor_of(log: RedisLog) -> tuple[int, str]:
    floor, chain = log.call("HMGET", log.keys.meta, "floor", "floor_chain")
    return (int(floor), chain.decode()) if floor else (1, "")
