"""Leases: of several processes that could do one thing, one does it.

A lease ends by itself when its holder does not renew it. A holder who slept through that and wakes
up writes with an old token, which the append and trim scripts refuse (`Fenced`).
"""

from __future__ import annotations

from msgspec import Struct

from eventlog.append import Fence
from eventlog.redis_log import RedisLog
from eventlog.scripts import TAKE_LEASE


class LeaseState(Struct, frozen=True):
    """Who holds a lease; ``fence`` is what to write with if it is the one who asked."""

    holder: str
    fence: Fence | None


class Lease:
    """One process's claim to a lease.

    ``holder`` is a name that no other process has or had; ``ttl_s`` is how long the lease lasts
    unless it is renewed.
    """

    def __init__(self, log: RedisLog, name: str, holder: str, ttl_s: float) -> None:
        self._log = log
        self._name = name
        self._holder = holder
        self._ttl_ms = max(1, round(ttl_s * 1000))

    def take(self) -> LeaseState:
        """Take the lease if it is free, renew it if it is held here. Raises `LogUnavailable`."""
        token, holder = self._ask(self._ttl_ms)
        return LeaseState(holder, Fence(self._name, token) if token else None)

    def release(self) -> None:
        """Give the lease back, if it is held here. Raises `LogUnavailable`."""
        self._ask(0)

    def _ask(self, ttl_ms: int) -> tuple[int, str]:
        keys = self._log.keys
        token, holder = self._log.run(
            TAKE_LEASE, [keys.lease(self._name), keys.meta], [self._name, self._holder, ttl_ms]
        )
        return token, holder.decode()
