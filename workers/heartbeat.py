"""Saying every 10 s how this node is, so that other nodes and people know of it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import structlog

from domain.errors import MemoryWeaveError
from eventlog.nodes import BEAT_EVERY_S, NodeBeat, Nodes, NodeView
from eventlog.redis_log import RedisLog
from projections.generation import BuiltBy, built_by
from projections.purging import cleared_up_to
from projections.status import read_status
from workers.log_server import node_id
from workers.ports import url_of
from workers.settings import Settings

_FIRST_PAUSE_S: Final = 1.0

_log = structlog.get_logger("projections")


def keep_beating(
    settings: Settings,
    views: Iterable[str],
    log: RedisLog,
    stop: threading.Event,
    every_s: float = BEAT_EVERY_S,
) -> None:
    """Say how the node is until ``stop``, then that it is gone. Sooner at the start, when it
    changes much.

    A log that does not answer is no reason to stop: the next beat says it.
    """
    nodes, names = Nodes(log), list(views)
    told, pause = True, min(_FIRST_PAUSE_S, every_s)
    _warn_of_a_double(settings, nodes)
    while True:
        try:
            nodes.beat(beat_of(settings, names, log, datetime.now(UTC)))
            told = True
        except (MemoryWeaveError, OSError) as error:
            if told:
                _log.warning("heartbeat_not_told", reason=f"{type(error).__name__}: {error}")
            told = False
        if stop.wait(pause):
            break
        pause = min(2 * pause, every_s)
    try:
        nodes.leave(node_id(settings.data))
    except (MemoryWeaveError, OSError) as error:
        _log.info("end_not_told", reason=str(error))  # its last beat ends by itself


def _warn_of_a_double(settings: Settings, nodes: Nodes) -> None:
    """Say so if another node lives under this one's name: its data directory was copied."""
    own, url = node_id(settings.data), public_url(settings)
    try:
        others = [beat.url for beat in nodes.living() if beat.node_id == own and beat.url != url]
    except MemoryWeaveError:
        return
    if others:
        _log.warning(
            "another_node_has_this_id",
            id=own,
            url=others[0],
            do="if that is not this node before its address changed: the data directory is a copy; "
            "stop this node, delete the line id from node.toml, start it again",
        )


def beat_of(settings: Settings, views: Iterable[str], log: RedisLog, now: datetime) -> NodeBeat:
    """Describe the node as it is. Raises `LogUnavailable`, OSError."""
    head = log.head()
    return NodeBeat(
        node_id=node_id(settings.data),
        role=settings.role,
        url=public_url(settings),
        version=version("memoryweave"),
        said_at=now,
        epoch=head.epoch,
        position=head.position,
        views={name: _view_of(settings.data / "views" / name, head.position) for name in views},
    )


def public_url(settings: Settings) -> str:
    """Give the address at which other nodes reach this one's API.

    One that listens on every address is told by the machine's name.
    """
    if settings.public_url is not None:
        return settings.public_url.rstrip("/")
    tls = settings.tls_certificate is not None
    if settings.host in {"0.0.0.0", "::"}:  # noqa: S104  # compared, not bound
        return url_of(socket.gethostname(), settings.port, tls=tls)
    return url_of(settings.host, settings.port, tls=tls)


def _view_of(folder: Path, head: int) -> NodeView:
    try:
        status = read_status(folder)
    except ValueError:
        status = None
    if status is None:
        return NodeView(position=0, lag=head, parked=0, generation=0, state="absent")
    builder = built_by(folder / str(status.generation)) or BuiltBy(projector=0, schema=0)
    return NodeView(
        position=status.position,
        lag=max(0, head - status.position),
        parked=status.parked,
        generation=status.generation,
        state=status.state,
        problem=status.problem,
        projector=builder.projector,
        schema=builder.schema,
        model=builder.model if builder.embedder else "",
        purged=cleared_up_to(folder),
    )
