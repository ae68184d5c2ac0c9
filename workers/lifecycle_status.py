"""What the lifecycle worker of a node did last: a small file that health reads."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

_NAME: Final = "lifecycle.json"


class LifecycleStatus(Struct, frozen=True, kw_only=True):
    """``active``: this node's worker holds the lease. ``trouble`` is empty, or for people."""

    at: datetime
    active: bool
    archived: int = 0
    trouble: str = ""


def write_status(data: Path, status: LifecycleStatus) -> None:
    """Replace the file, at once for every reader. Raises OSError."""
    new = data / f"{_NAME}.{os.getpid()}.new"
    new.write_bytes(msgspec.json.encode(status))
    new.rename(data / _NAME)


def read_status(data: Path) -> LifecycleStatus | None:
    """Give what was written last, None if nothing was or it cannot be read."""
    try:
        return msgspec.json.decode((data / _NAME).read_bytes(), type=LifecycleStatus)
    except (OSError, msgspec.MsgspecError):
        return None
