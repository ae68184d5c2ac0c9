"""Ships this node's vectors to the archive, and takes forgotten ones out of both.

One process at a time, by a lease: the lifecycle worker now and then, a backup or an erasure at
once. What reads Parquet is imported when there is something to do.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from domain.errors import Fenced, LogUnavailable, MemoryWeaveError
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from projections.vector.shipping import Due, ShippingRecord, due_in, forget_in
from workers.log_server import node_id
from workers.settings import Settings

if TYPE_CHECKING:
    from eventlog.archive.place import Place

LEASE: Final = "vectors"
LEASE_S: Final = 60.0
ENOUGH_TO_SHIP: Final = 10_000
_WAIT_FOR_LEASE_S: Final = 30.0
_POLL_S: Final = 0.05

_log = structlog.get_logger("vectors")


class VectorShipping:
    """Ships now and then: when there is much, or something has waited for an hour."""

    def __init__(
        self,
        settings: Settings,
        log: RedisLog,
        archive: Callable[[], Place],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._log = log
        self._archive = archive
        self._monotonic = monotonic
        self._waiting_since: float | None = None

    def step(self) -> int:
        """Ship what is due, and say how many vectors that were.

        Raises `VectorSegmentsRefused`, `Fenced` where another process ships just now,
        `LogUnavailable`, OSError.
        """
        due = due_in(cache_folder(self._settings))
        if not due:
            self._waiting_since = None
            return 0
        now = self._monotonic()
        if self._waiting_since is None:
            self._waiting_since = now
        waited_s = now - self._waiting_since
        if not any(_pressing(one) for one in due.values()) and (
            waited_s < self._settings.archive_segment_s
        ):
            return 0
        shipped = ship_vectors_now(self._settings, self._log, self._archive(), wait_s=0.0)
        self._waiting_since = None
        return shipped


def ship_vectors_now(
    settings: Settings, log: RedisLog, archive: Place, *, wait_s: float = _WAIT_FOR_LEASE_S
) -> int:
    """Bring the archive's vectors to where this node's caches are; say how many were added.

    Waits up to ``wait_s`` for another process that does so. Raises as `VectorShipping.step`.
    """
    from projections.vector.exporting import ship_vectors

    added = 0
    with _exclusive(settings, log, wait_s) as renew:
        for path in due_in(cache_folder(settings)):
            with closing(ShippingRecord(path)) as record:
                added += ship_vectors(archive, record, renew).added
    return added


def ship_what_is_missing(settings: Settings, log: RedisLog) -> None:
    """Ship what a backup should hold; where that cannot be, it does without. `LogUnavailable`."""
    assert log.archive is not None
    try:
        ship_vectors_now(settings, log, log.archive.place)
    except LogUnavailable:
        raise
    except (MemoryWeaveError, OSError, sqlite3.Error) as error:
        _log.warning("vectors_not_shipped", reason=f"{type(error).__name__}: {error}")


def forget_vectors(settings: Settings, log: RedisLog, archive: Place, shas: Iterable[str]) -> int:
    """Strike texts' vectors, by hex SHA-256, out of this node's caches and the whole archive.

    Every model's; when it returns, no file holds them. Tells how many files of the archive were
    written anew. Raises as `VectorShipping.step`.
    """
    from projections.vector.exporting import strike_vectors

    struck = [bytes.fromhex(sha) for sha in shas]
    if not struck:
        return 0
    forget_in(cache_folder(settings), struck)
    with _exclusive(settings, log, _WAIT_FOR_LEASE_S) as renew:
        return strike_vectors(archive, struck, renew)


def cache_folder(settings: Settings) -> Path:
    """Give the folder with the vector caches of all models."""
    return settings.data / "cache"


@contextmanager
def _exclusive(settings: Settings, log: RedisLog, wait_s: float) -> Iterator[Callable[[], None]]:
    holder = f"{node_id(settings.data)}/{os.getpid()}/{os.urandom(4).hex()}"
    lease = Lease(log, LEASE, holder, LEASE_S)

    def renew() -> None:
        state = lease.take()
        if state.fence is None:
            raise Fenced(f"{state.holder} changes the archive's vectors")

    deadline = time.monotonic() + wait_s
    while lease.take().fence is None and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    renew()
    try:
        yield renew
    finally:
        lease.release()


def _pressing(due: Due) -> bool:
    return due.unshipped >= ENOUGH_TO_SHIP or due.forgotten > 0
