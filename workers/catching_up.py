"""Waiting until a replica's views have come to where the log was when it started."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Final

import structlog

from projections.status import ViewStatus, read_status
from workers.health import VIEWS

_LOOK_EVERY_S: Final = 0.1
_TELL_EVERY_S: Final = 5.0

_log = structlog.get_logger("replica")


def await_views(data: Path, position: int) -> None:
    """Return when each view has come to ``position`` or does not go on by itself.

    A view that is paused or stopped is no reason to answer nothing: health tells of it. The
    analytics view is for audits and is not waited for.
    """
    waiting, told = threading.Event(), time.monotonic()
    while True:
        statuses = {name: _read(data / "views" / name) for name in VIEWS if name != "analytics"}
        behind = {
            name: 0 if status is None else status.position
            for name, status in statuses.items()
            if status is None or (status.state == "running" and status.position < position)
        }
        if not behind:
            return
        if time.monotonic() - told > _TELL_EVERY_S:
            _log.info("catching_up", log=position, **behind)
            told = time.monotonic()
        waiting.wait(_LOOK_EVERY_S)


def _read(view: Path) -> ViewStatus | None:
    try:
        return read_status(view)
    except ValueError:
        return None
