"""Whether the log's server keeps what it acknowledges: asked at the start, and while it is written.

An administrator can change any of it while the server runs, and no answer to an append would tell.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import redis
from redis.exceptions import ResponseError

from domain.errors import LogUnavailable
from eventlog.connection import Connections, NotSent

REQUIRED_SETTINGS: Final = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "maxmemory-policy": "noeviction",
}
"""Without any one of these, an acknowledged event can be lost."""

LOOK_EVERY_S: Final = 1.0
"""So long at most events are stored in a server that has come to be able to lose them."""


def find_shortfalls(server: Connections) -> list[str]:
    """Say why the server could lose an acknowledged event, or has lost one; [] if it keeps all.

    Each line names what to do. Raises `NotSent` and redis.RedisError where it does not answer.
    """
    try:
        answer = server.call("CONFIG", "GET", *REQUIRED_SETTINGS)
    except ResponseError as error:
        return [f"the settings cannot be read ({error}): allow this user CONFIG GET"]
    texts = [part.decode() for part in answer]
    found = dict(zip(texts[::2], texts[1::2], strict=True))
    lines = [
        f"{name} must be {wanted}, it is {found.get(name, 'unknown')}: "
        f'put the line "{name} {wanted}" into the server\'s configuration and restart it'
        for name, wanted in REQUIRED_SETTINGS.items()
        if found.get(name) != wanted
    ]
    if server_info(server, "persistence").get("aof_last_write_status", "ok") != "ok":
        lines.append("the last write to the append-only file failed: look at the server's disk")
    evicted = server_info(server, "stats").get("evicted_keys", "0")
    if evicted != "0":
        lines.append(
            f"the server has thrown {evicted} keys away to make room since it was started: "
            "`memoryweave verify` tells what is missing of the log, a restore brings it back"
        )
    return lines


def server_info(server: Connections, section: str) -> dict[str, str]:
    """Give a section of ``INFO`` by name. Raises `NotSent` and redis.RedisError."""
    text: Any = server.call("INFO", section)
    lines = (line.partition(":") for line in text.decode().splitlines())
    return {name: value for name, colon, value in lines if colon}


def is_rewriting(persistence: dict[str, str]) -> bool:
    """Tell from ``INFO persistence`` whether the append-only file is being written anew."""
    return "1" in (persistence["aof_rewrite_in_progress"], persistence["aof_rewrite_scheduled"])


class LogWatch:
    """Looks before a write, at most once a second, whether it would be kept. Thread-safe.

    ``monotonic`` gives seconds.
    """

    def __init__(
        self, server: Connections, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._server = server
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._look_at = float("-inf")
        self._refusal = ""
        self._was_unsafe = False

    def require_kept(self) -> None:
        """Raise `LogUnavailable` if the server may lose what it acknowledges now.

        Where it does not answer, the last judgement stands, and the write itself will tell.
        """
        # One looks, the others go by what is known: a hung server must not have them queue here.
        if self._monotonic() >= self._look_at and self._lock.acquire(blocking=False):
            try:
                with suppress(NotSent, redis.RedisError, OSError):
                    self._refusal = self._look()
                    self._look_at = self._monotonic() + LOOK_EVERY_S
            finally:
                self._lock.release()
        if self._refusal:
            raise LogUnavailable(f"nothing was stored, it might be lost: {self._refusal}")

    def _look(self) -> str:
        shortfalls = find_shortfalls(self._server)
        if shortfalls:
            self._was_unsafe = True
            return "; ".join(shortfalls)
        if self._was_unsafe and is_rewriting(server_info(self._server, "persistence")):
            # The file was off, and begins with what is written now: until it is whole, a restart
            # reads the one from before.
            return "the append-only file is being written anew"
        self._was_unsafe = False
        return ""
