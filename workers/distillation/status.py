"""How the distiller of a node is: a small file that health reads."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

_NAME: Final = "distiller.json"

State = Literal["off", "standby", "reading", "working", "waiting", "paused"]


class DistillerStatus(Struct, frozen=True, kw_only=True):
    """``state``: switched off; another process has the lease; it reads the log up to its end; it
    distils; it waits for a batch; ``trouble`` keeps it from working.

    ``waiting`` counts the episodes that are to be distilled, ``position`` is how far it has read.
    ``distilled``, ``skipped`` and ``failed`` count what it did since it started. ``model`` was
    asked last, "" for rules; ``model_trouble`` is why a model was not, ``calls_left`` what is left
    of the day's budget.
    """

    at: datetime
    state: State
    pid: int
    waiting: int = 0
    position: int = 0
    distilled: int = 0
    skipped: int = 0
    failed: int = 0
    model: str = ""
    model_trouble: str = ""
    calls_left: int | None = None
    trouble: str = ""


def write_status(data: Path, status: DistillerStatus) -> None:
    """Replace the file, at once for every reader. Raises OSError."""
    new = data / f"{_NAME}.{os.getpid()}.new"
    new.write_bytes(msgspec.json.encode(status))
    new.rename(data / _NAME)


def read_status(data: Path) -> DistillerStatus | None:
    """Give what was written last, None if nothing was or it cannot be read."""
    try:
        return msgspec.json.decode((data / _NAME).read_bytes(), type=DistillerStatus)
    except (OSError, msgspec.MsgspecError):
        return None
