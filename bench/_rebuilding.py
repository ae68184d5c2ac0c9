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

from eventlog.archive.reader import Archive
from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from projections.build import GenerationBuild
from workers.settings import Settings
from workers.view_writing import LogParts
from workers.views import VIEW_KINDS


def build(url: str, name: str, archive: str, data: str, view: str, last: int) -> dict[str, object]:
    """Build it in a folder of its own; give seconds, rows and the peak memory in MB."""
    settings = Settings(data=Path(data), redis_url=url, log=name, archive_location=archive)
    kind = VIEW_KINDS[view]
    folder = settings.data / "views" / view / f"{last}"
    folder.mkdir(parents=True)
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
            never = threading.Event()
            while building.position < last:
                building.catch_up(never, last=last)
            applied_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu
            opened.finish(never)
            opened.sync()
        finished_s = time.perf_counter() - started
        rows = getattr(opened.projector, "rows_written", None)
    return {
        "position": building.position,
        "rows": rows,
        "applied_s": applied_s,
        "cpu_s": cpu_s,
        "finished_s": finished_s,
        "peak_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    # Not getrusage: that counts what the parent had when it forked.
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(build(*sys.argv[1:6], int(sys.argv[6]))))
