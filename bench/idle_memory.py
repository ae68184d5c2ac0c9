"""What a whole idle node costs in memory: the sum of its processes' PSS (spec: ≤ 600 MB).

PSS counts a page shared by n processes as 1/n in each, so the sum is what the machine lacks.
Linux only: /proc/<pid>/smaps_rollup.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psutil

from bench.ratio import Ratio
from tests.nodes import NodeProcess

LIMIT_MB = 600
SETTLE_S = 5.0


def measure() -> dict[str, float]:
    """Give the PSS in MB of every process of a node that has embedded and recalled once."""
    with (
        tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch,
        NodeProcess(Path(scratch) / "data") as node,
        node.client() as client,
    ):
        client.remember("ComfyUI listens on port 8188", wait="vectors")
        client.recall("which port does ComfyUI use")
        time.sleep(SETTLE_S)
        processes = {"supervisor": psutil.Process(node.pid), **node.children()}
        return {name: pss_mb(process.pid) for name, process in processes.items()}


def pss_mb(pid: int) -> float:
    """Give a process's proportional set size in MB (10^6 bytes)."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"/proc/{pid}/smaps_rollup has no Pss line")


def main() -> list[Ratio]:
    sizes = measure()
    detail = ", ".join(f"{name} {size:.0f}" for name, size in sizes.items())
    return [Ratio("PSS of the idle tree, MB", sum(sizes.values()), ceiling=LIMIT_MB, detail=detail)]
