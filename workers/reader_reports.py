"""Telling the log how far a view has come, now and then, while the view is read into."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import structlog

from domain.errors import MemoryWeaveError
from eventlog.entry import RawEntry
from eventlog.subscription import Checkpoint, Subscription

REPORT_EVERY_S: Final = 5.0
SAY_ANYHOW_AFTER_S: Final = 60.0
"""A report is a write, with an fsync: one that says nothing new is made seldom."""

_log = structlog.get_logger("projections")


class ReportingSource:
    """A subscription that reports a view's committed checkpoint between its batches.

    A report that cannot be made is no reason for a view to stop.
    """

    def __init__(
        self,
        source: Subscription,
        reached: Callable[[], Checkpoint],
        report: Callable[[Checkpoint], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._reached = reached
        self._report = report
        self._monotonic = monotonic
        self._looked_at = float("-inf")
        self._reported_at = float("-inf")
        self._reported = Checkpoint()

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        """Give the next entries, as `Subscription.read` does."""
        now = self._monotonic()
        if now - self._looked_at >= REPORT_EVERY_S:
            self._looked_at = now
            self._tell(now)
        return self._source.read(limit, wait_s)

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        """Give the checkpoint of a reader that has come up to and including ``entry``."""
        return self._source.checkpoint_at(entry)

    def _tell(self, now: float) -> None:
        reached = self._reached()
        if reached == self._reported and now - self._reported_at < SAY_ANYHOW_AFTER_S:
            return
        try:
            self._report(reached)
        except MemoryWeaveError as error:
            _log.warning("checkpoint_not_reported", position=reached.position, reason=str(error))
            return
        self._reported, self._reported_at = reached, now
