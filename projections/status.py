"""How a view is doing, for other processes to read: a small file beside it, written in place.

In place, because a full disk is one of the things it has to tell of: the file has its block from
the start and overwriting it needs no other.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

State = Literal["running", "paused", "stopped"]

_SIZE: Final = 4096
_NAME: Final = "status.json"
_MAX_REASON: Final = 1000
_READS: Final = 20


class ViewStatus(Struct, frozen=True, kw_only=True):
    """What the view's writer said last.

    ``running``; ``paused``: the storage or the log failed, it goes on by itself; ``stopped``:
    nobody writes it, or only a person can mend it. ``reason`` is empty while running and holds
    neither content nor secrets. ``problem`` names the kind, as in ``log-gap`` or ``log-fork``.
    ``retries`` counts how often parked events were replayed since the writer started. ``epoch`` and
    ``event_id`` are those of the event at ``position``, "" where the writer does not know them.
    """

    state: State
    position: int
    parked: int
    generation: int
    problem: str = ""
    reason: str = ""
    retries: int = 0
    pid: int = 0
    epoch: str = ""
    event_id: str = ""


class StatusFile:
    """The writer's end. The caller holds the view's lock."""

    def __init__(self, view: Path) -> None:
        self._path = view / _NAME
        self._file = _opened(self._path)

    def write(self, status: ViewStatus) -> None:
        """Replace what the file says."""
        short = msgspec.structs.replace(status, reason=status.reason[:_MAX_REASON])
        text = msgspec.json.encode(short)
        if len(text) > _SIZE:
            text = msgspec.json.encode(msgspec.structs.replace(short, reason=short.reason[:300]))
        if self.is_removed:
            file = _opened(self._path)
            os.close(self._file)
            self._file = file
        os.pwrite(self._file, text.ljust(_SIZE), 0)

    @property
    def is_removed(self) -> bool:
        """Whether the file was removed, so that nobody reads what was written last."""
        return os.fstat(self._file).st_nlink == 0

    def close(self) -> None:
        """Close the file; what it says stays."""
        os.close(self._file)


def read_status(view: Path) -> ViewStatus | None:
    """Give what the view's writer said last, or None if none ever wrote.

    A read that meets a write is repeated. What a power cut has garbled says nothing: None too.
    """
    for _ in range(_READS):
        try:
            text = (view / _NAME).read_bytes().strip()
        except FileNotFoundError:
            return None
        if not text:
            return None
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(text, type=ViewStatus)
    return None


def _opened(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if os.fstat(file).st_size < _SIZE:
        os.pwrite(file, b" " * _SIZE, 0)
    return file
