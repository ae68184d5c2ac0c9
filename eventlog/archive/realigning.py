"""An archive of an earlier epoch, brought to what the log holds after somebody has decided for it.

Segments that say what the log says go on to count; the others are set aside, never deleted: they
are what is left of the other history.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from msgspec.structs import replace

from eventlog.archive.manifest import Manifest, SegmentRecord, lengthen, write_manifest
from eventlog.archive.place import Place
from eventlog.chain import BEGINNING, link_entry
from eventlog.entry import RawEntry
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog

_PAGE: Final = 2_000


def realign(log: RedisLog, place: Place, manifest: Manifest, epoch: str) -> tuple[Manifest, str]:
    """Let the archive count as far as it agrees with the log, under the log's ``epoch``.

    Gives the manifest that is valid now, and the name of the place within the archive where its
    other segments are, "" where it has none. May be broken off and done again. Raises `LogFork` if
    what was trimmed from the log is not in the archive; `LogUnavailable`, OSError.
    """
    agreed = agreeing(log, manifest)
    dropped = manifest.segments[len(agreed) :]
    aside = f"before-{epoch}" if dropped else ""
    if dropped:
        # Segments of the new history may take the names that these have.
        other = place.within(aside)
        for segment in dropped:
            other.write(segment.file_name, place.read(segment.file_name))
        write_manifest(other, manifest)
    valid = replace(manifest, epoch=epoch, segments=agreed)
    lengthen(place, manifest, valid)
    return valid, aside


def agreeing(log: RedisLog, manifest: Manifest) -> tuple[SegmentRecord, ...]:
    """Give the archive's segments, from the first on, that hold what the log holds.

    Raises `LogFork` if these do not cover what was trimmed from the log, `LogUnavailable`.
    """
    if manifest.log != log.name:
        raise LogFork(
            f"the archive is that of log {manifest.log!r}, this is {log.name!r}: give each log a "
            "place of its own"
        )
    floor, floor_chain = _floor_of(log)
    ends = {segment.last for segment in manifest.segments if segment.last >= floor}
    chains = {floor - 1: floor_chain.hex()} | _chains(log, floor, floor_chain, ends)
    count = 0
    for segment in manifest.segments:
        if segment.last >= floor - 1 and chains.get(segment.last) != segment.chain:
            break
        count += 1
    agreed = manifest.segments[:count]
    if (agreed[-1].last if agreed else 0) < floor - 1:
        raise LogFork(
            f"the log was trimmed up to {floor - 1}, and the archive does not hold what it held: "
            "restore a backup"
        )
    return agreed


def _floor_of(log: RedisLog) -> tuple[int, bytes]:
    floor, chain = log.call("HMGET", log.keys.meta, "floor", "floor_chain")
    return (int(floor), bytes.fromhex(chain.decode())) if floor else (1, BEGINNING)


def _chains(log: RedisLog, first: int, chain: bytes, ends: Collection[int]) -> dict[int, str]:
    """Give the chain (hex) at those of these positions that the stream holds."""
    found: dict[int, str] = {}
    for entry in _entries(log, first) if ends else ():
        chain = link_entry(chain, entry)
        if entry.position in ends:
            found[entry.position] = chain.hex()
    return found


def _entries(log: RedisLog, first: int) -> Iterator[RawEntry]:
    while page := log.read(first, limit=_PAGE):
        yield from page
        first = page[-1].position + 1
