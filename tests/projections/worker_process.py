"""A projection worker in a process of its own, which can be told where to die.

``python -m tests.projections.worker_process URL LOG VIEW [KILL_AT BATCH_NUMBER] [--fsize BYTES]``.
It kills itself with SIGKILL, so that nothing is tidied up: the faults are in this wrapper, not in
the product. SIGTERM ends it well.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from domain.events import Event
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from projections.generation import ViewDirectory
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking
from projections.runner import ProjectionRunner
from projections.state.projector import StateProjector
from tests.projections.running import QUICK

KILL_POINTS = ("before_apply", "within_apply", "before_commit", "after_commit")
EVENTS_A_BATCH = 25


class DyingProjector:
    """A projector whose process dies at one point of its n-th batch."""

    def __init__(self, inner: StateProjector, kill_at: str, number: int) -> None:
        self._inner = inner
        self._kill_at = kill_at
        self._left = number
        self.name = inner.name
        self.aggregate_types = inner.aggregate_types

    def checkpoint(self) -> Checkpoint:
        return self._inner.checkpoint()

    def parked(self) -> list[ParkedEvent]:
        return self._inner.parked()

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        self._left -= 1
        if self._left:
            self._inner.apply(events, checkpoint, parking)
            return
        if self._kill_at == "before_apply":
            die()
        elif self._kill_at == "within_apply":
            self._inner.apply(DyingSequence(events, len(events) // 2), checkpoint, parking)
        elif self._kill_at == "before_commit":
            self._inner.apply(DyingSequence(events, len(events)), checkpoint, parking)
        else:
            self._inner.apply(events, checkpoint, parking)
            die()


class DyingSequence(list[Event]):
    """Events of which only the first ``alive`` are lived to be seen."""

    def __init__(self, events: Sequence[Event], alive: int) -> None:
        super().__init__(events)
        self._alive = alive

    def __iter__(self) -> Iterator[Event]:
        yield from self[: self._alive]
        die()


class SmallBatches:
    """A subscription that gives few events at once, so that there are many batches."""

    def __init__(self, inner: Subscription) -> None:
        self._inner = inner

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        return self._inner.read(min(limit, EVENTS_A_BATCH), wait_s)

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        return self._inner.checkpoint_at(entry)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("log")
    parser.add_argument("view", type=Path)
    parser.add_argument("kill_at", nargs="?", choices=KILL_POINTS)
    parser.add_argument("number", nargs="?", type=int)
    parser.add_argument("--fsize", type=int)
    asked = parser.parse_args()

    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    directory = ViewDirectory(asked.view)
    projector: Any = StateProjector(directory.live)
    if asked.fsize:
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked.fsize, resource.RLIM_INFINITY))
    if asked.kill_at:
        projector = DyingProjector(projector, asked.kill_at, asked.number)
    with (
        RedisLog(asked.url, asked.log) as log,
        Subscription(asked.url, asked.log, projector.checkpoint()) as subscription,
    ):
        codec = Codec(KeyRing(log.subject_keys))
        source = SmallBatches(subscription)
        ProjectionRunner(directory, projector, source, log, codec, pace=QUICK).run(stop)


if __name__ == "__main__":
    main()
