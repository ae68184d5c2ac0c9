"""One server per data directory: a lock file that the server process itself keeps locked.

The starter locks the file and hands the open file to the server, so the lock lives exactly as long
as the server does, whatever becomes of the starter.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import msgspec
from msgspec import Struct


class ServerRecord(Struct, frozen=True):
    """What the starter left in the lock file: the server's process and socket."""

    pid: int
    socket: str


class LockFile:
    """A lock file, opened. Closing it gives the lock up unless a child holds it too."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        """Take the lock if nobody has it, and tell whether it is ours now."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._file = descriptor
        return True

    @property
    def descriptor(self) -> int:
        """The open file, to be handed to a child that shall hold the lock."""
        assert self._file is not None, "the lock is not ours"
        return self._file

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def write(self, record: ServerRecord) -> None:
        """Leave word of the server; the lock must be ours."""
        text = msgspec.json.encode(record)
        os.pwrite(self.descriptor, text, 0)
        os.ftruncate(self.descriptor, len(text))

    def read(self) -> ServerRecord | None:
        """Read what the holder left; None when there is nothing readable yet."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=ServerRecord)
        except (FileNotFoundError, msgspec.DecodeError):
            return None


def is_locked(path: Path) -> bool:
    """Tell whether some process holds the lock."""
    probe = LockFile(path)
    if probe.acquire():
        probe.close()
        return False
    return True
