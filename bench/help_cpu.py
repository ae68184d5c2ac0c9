"""The processor time of `memoryweave --help` (spec: ≤ 0.3 s)."""

from __future__ import annotations

import resource
import subprocess
import sys

from bench.ratio import Ratio

RUNS = 5


def main() -> list[Ratio]:
    """Measure it five times; the best counts, because only other work makes it slower."""
    return [Ratio("memoryweave --help, CPU s", min(_once() for _ in range(RUNS)), ceiling=0.3)]


def _once() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "workers.cli.main", "--help"], check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
