"""Takes a log as it is for right from now on: an explicit act of an administrator.

After a fail-over that lost events, or where the log server's data is gone, log and views have
different histories, and nobody but a person can say which one holds. This begins a new epoch that
says where it comes from. Nodes that followed the one before build their views anew by that word.
What the archive has and the log has not is set aside, never deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from eventlog.archive.manifest import FILE_NAME, Manifest, read_manifest, write_manifest
from eventlog.archive.place import Place
from eventlog.chain import link_entry
from eventlog.entry import RawEntry
from eventlog.lineage import Branch, begin_epoch, read_lineage
from eventlog.loading import is_being_loaded
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from projections.status import read_status
from workers.archive import open_archive
from workers.log_server import epoch_seen, log_url, look_at_history
from workers.settings import Settings

_PAGE: Final = 2_000


class NewEpoch(Struct, frozen=True, kw_only=True):
    """What was begun. ``archived`` is how far the archive goes on to count.

    ``set_aside`` names the manifest of the archive's other segments, "" where there are none.
    """

    epoch: str
    parent: str
    position: int
    archived: int
    set_aside: str


def begin_new_epoch(settings: Settings, randomness: Callable[[int], bytes]) -> NewEpoch:
    """Begin a new epoch of the log at the place where it ends now.

    Raises `LogFork` where that would leave a log that cannot be read: a restore that did not come
    to its end, or a trimmed log whose archive is not its own. Raises `EpochChanged` if somebody
    else does the same, `LogUnavailable`, OSError.
    """
    archive = open_archive(settings)
    with RedisLog(log_url(settings, "admin"), settings.log, archive=archive) as log:
        if is_being_loaded(log):
            raise LogFork("a restore of the log did not come to its end: run it again")
        head = log.head()
        parent = head.epoch or epoch_seen(settings.data) or _epoch_of_views(settings.data)
        epoch = randomness(16).hex()
        manifest = read_manifest(archive.place)
        kept = _agreeing(log, manifest, head.position) if manifest else None
        set_aside = ""
        if manifest and kept and kept.last < manifest.last:
            set_aside = _set_aside(archive.place, manifest, kept)
        branch = Branch(epoch=epoch, parent=parent, position=head.position)
        begin_epoch(log, (*read_lineage(log), branch), head.epoch)
        if kept is not None:
            write_manifest(archive.place, replace(kept, epoch=epoch))
    look_at_history(settings)
    return NewEpoch(
        epoch=epoch,
        parent=parent,
        position=head.position,
        archived=kept.last if kept else 0,
        set_aside=set_aside,
    )


def _epoch_of_views(data: Path) -> str:
    """Give the epoch that the views have followed, "" where none was begun."""
    for view in sorted((data / "views").glob("*")):
        status = read_status(view)
        if status is not None and status.epoch:
            return status.epoch
    return ""


def _agreeing(log: RedisLog, manifest: Manifest, head: int) -> Manifest:
    """Give the archive's segments that hold what the log holds, from the first on.

    Raises `LogFork` if these do not cover what the log was trimmed of.
    """
    if manifest.log != log.name:
        raise LogFork(f"the archive is that of log {manifest.log!r}, this is {log.name!r}")
    floor, floor_chain = _floor_of(log)
    chains = {floor - 1: floor_chain}
    if floor <= head:
        ends = {segment.last for segment in manifest.segments}
        chains |= _chains(log, floor, bytes.fromhex(floor_chain), ends)
    last = 0
    for segment in manifest.segments:
        if segment.last >= floor - 1 and chains.get(segment.last) != segment.chain:
            break
        last = segment.last
    if last < floor - 1:
        raise LogFork(
            f"the log was trimmed up to {floor - 1}, and the archive does not hold what it held: "
            "restore a backup"
        )
    return replace(manifest, segments=tuple(s for s in manifest.segments if s.last <= last))


def _floor_of(log: RedisLog) -> tuple[int, str]:
    floor, chain = log.call("HMGET", log.keys.meta, "floor", "floor_chain")
    return (int(floor), chain.decode()) if floor else (1, bytes(32).hex())


def _chains(log: RedisLog, first: int, chain: bytes, ends: Collection[int]) -> dict[int, str]:
    """Give the chain (hex) at those of these positions that the stream holds."""
    found: dict[int, str] = {}
    for entry in _entries(log, first):
        chain = link_entry(chain, entry)
        if entry.position in ends:
            found[entry.position] = chain.hex()
    return found


def _entries(log: RedisLog, first: int) -> Iterator[RawEntry]:
    while page := log.read(first, limit=_PAGE):
        yield from page
        first = page[-1].position + 1


def _set_aside(place: Place, manifest: Manifest, kept: Manifest) -> str:
    """Keep what is not of this history any more under other names; give that of its manifest.

    Segments of the new history may take the names that these have.
    """
    prefix = f"before-{manifest.epoch}-"
    for segment in manifest.segments[len(kept.segments) :]:
        place.write(prefix + segment.file_name, place.read(segment.file_name))
    place.write(prefix + FILE_NAME, msgspec.json.encode(manifest))
    return prefix + FILE_NAME
