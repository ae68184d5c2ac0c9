"""Takes a log as it is for right from now on: an explicit act of an administrator.

After a fail-over that lost events, or where the log server's data is gone, log and views have
different histories, and nobody but a person can say which one holds. This begins a new epoch that
says where it comes from. Nodes that followed the one before build their views anew by that word.
What the archive has and the log has not is set aside, never deleted.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from eventlog.archive.manifest import Manifest, read_manifest
from eventlog.archive.realigning import agreeing, realign
from eventlog.lineage import Branch, begin_epoch, read_lineage
from eventlog.loading import is_being_loaded
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from workers.archive import open_archive
from workers.log_server import followed_epoch, log_url, look_at_history
from workers.settings import Settings


class NewEpoch(Struct, frozen=True, kw_only=True):
    """What was begun. ``archived`` is how far the archive goes on to count.

    ``set_aside`` names the place within the archive where its other segments are, "" if none.
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
        parent = head.epoch or followed_epoch(settings.data)
        epoch = randomness(16).hex()
        manifest = read_manifest(archive.place) or Manifest(log=log.name, epoch=head.epoch)
        agreeing(log, manifest)  # before anything is changed
        branch = Branch(epoch=epoch, parent=parent, position=head.position)
        begin_epoch(log, (*read_lineage(log), branch), head.epoch)
        # Whoever is killed here leaves an archive of the epoch before; the lifecycle worker knows
        # by the lineage what to do with it.
        kept, aside = realign(log, archive.place, manifest, epoch)
    look_at_history(settings)
    return NewEpoch(
        epoch=epoch,
        parent=parent,
        position=head.position,
        archived=kept.last,
        set_aside=aside,
    )
