"""Letting the threads of one process take turns on what they fight over."""

from __future__ import annotations

from threading import Lock
from zlib import crc32


class Contention:
    """Locks for aggregates on which a command found a conflict.

    Optimistic retries alone are a lottery: with eight writers on one memory somebody loses twenty
    times in a row. Losers of one process queue here instead; other processes are still met by the
    version check alone, which is what keeps the log right. At most one lock is held at a time, so
    none can wait for another in a circle.
    """

    def __init__(self, stripes: int = 64) -> None:
        self._locks = [Lock() for _ in range(stripes)]

    def alone_on(self, aggregate_id: str) -> Lock:
        """Give the lock to hold while trying again; unrelated aggregates may share one."""
        return self._locks[crc32(aggregate_id.encode()) % len(self._locks)]
