"""The list of an archive's segments: what there is, and how to know that it is still that."""

from __future__ import annotations

import bisect
from typing import Final

import msgspec
from msgspec import Struct

from domain.errors import Fenced
from eventlog.archive.place import Place
from eventlog.chain import BEGINNING
from eventlog.outcomes import ArchiveDamaged

FILE_NAME: Final = "manifest.json"
FORMAT: Final = 1


class SegmentRecord(Struct, frozen=True, kw_only=True):
    """One segment: its positions, the SHA-256 (hex) of its file, the chain (hex) at ``last``."""

    first: int
    last: int
    sha256: str
    chain: str

    @property
    def file_name(self) -> str:
        """The segment's file in the archive."""
        return segment_name(self.first, self.last)


class Manifest(Struct, frozen=True, kw_only=True):
    """The segments of one log, from position 1 on, without a gap."""

    log: str
    epoch: str
    segments: tuple[SegmentRecord, ...] = ()
    format: int = FORMAT

    @property
    def last(self) -> int:
        """The newest archived position, 0 for an empty archive."""
        return self.segments[-1].last if self.segments else 0

    @property
    def chain(self) -> bytes:
        """The chain at `last`."""
        return bytes.fromhex(self.segments[-1].chain) if self.segments else BEGINNING

    def segment_with(self, position: int) -> SegmentRecord | None:
        """Give the segment that holds a position, None if no segment does."""
        index = bisect.bisect_left(self.segments, position, key=lambda segment: segment.last)
        if index == len(self.segments) or self.segments[index].first > position:
            return None
        return self.segments[index]

    def chain_at(self, last: int) -> str | None:
        """Give the chain (hex) at the end of a segment, None where no segment ends."""
        segment = self.segment_with(last)
        return segment.chain if segment and segment.last == last else None


def segment_name(first: int, last: int) -> str:
    """Name the file of a segment; names sort by position."""
    return f"{first:012d}-{last:012d}.parquet"


def read_manifest(place: Place) -> Manifest | None:
    """Read an archive's manifest, None where nothing was archived.

    Raises `ArchiveDamaged` for one that cannot be read or does not run from 1 on without a gap.
    """
    try:
        text = place.read(FILE_NAME)
    except FileNotFoundError:
        return None
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError as error:
        raise ArchiveDamaged(1, f"its manifest cannot be read ({error})") from error
    if manifest.format != FORMAT:
        raise ArchiveDamaged(1, f"its manifest has format {manifest.format}, known is {FORMAT}")
    expected = 1
    for segment in manifest.segments:
        if segment.first != expected or segment.last < segment.first:
            raise ArchiveDamaged(
                expected,
                f"its manifest goes on with positions {segment.first} to {segment.last}",
            )
        expected = segment.last + 1
    return manifest


def lengthen(place: Place, known: Manifest, longer: Manifest) -> None:
    """Put ``longer`` in the place of ``known``, if that is still the manifest there.

    Who slept through the end of its lease finds that another has gone on: raises `Fenced` then,
    and OSError while another is writing it.
    """
    with place.alone():
        found = read_manifest(place)
        if (found or Manifest(log=known.log, epoch=known.epoch)) != known:
            raise Fenced("another process has archived meanwhile")
        write_manifest(place, longer)


def write_manifest(place: Place, manifest: Manifest) -> None:
    """Put a manifest in the place of the one before, at once for every reader."""
    place.write(FILE_NAME, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
