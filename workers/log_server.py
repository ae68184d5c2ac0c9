"""Where the log server is, whether it may be trusted, and which log this node has followed."""

from __future__ import annotations

import fcntl
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import redis
import structlog

from domain.errors import LogUnavailable
from eventlog.acl import LogUser, VolatileUser, with_user
from eventlog.connection import Connections, NotSent
from eventlog.embedded import find_server
from eventlog.guard import (
    GuardReport,
    guard_followed_log,
    guard_log_server,
    load_missing_scripts,
    require_known_history,
)
from eventlog.keys import Keys
from eventlog.redis_log import Head, RedisLog
from eventlog.rights import Rights, rights_on
from eventlog.server_config import ServerName
from eventlog.subscription import Checkpoint
from projections.status import read_status
from workers.archive import open_archive, seen_links
from workers.keys import server_password
from workers.settings import SettingError, Settings

_FILE_NAME: Final = "node.toml"
_ANSWER_WITHIN_S: Final = 5.0

_log = structlog.get_logger("supervisor")

PROCESSES: Final[dict[str, LogUser]] = {
    "api": "writer",
    "projections": "reader",
    "lifecycle": "archiver",
}
"""As whom each kind of process speaks to the log's server."""


def log_url(settings: Settings, user: LogUser) -> str:
    """Give the log server's address: REDIS_URL, or the embedded server that runs now.

    ``user`` is who speaks to the embedded one; in REDIS_URL the user is part of the setting. The
    address holds a password: it must not be shown. Raises `SettingError` when there is neither.
    """
    if settings.redis_url:
        return settings.redis_url
    url = _embedded_url(settings, "log", user)
    if url is None:
        raise SettingError(
            "REDIS_URL",
            f"is not given, and no embedded log server runs on {settings.data}: "
            "start `memoryweave up`, or say where the log is",
        )
    return url


def volatile_url(settings: Settings) -> str | None:
    """Give the volatile server's address; None when there is none, and processes do without.

    It holds a password: it must not be shown.
    """
    return settings.volatile_url or _embedded_url(settings, "volatile", "writer")


def rights_at(settings: Settings, user: LogUser) -> Rights:
    """Ask the log's server as whom ``user`` speaks there, and what that user may do.

    Raises `LogUnavailable`, and `SettingError` when there is no server.
    """
    server = Connections.to(log_url(settings, user), timeout_s=_ANSWER_WITHIN_S)
    try:
        return rights_on(server, Keys(settings.log))
    except (NotSent, redis.RedisError, OSError) as error:
        raise LogUnavailable(f"the log server does not answer: {error}") from error
    finally:
        server.close()


def load_scripts(settings: Settings) -> None:
    """Put scripts back that the embedded server has forgotten: no service may load one there.

    Does nothing while the server does not answer.
    """
    server = Connections.to(log_url(settings, "admin"), timeout_s=_ANSWER_WITHIN_S)
    try:
        load_missing_scripts(server)
    except (NotSent, redis.RedisError, OSError) as error:
        _log.info("scripts_not_looked_at", reason=str(error))
    finally:
        server.close()


def guard_log(settings: Settings, user: LogUser) -> GuardReport:
    """Check the log server and its history as ``user``, and keep the epoch for the next start.

    A replica that has followed the log before starts also while the server does not answer: its
    views serve, and compare with the log before they go on. Raises what `guard_log_server` raises.
    """
    seen = epoch_seen(settings.data)
    archive = open_archive(settings)
    known = reached_by_views(settings.data)
    with RedisLog(log_url(settings, user), settings.log, archive=archive) as log:
        if settings.role == "replica":
            report = _guard_followed(log, seen, known)
        else:
            report = guard_log_server(
                log,
                expected_epoch=seen,
                known=known,
                allow_volatile=settings.allow_volatile,
            )
    _take_over(settings, seen, report.head.epoch)
    return report


