"""A view of an earlier epoch has its next generation asked for, once somebody has decided.

A restore, or `memoryweave init --new-epoch`, leaves word in the log of which epoch it goes on from.
Where that is the view's, nobody has to ask for its building; where there is no such word, only a
person does (decision 0022).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import structlog

from domain.errors import MemoryWeaveError
from eventlog.lineage import comes_from, read_lineage
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from projections.build_request import read_build_status, request_build
from projections.status import read_status
from workers.archive import seen_links
from workers.log_server import look_at_history, remember_decision
from workers.settings import SettingError, Settings
from workers.standing import WHAT_TO_DO

_STARTED: Final = ("requested", "building", "waiting")

_log = structlog.get_logger("projections")


def accept_fork(view: Path, log: RedisLog, settings: Settings) -> None:
    """Take the log's history for right, if this view has stopped because it has another.

    For an administrator who asks for the view's rebuilding: what this node has read of the other
    history is forgotten, so that the build is not stopped by it. Raises `LogFork` for an empty
    log, which holds no history to decide for, and `LogUnavailable`.
    """
    status = read_status(view)
    if status is None or status.problem != LogFork.name:
        return
    head = log.head()
    if not head.position:
        raise LogFork(f"the log is empty, there is nothing to build the view from: {WHAT_TO_DO}")
    seen_links(settings).forget(head.epoch)
    remember_decision(settings.data, head)
    _log.warning("fork_accepted", view=view.name, epoch=head.epoch, position=head.position)


def ask_if_decided(view: Path, log: RedisLog, settings: Settings) -> None:
    """Ask for a stopped view's next generation if the log says that it goes on from its epoch.

    Once for each epoch: what then fails is a person's to look at. Raises OSError.
    """
    status = read_status(view)
    if status is None or status.problem != LogFork.name or not status.epoch:
        return
    try:
        epoch = log.head().epoch
        if not comes_from(read_lineage(log), epoch, status.epoch):
            return
        look_at_history(settings)
    except (MemoryWeaveError, SettingError):
        return  # it is looked at again
    reason = f"the log began epoch {epoch}, which goes on from {status.epoch}"
    build = read_build_status(view)
    if build is not None and (build.asked_because == reason or build.state in _STARTED):
        return
    # What cannot be shown is set aside: nothing else serves that could be kept instead.
    request, _ = request_build(view, reason, allow_parked=True)
    _log.info("generation_asked_for", view=view.name, generation=request.generation, because=reason)
