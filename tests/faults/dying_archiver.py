"""An archiver in a process of its own that kills or stops itself at one step.

``python -m tests.faults.dying_archiver URL LOG FOLDER STEP [SIGNAL]``, the signal SIGKILL or
SIGSTOP, sent when the step is reached first. The faults are in these wrappers, not in the product;
SIGKILL tidies nothing up. One that was stopped and finds itself fenced ends with `STEPPED_BACK`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from domain.errors import Fenced
from eventlog.archive.archiver import Archiver
from eventlog.archive.place import Folder
from eventlog.archive.reader import Archive
from eventlog.connection import Argument
from eventlog.entry import RawEntry
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from eventlog.scripts import THIN_INDEX, TRIM, Script
from tests.eventlog.archived import NOW, SMALL

LEASE_S = 0.3
STEPPED_BACK = 3
STEPS = (
    "closed",
    "half written",
    "written",
    "read back",
    "lease renewed",
    "alone",
    "on the manifest",
    "announced",
    "snapshots kept",
    "trimmed",
    "indices thinned",
)


_pending: list[signal.Signals] = []
"""The signal that this process will send itself."""


class DyingFolder(Folder):
    """A folder whose process dies around the write of a segment."""

    def __init__(self, path: Path, step: str) -> None:
        super().__init__(path)
        self._step = step

    @contextmanager
    def alone(self) -> Iterator[None]:
        die_at("lease renewed", self._step)
        with super().alone():
            die_at("alone", self._step)
            yield

    def write(self, name: str, data: bytes) -> None:
        segment = name.endswith(".parquet")
        if segment:
            die_at("closed", self._step)
        if segment and self._step == "half written":
            self._path.mkdir(parents=True, exist_ok=True)
            (self._path / f"{name}.new").write_bytes(data[: len(data) // 2])
            die_at("half written", self._step)
        super().write(name, data)
        die_at("written" if segment else "on the manifest", self._step)

    def read(self, name: str) -> bytes:
        data = super().read(name)
        if name.endswith(".parquet"):
            die_at("read back", self._step)
        return data


class DyingLog(RedisLog):
    """A log whose process dies right after it has answered."""

    step = ""

    def append(self, entries: Sequence[RawEntry], **more: Any) -> Any:
        outcome = super().append(entries, **more)
        die_at("announced", self.step)
        return outcome

    def run(self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        answer = super().run(script, keys, arguments)
        if script is TRIM:
            die_at("trimmed", self.step)
        if script is THIN_INDEX:
            die_at("indices thinned", self.step)
        return answer


def die_at(step: str, wanted: str) -> None:
    if step == wanted and _pending:
        os.kill(os.getpid(), _pending.pop())


def main(url: str, name: str, folder: str, step: str, how: str = "SIGKILL") -> None:
    _pending.append(signal.Signals[how])
    place = DyingFolder(Path(folder), step)

    def keep_snapshots(kinds: Mapping[str, str]) -> None:
        for aggregate in kinds:
            last = log.read_aggregate(aggregate, newest_first=True, limit=1)[0]
            log.put_snapshot(aggregate, last.version, b"a state", keep=2)
        die_at("snapshots kept", step)

    with DyingLog(url, name, archive=Archive(place)) as log:
        log.step = step
        archiver = Archiver(
            log,
            place,
            Lease(log, "archive", "dying", LEASE_S),
            keep_snapshots=keep_snapshots,
            clock=lambda: NOW,
            rules=SMALL,
        )
        try:
            archiver.archive_due()
            archiver.trim()
        except Fenced:
            sys.exit(STEPPED_BACK)


if __name__ == "__main__":
    main(*sys.argv[1:])