def look_at_history(settings: Settings) -> Head:
    """Compare the log with what this node has followed, as the guard does, and nothing else.

    Takes a new epoch over that goes on from the followed one. Raises `LogFork`, `LogGap`,
    `LogUnavailable`, `SettingError`.
    """
    seen = epoch_seen(settings.data)
    known = reached_by_views(settings.data)
    url = log_url(settings, "reader")
    with RedisLog(url, settings.log, archive=open_archive(settings)) as log:
        head = require_known_history(log, seen, known)
    _take_over(settings, seen, head.epoch)
    return head


def _take_over(settings: Settings, seen: str, epoch: str) -> None:
    """Keep the log's epoch; what was read of an earlier one is no evidence against it."""
    if epoch in ("", seen):
        return
    if seen:
        seen_links(settings).forget(seen)
    remember_epoch(settings.data, epoch)


def _guard_followed(log: RedisLog, seen: str, known: list[Checkpoint]) -> GuardReport:
    try:
        return guard_followed_log(log, expected_epoch=seen, known=known)
    except LogUnavailable as error:
        if not seen:
            raise
        not_looked_at = f"the log server was not looked at, because at the start {error}"
        return GuardReport(
            "",
            Head(0, "", seen),
            durable=False,
            shortfalls=(not_looked_at,),
        )


def reached_by_views(data: Path) -> list[Checkpoint]:
    """Say how far this node's views have come: a log that ends before that has lost events."""
    statuses = [read_status(view) for view in sorted((data / "views").glob("*"))]
    return [
        Checkpoint(status.position, status.epoch, status.event_id)
        for status in statuses
        if status is not None
    ]


def is_new(settings: Settings) -> bool:
    """Tell whether this node has not built any view yet."""
    return not any(checkpoint.position for checkpoint in reached_by_views(settings.data))


def epoch_seen(data: Path) -> str:
    """Give the epoch of the log that this node has followed, "" for a new node."""
    return _read_node(data).get("epoch", "")


def followed_epoch(data: Path) -> str:
    """Give the epoch that this node or its views have followed, "" for a new node.

    A node keeps it at its starts, so in its first run only the views know it.
    """
    known = (checkpoint.epoch for checkpoint in reached_by_views(data))
    return epoch_seen(data) or next((epoch for epoch in known if epoch), "")


def remember_epoch(data: Path, epoch: str) -> None:
    """Keep the epoch in node.toml."""
    _change_node(data, "epoch", lambda _: epoch)


def remember_decision(data: Path, head: Head) -> None:
    """Keep that somebody took the log's history up to this head for right, though it is another."""
    _change_node(data, "epoch", lambda _: head.epoch)
    _change_node(data, "decided", lambda _: f"{head.position}/{head.event_id}")


def decision(data: Path) -> str:
    """Name the newest decision of `remember_decision`, "" where nobody had to decide."""
    return _read_node(data).get("decided", "")


def node_id(data: Path, randomness: Callable[[int], bytes] = os.urandom) -> str:
    """Give the name under which this node registers with the log; made when first asked for.

    ``randomness(n)`` gives n random bytes.
    """
    return _read_node(data).get("id") or _change_node(
        data, "id", lambda known: known or randomness(8).hex()
    )


def _embedded_url(
    settings: Settings, server: ServerName, user: LogUser | VolatileUser
) -> str | None:
    url = find_server(settings.data, server)
    password = server_password(settings.data, server, user) if url else None
    return url if url is None or password is None else with_user(url, user, password)


def _read_node(data: Path) -> dict[str, str]:
    try:
        node = tomllib.loads((data / _FILE_NAME).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return {name: str(value) for name, value in node.items()}


def _change_node(data: Path, name: str, change: Callable[[str], str]) -> str:
    """Change one line of node.toml and give what it says; several processes may do so at once."""
    with (data / f"{_FILE_NAME}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        node = _read_node(data)
        node[name] = change(node.get(name, ""))
        new = data / f"{_FILE_NAME}.new"
        with new.open("w", encoding="utf-8") as file:
            file.writelines(f'{key} = "{value}"\n' for key, value in sorted(node.items()))
            file.flush()
            os.fsync(file.fileno())
        new.rename(data / _FILE_NAME)
    return node[name]
