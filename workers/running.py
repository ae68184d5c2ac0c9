"""Who serves a data directory: a lock held by `memoryweave up`, with its address inside."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

_FILE_NAME: Final = "up.lock"
_LOOKS_END_WITHIN_S: Final = 0.5
_POLL_S: Final = 0.01


class Running(Struct, frozen=True):
    """The supervisor's process id and the URL that its API answers at."""

    pid: int
    url: str


class AlreadyUp(Exception):
    """Another supervisor serves this data directory."""


class UpLock:
    """The lock, held until `close` or until the process is gone."""

    def __init__(self, data: Path) -> None:
        """Take the lock. Raises `AlreadyUp`."""
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = os.open(data / _FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _lock_within(self._file, _LOOKS_END_WITHIN_S)
        except BlockingIOError as error:
            other = _read(self._file)
            os.close(self._file)
            who = f"process {other.pid} at {other.url}" if other else "another process"
            raise AlreadyUp(
                f"{data} is already served by {who}: stop that one with Ctrl-C, "
                "or give this one another --data"
            ) from error

    def announce(self, running: Running) -> None:
        """Leave word for `find_running`."""
        text = msgspec.json.encode(running)
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, text, 0)

    def close(self) -> None:
        """Take the word back and give the lock up."""
        os.ftruncate(self._file, 0)
        os.close(self._file)


def find_running(data: Path) -> Running | None:
    """Give the supervisor that serves ``data`` now, or None."""
    try:
        file = os.open(data / _FILE_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(file)
    finally:
        os.close(file)
    return None


def _lock_within(file: int, seconds: float) -> None:
    """Take the lock; whoever only looks who has it (`find_running`) holds it for a moment too."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)
        else:
            return


def _read(file: int) -> Running | None:
    try:
        return msgspec.json.decode(os.pread(file, 4096, 0), type=Running)
    except msgspec.DecodeError:
        return None
