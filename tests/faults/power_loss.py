"""Turns ``kill -9`` into a power cut: what the server had not synced when it died is cut off.

The page cache survives a killed process, so without this a test of durability tests nothing.
``powerloss.c`` notes the length of each file at every fsync.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.servers import LogServer

SOURCE = Path(__file__).parent / "powerloss.c"
COMPILER = shutil.which("cc")


def build_shim(directory: Path, source: Path = SOURCE) -> Path:
    """Compile a shim to be preloaded; needs `COMPILER`."""
    assert COMPILER is not None
    shim = directory / f"{source.stem}.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", str(shim), str(source), "-ldl"], check=True)
    return shim


def watch_syncs(server: LogServer, shim: Path) -> None:
    """Have the server, from its next start on, note what it syncs."""
    server.environment = {
        "LD_PRELOAD": str(shim),
        "POWERLOSS_LOG": str(_notes(server)),
        "POWERLOSS_HANG": str(_hang(server)),
    }


def hang_disk(server: LogServer) -> None:
    """Let no sync come to its end before the power is cut."""
    _hang(server).touch()


def is_synced(server: LogServer) -> bool:
    """Tell whether a power cut now would take nothing of the log."""
    return all(
        path.stat().st_size == length for path, length in _synced(server).items() if path.is_file()
    )


def cut_power(server: LogServer) -> int:
    """Kill the server, cut off what it had not synced, and give the number of bytes cut."""
    server.kill()
    cut = 0
    for path, length in _synced(server).items():
        # Not there any more: it was renamed or replaced after the sync.
        if path.is_file() and path.stat().st_size > length:
            cut += path.stat().st_size - length
            os.truncate(path, length)
    _notes(server).unlink()
    _hang(server).unlink(missing_ok=True)
    return cut


def _synced(server: LogServer) -> dict[Path, int]:
    """Give the length that is on the disk for sure, by file."""
    # A file of the log that was never synced keeps nothing.
    synced = dict.fromkeys((server.directory / "appendonlydir").glob("*.incr.aof"), 0)
    for line in _notes(server).read_text().splitlines():
        length, path = line.split(" ", 1)
        synced[Path(path)] = int(length)
    return synced


def _hang(server: LogServer) -> Path:
    return server.directory / "hang"


def _notes(server: LogServer) -> Path:
    return server.directory / "synced.log"
