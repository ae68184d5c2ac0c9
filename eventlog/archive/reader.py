"""Reading archived events: by position or by aggregate, never without having checked the file."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from eventlog.archive.manifest import Manifest, SegmentRecord, read_manifest
from eventlog.archive.place import Place, open_place
from eventlog.entry import RawEntry
from eventlog.outcomes import ArchiveDamaged

if TYPE_CHECKING:
    from eventlog.archive.segment import Segment

_OPEN: Final = 2
"""Segments kept open: who reads in order needs one, a look at an old event a second."""


class Archive:
    """The archived part of one log, read only. Thread-safe; nothing is loaded before it is needed.

    Whoever reads an event has the SHA-256 of its whole segment compared with the manifest first.
    Raises `ArchiveDamaged`, and OSError where the place does not answer.
    """

    def __init__(self, place: Place | str | Path) -> None:
        self._location = place
        self._manifest: Manifest | None = None
        self._open: OrderedDict[str, Segment] = OrderedDict()
        self._lock = Lock()

    @cached_property
    def place(self) -> Place:
        """Where it lies."""
        if isinstance(self._location, str | Path):
            return open_place(self._location)
        return self._location

    def manifest(self) -> Manifest | None:
        """Read the manifest anew; None where nothing was archived."""
        self._manifest = read_manifest(self.place)
        return self._manifest

    def segment_with(self, position: int) -> SegmentRecord:
        """Give the record of the segment that holds a position, which is archived."""
        known = self._manifest.segment_with(position) if self._manifest else None
        if known is None:
            manifest = self.manifest()
            known = manifest.segment_with(position) if manifest else None
        if known is None:
            if self._manifest is None:
                raise ArchiveDamaged(
                    position,
                    "it has no manifest: the log's archive lies elsewhere (archive.location), or "
                    "was lost",
                )
            raise ArchiveDamaged(position, f"its manifest ends at {self._manifest.last}")
        return known

    def read(self, first: int, last: int) -> list[RawEntry]:
        """Give archived entries from ``first`` up to ``last`` or the end of their segment.

        At least one; the log was trimmed up to ``last`` at least, so it must be there.
        """
        record = self.segment_with(first)
        with self._lock:
            entries = self._segment(record).read(first, min(last, record.last))
        for expected, entry in enumerate(entries, first):
            if entry.position != expected:
                raise ArchiveDamaged(expected, f"{record.file_name} has {entry.position} there")
        return entries

    def of_aggregate(self, aggregate_id: str, before: int) -> list[RawEntry]:
        """Give the entries of an aggregate at positions below ``before``, by position.

        Looks into every segment: for histories that no index knows any more.
        """
        found: list[RawEntry] = []
        for record in self._segments_before(before):
            with self._lock:
                found += self._segment(record).of_aggregate(aggregate_id)
        return [entry for entry in found if entry.position < before]

    def _segments_before(self, position: int) -> Iterator[SegmentRecord]:
        first = 1
        while first < position:
            record = self.segment_with(first)
            yield record
            first = record.last + 1

    def _segment(self, record: SegmentRecord) -> Segment:
        key = f"{record.file_name} {record.sha256}"
        if key not in self._open:
            while len(self._open) >= _OPEN:
                self._open.popitem(last=False)
            self._open[key] = open_segment(self.place, record)
        self._open.move_to_end(key)
        return self._open[key]


def open_segment(place: Place, record: SegmentRecord) -> Segment:
    """Open a segment after its file was compared with its record. Raises `ArchiveDamaged`."""
    from eventlog.archive.segment import Segment

    try:
        data = place.read(record.file_name)
    except FileNotFoundError as error:
        raise ArchiveDamaged(record.first, f"{record.file_name} is missing") from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != record.sha256:
        raise ArchiveDamaged(
            record.first, f"{record.file_name} has SHA-256 {digest}, recorded was {record.sha256}"
        )
    try:
        segment = Segment(record.first, data)
    except (ValueError, OSError, KeyError) as error:
        raise ArchiveDamaged(record.first, f"{record.file_name} is no segment") from error
    if segment.count != record.last - record.first + 1:
        raise ArchiveDamaged(record.first, f"{record.file_name} has {segment.count} events")
    return segment


def open_segment_unchecked(place: Place, record: SegmentRecord) -> list[RawEntry]:
    """Decode what can be decoded of a damaged segment; [] where nothing can.

    For finding out which event changed; nobody else may use what this gives.
    """
    from eventlog.archive.segment import Segment

    try:
        segment = Segment(record.first, place.read(record.file_name))
        return segment.read(record.first, record.last)
    except Exception:  # noqa: BLE001  # damaged bytes raise whatever they like in a decoder
        return []
