"""How a node is: looked at from outside its parts, quickly, and never raising."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from domain.errors import MemoryWeaveError
from eventlog.archive.rules import MEMORY_ALARM
from eventlog.redis_log import RedisLog
from memoryweave.contract import (
    BackupHealth,
    Degraded,
    DistillerHealth,
    EmbedderHealth,
    Health,
    LogHealth,
    ViewHealth,
)
from projections.status import ViewStatus, read_status
from workers.backup.folder import backups_in
from workers.backup.place import backups_folder
from workers.distillation.status import read_status as read_distiller_status
from workers.lifecycle_status import read_status as read_lifecycle_status
from workers.log_server import log_url
from workers.settings import SettingError, Settings

if TYPE_CHECKING:
    from workers.node import Node

VERSION: Final = version("memoryweave")
VIEWS: Final = ("state", "vector", "analytics")
"""The views that a node builds, under ``views/``."""
LOG_ANSWERS_WITHIN_S: Final = 1.0
BACKUP_TOO_OLD_S: Final = 2.0 * 86_400
"""A daily backup was missed, and another day has gone by."""


def look_at_node(node: Node) -> Health:
    """Describe the log, each view and the embedder as they are now.

    ``ready``: something can be served, commands (the log answers) or reads (a view was begun).
    ``status`` is ``unavailable`` when not ready, ``degraded`` when anything is listed as such.
    """
    degraded: list[Degraded] = []
    log = _look_at_log(node, degraded)
    views = {name: _look_at_view(node, name, log, degraded) for name in VIEWS}
    embedder = EmbedderHealth(name=node.embedder.name, state=node.embedder.state)
    if embedder.state == "failing":
        degraded.append(Degraded(part="embedder", reason="the last call to the model failed"))
    lifecycle = read_lifecycle_status(node.values.data)
    if lifecycle is not None and lifecycle.active and lifecycle.trouble:
        degraded.append(Degraded(part="archive", reason=lifecycle.trouble))
    distiller = _look_at_distiller(node, log, degraded)
    backup = _look_at_backups(node, degraded)
    if node.primaries is not None and log.writable and not node.primaries.urls():
        degraded.append(Degraded(part="primary", reason="none has said where it is"))
    _look_at_evaluations(node, degraded)
    refusal = node.refusal()
    if refusal:
        degraded.insert(0, Degraded(part="history", reason=refusal))
        log = replace(log, writable=False)
    ready = not refusal and (log.writable or views["state"].generation > 0)
    return Health(
        status="degraded" if ready and degraded else "ok" if ready else "unavailable",
        live=True,
        ready=ready,
        version=VERSION,
        log=log,
        views={
            name: replace(view, paused=view.paused and _without_places(view.paused, node.values))
            for name, view in views.items()
        },
        embedder=embedder,
        role=node.values.role,
        backup=backup,
        distiller=distiller,
        degraded=[
            replace(part, reason=_without_places(part.reason, node.values)) for part in degraded
        ],
    )


def _without_places(reason: str, settings: Settings) -> str:
    """Call the node's directories by their names: anybody may read this, and where they lie tells
    of the machine and its users. The log lines and `memoryweave doctor` name them in full.
    """
    run = str(Path(tempfile.gettempdir(), "memoryweave-"))
    places = {
        str(settings.data): "data",
        str(settings.data.resolve()): "data",
        os.environ.get("XDG_RUNTIME_DIR", run): "run",
        run: "run",
        settings.archive_location or "": "archive",
    }
    for place in sorted(places.keys() - {""}, key=len, reverse=True):
        reason = reason.replace(place, places[place])
    return reason


def _look_at_evaluations(node: Node, degraded: list[Degraded]) -> None:
    """Tell of sets whose last run fell below the earlier ones; the next good run ends it."""
    try:
        fallen = node.state.fallen_evaluations()
    except (MemoryWeaveError, sqlite3.Error):
        return  # the view's own trouble, which is told as such
    for row in fallen:
        reason = (
            f"recall@10 of the set {row.set} fell from {row.figures.baseline:.2f} "
            f"to {row.figures.recall_at_10:.2f}"
        )
        degraded.append(Degraded(part="evaluation", reason=reason))


def _look_at_distiller(
    node: Node, log: LogHealth, degraded: list[Degraded]
) -> DistillerHealth | None:
    """Describe who distils on this node; that nobody can is said. A replica has nobody."""
    status = read_distiller_status(node.values.data)
    if status is None or node.values.role == "replica":
        return None
    died = status.state not in ("off", "standby") and not _lives(status.pid)
    trouble = status.trouble or ("its process died" if died else "")
    if trouble:
        degraded.append(Degraded(part="distiller", reason=trouble))
    reads = status.state in ("reading", "working", "waiting")
    return DistillerHealth(
        state="paused" if trouble else status.state,
        waiting=status.waiting,
        lag=max(0, log.position - status.position) if reads else 0,
        distilled=status.distilled,
        skipped=status.skipped,
        failed=status.failed,
        model=status.model,
        model_trouble=status.model_trouble,
        calls_left=status.calls_left,
        trouble=_without_places(trouble, node.values),
    )


def _look_at_backups(node: Node, degraded: list[Degraded]) -> BackupHealth | None:
    """Describe the newest backup; one that is too old, or without its keys, is said."""
    folder = backups_folder(node.values)
    try:
        backups = backups_in(folder)
        size = backups[-1].path.stat().st_size if backups else 0
    except OSError as error:
        degraded.append(Degraded(part="backup", reason=f"{folder} cannot be read: {error}"))
        return None
    if not backups:
        return None
    newest = backups[-1]
    age_s = (node.clock() - newest.made_at).total_seconds()
    daily = node.values.backup_daily and node.values.role == "primary"
    if daily and age_s > BACKUP_TOO_OLD_S:
        reason = f"the newest one, {newest.path.name}, is {age_s / 86_400:.0f} days old"
        degraded.append(Degraded(part="backup", reason=reason))
    return BackupHealth(
        file=newest.path.name,
        made_at=newest.made_at,
        age_s=age_s,
        size=size,
        keys=newest.keys.exists(),
        kept=len(backups),
    )


def _look_at_log(node: Node, degraded: list[Degraded]) -> LogHealth:
    shortfalls = list(node.report.shortfalls)
    try:
        with RedisLog(
            log_url(node.values, "writer"), node.values.log, deadline_s=LOG_ANSWERS_WITHIN_S
        ) as log:
            shortfalls = log.shortfalls()
            head, memory_ratio = log.head(), log.memory_ratio()
    except (MemoryWeaveError, SettingError) as error:
        degraded.append(Degraded(part="log", reason=str(error)))
        _tell_durability(shortfalls, degraded)
        return LogHealth(position=0, epoch="", writable=False, durable=not shortfalls)
    _tell_durability(shortfalls, degraded)
    if memory_ratio is not None and memory_ratio >= MEMORY_ALARM:
        reason = (
            f"its server uses {memory_ratio:.0%} of the memory it may; when that is full, commands "
            "are refused: give it more, or see under archive what keeps the log from being trimmed"
        )
        degraded.append(Degraded(part="log memory", reason=reason))
    return LogHealth(
        position=head.position,
        epoch=head.epoch,
        writable=node.values.allow_volatile or not shortfalls,
        durable=not shortfalls,
        memory_ratio=memory_ratio,
    )


def _tell_durability(shortfalls: list[str], degraded: list[Degraded]) -> None:
    if shortfalls:
        reason = f"acknowledged events may be lost: {'; '.join(shortfalls)}"
        degraded.append(Degraded(part="durability", reason=reason))


def _look_at_view(node: Node, name: str, log: LogHealth, degraded: list[Degraded]) -> ViewHealth:
    status = _read(node.values.data / "views" / name)
    trouble = _trouble(status)
    if trouble is not None:
        degraded.append(Degraded(part=f"view {name}", reason=trouble))
    if status is None:
        return ViewHealth(
            position=0, lag=log.position, parked=0, generation=0, missing_vectors=0, paused=trouble
        )
    if status.parked:
        reason = f"{status.parked} events could not be shown; see `memoryweave projections status`"
        degraded.append(Degraded(part=f"view {name}", reason=reason))
    vectors, missing = _count_vectors(node, degraded) if name == "vector" else (0, 0)
    return ViewHealth(
        position=status.position,
        lag=max(0, log.position - status.position),
        parked=status.parked,
        generation=status.generation,
        vectors=vectors,
        missing_vectors=missing,
        paused=trouble,
    )


def _trouble(status: ViewStatus | None) -> str | None:
    """Say why nobody builds the view at the moment, None if somebody does."""
    if status is None:
        return "no projection worker has begun it"
    if status.state != "running":
        return f"{status.state}: {status.reason}"
    if not _lives(status.pid):
        return "its projection worker died"
    return None


def _read(view: Path) -> ViewStatus | None:
    try:
        return read_status(view)
    except (OSError, ValueError):
        return None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _count_vectors(node: Node, degraded: list[Degraded]) -> tuple[int, int]:
    try:
        return node.vector.vectors(), node.vector.missing_vectors(None)
    except Exception as error:  # noqa: BLE001  # Lance raises what it likes; health must answer
        degraded.append(
            Degraded(part="view vector", reason=f"cannot be read: {type(error).__name__}")
        )
        return 0, 0
