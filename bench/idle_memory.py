"""What a whole idle node costs in memory: what the machine would get back without it (≤ 600 MB).

That is the pages of its own of every process, and once each page of a file that any of them maps.
The sum of the processes' PSS says the same where nothing else maps those files; other nodes or
tests on the machine make it smaller. Linux only: /proc/<pid>/smaps and smaps_rollup.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import psutil

from bench.ratio import Ratio
from tests.nodes import NodeProcess

LIMIT_MB = 600
SETTLE_S = 5.0

_MAPPING: Final = re.compile(
    r"^[0-9a-f]+-[0-9a-f]+ \S+ (?P<offset>\S+) (?P<device>\S+) (?P<inode>\d+)"
)


def measure() -> dict[str, float]:
    """Give the MB of every process of a node that has embedded and recalled once, and of files."""
    with (
        tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch,
        NodeProcess(Path(scratch) / "data") as node,
        node.client() as client,
    ):
        client.remember("ComfyUI listens on port 8188", wait="vectors")
        client.recall("which port does ComfyUI use")
        time.sleep(SETTLE_S)
        processes = {"supervisor": psutil.Process(node.pid), **node.children()}
        own = {name: own_mb(process.pid) for name, process in processes.items()}
        return own | {"files": files_mb(process.pid for process in processes.values())}


def own_mb(pid: int) -> float:
    """Give the MB (10^6 bytes) of a process that are no file's, shared ones in proportion."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.findall(r"^Pss_(?:Anon|Shmem):\s+(\d+) kB$", rollup, re.MULTILINE)
    if len(found) != 2:
        raise RuntimeError(f"/proc/{pid}/smaps_rollup has no Pss_Anon and Pss_Shmem lines")
    return sum(map(int, found)) * 1024 / 1e6


def files_mb(pids: Iterable[int]) -> float:
    """Give the MB of files that these processes have in memory, each stretch of a file once."""
    resident: dict[tuple[str, str, str], int] = {}
    for pid in pids:
        mapping: tuple[str, str, str] | None = None
        pages = 0
        for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
            if found := _MAPPING.match(line):
                of_file = found["inode"] != "0"
                mapping = (found["device"], found["inode"], found["offset"]) if of_file else None
            elif mapping and line.startswith("Rss:"):
                pages = int(line.split()[1])
            elif mapping and line.startswith("Anonymous:"):
                clean = pages - int(line.split()[1])
                resident[mapping] = max(resident.get(mapping, 0), clean)
    return sum(resident.values()) * 1024 / 1e6


def main() -> list[Ratio]:
    sizes = measure()
    detail = ", ".join(f"{name} {size:.0f}" for name, size in sizes.items())
    return [
        Ratio("memory of the idle tree, MB", sum(sizes.values()), ceiling=LIMIT_MB, detail=detail)
    ]


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
