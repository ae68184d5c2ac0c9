"""Builds one view of a log up to a position, as a rebuild does, and says how long it took.

A process of its own, because its peak memory is measured: ``python -m bench._rebuilding`` with the
log's URL and name, the archive, the data directory, the view and the position.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import lance

from eventlog.archive.reader import Archive
from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from projections.build import GenerationBuild
from projections.heap import keep_one_heap
from projections.vector import table
from projections.vector.building import VectorBuild
from projections.vector.lance_memory import bound_lance_memory
from projections.vector.schema import TABLE
from workers.settings import Settings
from workers.view_writing import LogParts
from workers.views import VIEW_KINDS


def build(
    url: str, name: str, archive: str, data: str, view: str, last: int
) -> dict[str, float | None]:
    """Build it in a folder of its own; give what it took.

    Seconds: until it could be switched to (``finished_s``), of processor time meanwhile
    (``cpu_s``), after the last event (``ending_s``), of that for indices. ``rows`` and how often
    they were changed are None but for the vector view; ``peak_mb`` is in MB.
    """
    settings = Settings(data=Path(data), redis_url=url, log=name, archive_location=archive)
    kind = VIEW_KINDS[view]
    folder = settings.data / "views" / view / f"{last}"
    folder.mkdir(parents=True)
    never, indices = threading.Event(), _Timed(table, "index_table")
    with (
        RedisLog(url, name, archive=Archive(archive)) as log,
        kind.build(settings, folder, kind.builder(settings)) as opened,
    ):
        parts = LogParts(log, Codec(KeyRing(log.subject_keys)), settings)
        started, cpu = time.perf_counter(), time.process_time()
        with closing(parts.subscribe(opened.projector.checkpoint())) as source:
            building = GenerationBuild(
                opened.projector,
                source,
                opened.opener(parts.codec),
                allow_parked=False,
                between_batches=lambda _: opened.while_building(),
            )
            while building.position < last:
                building.catch_up(never, last=last)
            applied = time.perf_counter()
            opened.finish(never)
            opened.sync()
        finished = time.perf_counter()
        projector = opened.projector
        return {
            "position": building.position,
            "changes": projector.rows_written if isinstance(projector, VectorBuild) else None,
            "rows": _rows_of(folder) if isinstance(projector, VectorBuild) else None,
            "cpu_s": time.process_time() - cpu,
            "finished_s": finished - started,
            "ending_s": finished - applied,
            "indices_s": indices.spent_s,
            "peak_mb": _peak_mb(),
        }


class _Timed:
    """Puts a clock around a function of a module."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self.spent_s = 0.0
        self._call = getattr(module, name)
        setattr(module, name, self)

    def __call__(self, *given: Any) -> Any:
        started = time.perf_counter()
        try:
            return self._call(*given)
        finally:
            self.spent_s += time.perf_counter() - started


def _rows_of(folder: Path) -> int:
    dataset: Any = lance.dataset(str(folder / f"{TABLE}.lance"))
    return int(dataset.count_rows()) - 1


def _peak_mb() -> float:
    # Not getrusage: that counts what the parent had when it forked.
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    keep_one_heap()
    bound_lance_memory()
    url, name, archive, data, view, last = sys.argv[1:]
    print(json.dumps(build(url, name, archive, data, view, int(last))))
