"""A backup in a process of its own that kills itself at one step, or has little disk.

``python -m tests.backup.dying_backup DATA URL LOG STEP COUNT``: SIGKILL when ``STEP`` is said for
the COUNT-th time. STEP ``limit``: no file may grow beyond COUNT bytes.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections import Counter

from domain.errors import BackupFailed
from workers.backup.making import make_backup
from workers.settings import resolve

STEPS = (
    ("begun", 1),
    ("segment written", 2),
    ("hot written", 1),
    ("log written", 1),
    ("written", 1),
    ("read back", 1),
    ("keys named", 1),
    ("named", 1),
)
REFUSED = 7


def main(data: str, url: str, log: str, step: str, count: str) -> int:
    said: Counter[str] = Counter()

    def die(name: str) -> None:
        said[name] += 1
        if name == step and said[name] == int(count):
            os.kill(os.getpid(), signal.SIGKILL)

    if step == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(count), int(count)))
    environment = {"REDIS_URL": url, "MEMORYWEAVE_LOG": log}
    try:
        make_backup(resolve({"data": data}, environment).settings, said=die)
    except BackupFailed as error:
        print(error)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
