"""Having the log server's files written anew, so that what was deleted is in none of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from redis.exceptions import ResponseError

from domain.errors import LogUnavailable
from eventlog.redis_log import RedisLog

_POLL_S: Final = 0.02


class RewriteRefused(Exception):
    """The server does not write its files anew; the message says why, and what to do."""


def rewrite_files(log: RedisLog, deadline_s: float) -> None:
    """Have the append-only file and the snapshot file written anew, and wait for their ends.

    A rewrite that runs already has begun before this call and does not count. Where the server's
    directory can be seen from here, its old files are gone at the end. Raises `RewriteRefused`,
    `LogUnavailable`.
    """
    deadline = time.monotonic() + deadline_s
    try:
        if _info(log)["aof_enabled"] == "1":
            _do(log, "BGREWRITEAOF", deadline)
            _await_old_files_gone(log, deadline)
        if _settings(log).get("save"):
            _do(log, "BGSAVE", deadline)
    except ResponseError as error:
        raise RewriteRefused(
            f"the log server's files cannot be rewritten ({error}): allow BGREWRITEAOF, BGSAVE, "
            "INFO and CONFIG GET, or run BGREWRITEAOF there"
        ) from error


def _do(log: RedisLog, command: str, deadline: float) -> None:
    while True:
        _await_idle(log, deadline)
        try:
            log.call(command)
            break
        except ResponseError as error:
            if "in progress" not in str(error) or time.monotonic() > deadline:
                raise
    _await_idle(log, deadline)
    status = "aof_last_bgrewrite_status" if command == "BGREWRITEAOF" else "rdb_last_bgsave_status"
    if _info(log)[status] != "ok":
        raise RewriteRefused(f"{command} failed: look at the log server's log and disk")


def _await_idle(log: RedisLog, deadline: float) -> None:
    running = ("aof_rewrite_in_progress", "aof_rewrite_scheduled", "rdb_bgsave_in_progress")
    while "1" in map(_info(log).get, running):
        if time.monotonic() > deadline:
            raise LogUnavailable("the log server still rewrites its files: try again later")
        time.sleep(_POLL_S)


def _await_old_files_gone(log: RedisLog, deadline: float) -> None:
    """Wait until the files that the rewrite replaced are unlinked, which the server does after."""
    settings = _settings(log)
    folder = Path(settings.get("dir", "")) / settings.get("appenddirname", "")
    manifest = folder / f"{settings.get('appendfilename', '')}.manifest"
    while manifest.is_file():
        words = [line.split() for line in manifest.read_text("utf-8", "replace").splitlines()]
        named = {line[1] for line in words if len(line) > 1}
        left = [f for f in folder.glob(f"{settings['appendfilename']}.*.*") if f.name not in named]
        if not left:
            return
        if time.monotonic() > deadline:
            raise RewriteRefused(
                f"{', '.join(f.name for f in left)} is left in {folder}: remove it"
            )
        time.sleep(_POLL_S)


def _settings(log: RedisLog) -> dict[str, str]:
    flat = [
        part.decode()
        for name in ("appendonly", "save", "dir", "appenddirname", "appendfilename")
        for part in log.call("CONFIG", "GET", name)
    ]
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _info(log: RedisLog) -> dict[str, str]:
    lines = log.call("INFO", "persistence").decode().splitlines()
    return {n: value for n, colon, value in (line.partition(":") for line in lines) if colon}
