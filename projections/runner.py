"""Follows the log into one view (spec: operations.md "Projection runner").

A batch and its checkpoint are one commit. Only an error of the event itself sets it aside. What
else fails (a disk, memory, the log's server) pauses the view until it is well again; a gap, a fork,
a newer program's event or a lost fence stops it until somebody acts. No position is passed over.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import structlog
from msgspec import Struct

from domain.errors import MemoryWeaveError
from eventlog.codec import UnknownEventType
from eventlog.entry import RawEntry
from eventlog.outcomes import LogFork, LogGap
from projections.applying import BatchApplier, Source
from projections.generation import ViewDirectory
from projections.parking import ParkedEvent
from projections.presence import ViewRemoved
from projections.projector import Projector, ViewDamaged, ViewFenced
from projections.retry import (
    LogReader,
    Opener,
    finish_retry_request,
    retry_parked,
    retry_requested,
)
from projections.status import State, StatusFile, ViewStatus

BATCH: Final = 500

_log = structlog.get_logger()


class Pace(Struct, frozen=True, kw_only=True):
    """How long the runner waits, in seconds.

    ``idle_s`` for the first event of a batch when there is nothing else to do, ``busy_s`` when
    there is work between batches. Back-off doubles from ``first_pause_s`` to ``longest_pause_s``.
    """

    idle_s: float = 0.5
    busy_s: float = 0.001
    first_pause_s: float = 0.25
    longest_pause_s: float = 30.0
    poison_pause_s: float = 0.05


class ProjectionRunner:
    """Drives one view in one thread. ``between_batches`` does bounded work and tells if more waits.

    ``still_there`` is called with every turn and raises `ViewRemoved` if the view's files are gone.
    The view's directory is held by the caller for as long as `run` lasts.
    """

    def __init__(
        self,
        directory: ViewDirectory,
        projector: Projector,
        source: Source,
        log: LogReader,
        codec: Opener,
        *,
        between_batches: Callable[[], bool] = lambda: False,
        still_there: Callable[[], object] = lambda: None,
        pace: Pace = Pace(),  # noqa: B008  # frozen
    ) -> None:
        self._directory = directory
        self._projector = projector
        self._source = source
        self._log = log
        self._codec = codec
        self._between_batches = between_batches
        self._still_there = still_there
        self._pace = pace
        self._status = StatusFile(directory.path)
        self._applier = BatchApplier(
            projector,
            source,
            codec,
            poison_pause_s=pace.poison_pause_s,
            before_parking=self._log_parking,
        )
        self._pending: list[RawEntry] = []
        self._retries = 0
        self._resumed = False
        self._state: State | None = None

    def run(self, stop: threading.Event, halt: threading.Event | None = None) -> None:
        """Follow the log until ``stop`` or ``halt`` is set or the view stops; its status says so.


        Raises `ViewDamaged`, `ViewRemoved`.

        ``halt`` is set with ``stop``, and alone where this thread only makes way for a switch of
        generations: the view is not said to have stopped then.
        """
        failures = 0
        wait_s = 0.0
        leave = halt or stop
        while not leave.is_set():
            try:
                self._still_there()
                if not self._resumed:
                    self._resume()
                more = self._turn(wait_s, leave)
            except (LogGap, LogFork, ViewFenced, UnknownEventType) as error:
                self._tell_stopped(error)
                return
            except (ViewDamaged, ViewRemoved):
                raise  # no waiting mends it
            except Exception as error:  # noqa: BLE001  # whatever it is, no event may be lost by it
                failures += 1
                self._resumed = False
                self._tell_paused(error, failures)
                leave.wait(_backoff(failures, self._pace))
            else:
                failures = 0
                self._tell_running()
                wait_s = self._pace.busy_s if more else self._pace.idle_s
        if stop.is_set():
            self._tell("stopped", "", "its worker was stopped")

    def close(self) -> None:
        """Close the status file; the projector and the source are the caller's."""
        self._status.close()

    def _resume(self) -> None:
        self._applier.resume()
        self._resumed = True
        if self._state is None:
            self._tell("running")  # what the last writer said may be of a view that is gone

    def _turn(self, wait_s: float, stop: threading.Event) -> bool:
        """Do one batch, or what is to be done between batches; tell if there may be more."""
        if retry_requested(self._directory.path):
            self._retry()
        if not self._pending:
            self._pending = self._source.read(BATCH, wait_s)
        if not self._pending:
            return self._between_batches()
        self._applier.apply(self._pending, stop)
        if not stop.is_set():
            self._pending = []
        # Also when it makes way: the generation that takes over has to show at least as much.
        self._tell("running")
        self._between_batches()
        return True

    def _log_parking(self, parked: Sequence[ParkedEvent]) -> None:
        for event in parked:
            if event.cause != "queued":
                _log.error(
                    "event_parked",
                    view=self._projector.name,
                    position=event.position,
                    type=event.type,
                    cause=event.cause,
                    reason=event.reason,
                )

    def _retry(self) -> None:
        report = retry_parked(self._projector, self._log, self._codec)
        self._applier.resume()
        self._retries += 1
        _log.info(
            "parked_events_retried",
            view=self._projector.name,
            applied=report.applied,
            still_parked=report.still_parked,
        )
        self._tell("running")
        finish_retry_request(self._directory.path)

    def _tell_running(self) -> None:
        if self._state == "running" and not self._status.is_removed:
            return
        if self._state == "paused":
            _log.info("view_resumed", view=self._projector.name, position=self._applier.position)
        self._tell("running")

    def _tell_paused(self, error: Exception, failures: int) -> None:
        reason = describe(error)
        self._tell("paused", problem_of(error), reason)
        if failures == 1:
            _log.error("view_paused", view=self._projector.name, reason=reason)

    def _tell_stopped(self, error: Exception) -> None:
        self._tell("stopped", problem_of(error), describe(error))
        _log.error(
            "view_stopped",
            view=self._projector.name,
            position=self._applier.position,
            reason=describe(error),
        )

    def _tell(self, state: State, problem: str = "", reason: str = "") -> None:
        self._state = state
        status = ViewStatus(
            state=state,
            position=self._applier.position,
            parked=len(self._applier.parked),
            generation=self._directory.generation,
            problem=problem,
            reason=reason,
            retries=self._retries,
            pid=os.getpid(),
            epoch=self._applier.reached.epoch,
            event_id=self._applier.reached.event_id,
        )
        try:
            self._status.write(status)
        except OSError as error:
            # The view goes on or waits all the same; only its readers learn of it later.
            _log.error(
                "status_not_written", view=self._projector.name, reason=describe(error)
            )  # no stack trace leaves the process


def problem_of(error: Exception) -> str:
    """Name the kind of problem: as in problem documents, or ``storage``, or ``fault``."""
    match error:
        case MemoryWeaveError():
            return error.name
        case ViewFenced():
            return "view-fenced"
        case ViewRemoved():
            return "view-removed"
        case OSError() | sqlite3.Error() | MemoryError():
            return "storage"
        case _:
            return "fault"


def describe(error: Exception) -> str:
    """Say what went wrong without quoting content.

    Errors that we or the operating system word are given in full; of any other only its kind and
    where it arose, because its text may hold what the event said.
    """
    match error:
        case MemoryWeaveError() | ViewFenced() | ViewRemoved() | OSError() | sqlite3.Error():
            return f"{type(error).__name__}: {error}"
        case _:
            frames = traceback.extract_tb(error.__traceback__)
            where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
            return f"{type(error).__name__}{where}"


def _backoff(failures: int, pace: Pace) -> float:
    return min(pace.longest_pause_s, pace.first_pause_s * 2.0 ** min(failures - 1, 20))
