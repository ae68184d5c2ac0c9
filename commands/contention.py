"""Letting the threads of one process take turns on what they fight over."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from threading import Lock
from typing import Final
from zlib import crc32

_FIRST_PAUSE_S: Final = 0.001
_LONGEST_PAUSE_S: Final = 0.032


class Contention:
    """Locks for aggregates on which a command met a conflict.

    Optimistic retries alone are a lottery: with eight writers on one memory somebody loses twenty
    times in a row. Losers of one process queue here, and newcomers behind them; other processes
    are met by the version check alone, which is what keeps the log right. A command holds one of
    these locks at most, so none can wait for another in a circle.
    """

    def __init__(self, stripes: int = 64) -> None:
        self._locks = [Lock() for _ in range(stripes)]

    def alone_on(self, aggregate_id: str) -> Lock:
        """Give the lock to hold while trying again; unrelated aggregates may share one."""
        return self._locks[crc32(aggregate_id.encode()) % len(self._locks)]

    def fought_over(self, aggregate_ids: Iterable[str]) -> Lock | None:
        """Give the lock of an aggregate that somebody else is trying again on, if there is one."""
        for lock in map(self.alone_on, sorted(aggregate_ids)):
            if lock.locked():
                return lock
        return None


def pause_before(attempt: int, command_id: str) -> float:
    """Give the seconds to wait before the ``attempt``-th try, counted from 0.

    The first repeat waits for nothing. Then it doubles up to 32 ms, of which each command takes a
    share of its own, so that processes that met once do not meet again.
    """
    if attempt < 2:
        return 0.0
    share = sha256(f"{command_id}:{attempt}".encode()).digest()[0] / 255
    return share * min(_FIRST_PAUSE_S * 2.0 ** (attempt - 2), _LONGEST_PAUSE_S)
