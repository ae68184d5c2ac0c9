"""An analytics worker in a process of its own, which can be told where to die.

``python -m tests.projections.analytics.worker_process URL LOG VIEW [KILL_AT NUMBER] [--fsize N]``.
It kills itself with SIGKILL at the n-th time that it comes to a point. SIGTERM ends it well.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Subscription
from projections.analytics import files, projector
from projections.analytics.opening import OpenOrShowRaw
from projections.analytics.projector import AnalyticsProjector
from projections.generation import ViewDirectory
from projections.runner import ProjectionRunner
from tests.projections.analytics.building import TAIL_ROWS, real_clock
from tests.projections.running import QUICK
from tests.projections.worker_process import SmallBatches, die

KILL_POINTS = (
    "before_file",
    "half_a_file",
    "after_file",
    "before_manifest",
    "after_manifest",
    "before_merge",
)


def arrange_death(kill_at: str, number: int) -> None:
    """Put a trap at the point: into the functions that the projector calls, not into copies."""
    trap = _Trap(number)
    if kill_at == "before_file":
        projector.write_file = trap.before(projector.write_file)
    elif kill_at == "half_a_file":
        files._parquet = _HalfWriting(trap)
    elif kill_at == "after_file":
        projector.write_file = trap.after(projector.write_file)
    elif kill_at == "before_manifest":
        rename = Path.rename
        Path.rename = lambda path, target: (  # type: ignore[method-assign]
            trap.spring() if path.name == "manifest.json.new" else None,
            rename(path, target),
        )[1]
    elif kill_at == "after_manifest":
        projector.remove = trap.before(projector.remove)
    elif kill_at == "before_merge":
        projector.next_merge = trap.after_result(projector.next_merge)


class _Trap:
    def __init__(self, number: int) -> None:
        self._left = number

    def spring(self) -> None:
        self._left -= 1
        if self._left == 0:
            die()

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def trapped(*args: Any) -> Any:
            self.spring()
            return function(*args)

        return trapped

    def after(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def trapped(*args: Any) -> Any:
            result = function(*args)
            self.spring()
            return result

        return trapped

    def after_result(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def trapped(*args: Any) -> Any:
            result = function(*args)
            if result is not None:
                # Die in the middle of the merge: its file is written, its manifest is not.
                projector.commit_manifest = self.before(projector.commit_manifest)
            return result

        return trapped


class _HalfWriting:
    """Parquet of which the n-th file is written only half."""

    def __init__(self, trap: _Trap) -> None:
        self._inner = files._parquet
        self._trap = trap

    def write_table(self, table: Any, file: Any, **options: Any) -> None:
        self._inner.write_table(table, file, **options)
        file.truncate(file.tell() // 2)
        file.flush()
        self._trap.spring()
        file.seek(0)
        file.truncate()
        self._inner.write_table(table, file, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


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
    view = AnalyticsProjector(directory.live, real_clock, tail_rows=TAIL_ROWS)
    if asked.fsize:
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked.fsize, resource.RLIM_INFINITY))
    if asked.kill_at:
        arrange_death(asked.kill_at, asked.number)
    with (
        RedisLog(asked.url, asked.log) as log,
        Subscription(asked.url, asked.log, view.checkpoint()) as subscription,
    ):
        ProjectionRunner(
            directory,
            view,
            SmallBatches(subscription),
            log,
            OpenOrShowRaw(Codec(KeyRing(log.subject_keys))),
            between_batches=view.compact,
            pace=QUICK,
        ).run(stop)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONFAULTHANDLER", "1")
    main()
