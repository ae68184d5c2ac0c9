"""Takes what was erased out of a view's files, a bounded step at a time between its batches."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import structlog

from projections.generation import ViewDirectory
from projections.purging import Progress, note_purged, old_unpurged, purged_up_to
from workers.opened_view import OpenedView

_log = structlog.get_logger("projections")


class LivePurge:
    """The purge of a view whose live generation this process writes; for its writer's thread."""

    def __init__(self, directory: ViewDirectory, opened: OpenedView) -> None:
        self._directory = directory
        self._opened = opened
        self._done = 0

    def step(self) -> bool:
        """Do a step of what is due; tell whether another can be done at once."""
        erased = self._opened.erased()
        if erased <= self._done:
            return False
        # Who built this generation may have purged it, but not the one that was live meanwhile.
        purged = erased <= purged_up_to(self._directory.live)
        progress = "done" if purged else self._opened.purge()
        if progress == "done":
            progress = self._let_old_ones_go(erased)
        if progress == "done":
            note_purged(self._directory.live, erased)
            self._done = erased
            _log.info("view_purged", view=self._opened.projector.name, up_to=erased)
        return progress == "more"

    def _let_old_ones_go(self, erased: int) -> Progress:
        old, may_go = old_unpurged(self._directory.path, erased, time.time())
        if not may_go:
            return "later"
        for folder in old:
            shutil.rmtree(folder)
        return "done"


def purge_build(folder: Path, opened: OpenedView) -> bool:
    """Take a step of purging a generation that is being built; tell whether it is done.

    What its view was told before an erasure it has written down, as the live one has.
    """
    erased = opened.erased()
    if erased <= purged_up_to(folder):
        return True
    if opened.purge() != "done":
        return False
    note_purged(folder, erased)
    return True
