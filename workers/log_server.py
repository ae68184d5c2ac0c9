"""Where the log server is, whether it may be trusted, and which log this node has followed."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Final

from eventlog.embedded import find_server
from eventlog.guard import GuardReport, guard_log_server
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint
from projections.status import read_status
from workers.settings import SettingError, Settings

_FILE_NAME: Final = "node.toml"


def log_url(settings: Settings) -> str:
    """Give the log server's address: REDIS_URL, or the embedded server that runs now.

    Raises `SettingError` when there is neither.
    """
    url = settings.redis_url or find_server(settings.data, "log")
    if url is None:
        raise SettingError(
            "REDIS_URL",
            f"is not given, and no embedded log server runs on {settings.data}: "
            "start `memoryweave up`, or say where the log is",
        )
    return url


def volatile_url(settings: Settings) -> str | None:
    """Give the volatile server's address; None when there is none, and processes do without."""
    return settings.volatile_url or find_server(settings.data, "volatile")


def guard_log(settings: Settings) -> GuardReport:
    """Check the log server and its history, and keep the epoch for the next start.

    Raises what `guard_log_server` raises.
    """
    seen = epoch_seen(settings.data)
    with RedisLog(log_url(settings), settings.log) as log:
        report = guard_log_server(
            log,
            expected_epoch=seen,
            known=reached_by_views(settings.data),
            allow_volatile=settings.allow_volatile,
        )
    if report.head.epoch and report.head.epoch != seen:
        remember_epoch(settings.data, report.head.epoch)
    return report


def reached_by_views(data: Path) -> list[Checkpoint]:
    """Say how far this node's views have come: a log that ends before that has lost events."""
    statuses = [read_status(view) for view in sorted((data / "views").glob("*"))]
    return [Checkpoint(position=status.position) for status in statuses if status is not None]


def epoch_seen(data: Path) -> str:
    """Give the epoch of the log that this node has followed, "" for a new node."""
    try:
        node = tomllib.loads((data / _FILE_NAME).read_text("utf-8"))
    except FileNotFoundError:
        return ""
    return str(node.get("epoch", ""))


def remember_epoch(data: Path, epoch: str) -> None:
    """Keep the epoch in node.toml."""
    new = data / f"{_FILE_NAME}.new"
    with new.open("w", encoding="utf-8") as file:
        file.write(f'epoch = "{epoch}"\n')
        file.flush()
        os.fsync(file.fileno())
    new.rename(data / _FILE_NAME)
