"""`memoryweave replica`: a node that follows a log and answers reads (docs/replicas.md)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import structlog

from eventlog.redis_log import RedisLog
from eventlog.verification import Deviation, verify_log
from workers.archive import open_archive, seen_links
from workers.cli.failure import Failure
from workers.log_server import log_url, reached_by_views
from workers.settings import Settings
from workers.supervisor import Plan

_TELL_EVERY_S: Final = 2.0

_log = structlog.get_logger("replica")


def replica_plan() -> Plan:
    """Give what a replica runs: no lifecycle worker, and the API once its views have caught up."""
    return Plan(
        children=("api", "worker projections"), prepare=prepare_replica, ready_within_s=None
    )


def prepare_replica(settings: Settings) -> None:
    """Have a new replica compare log and archive before anything is built from them.

    Raises `Failure` where they are not what they were, `LogUnavailable`, OSError.
    """
    if reached_by_views(settings.data):
        return  # from here on each view compares what it reads with what was read before
    archive = open_archive(settings)
    with RedisLog(log_url(settings), settings.log, archive=archive) as log:
        try:
            verified = verify_log(log, archive, seen_links(settings), _teller())
        except Deviation as deviation:
            raise Failure(f"the log is not what it was at {deviation}") from deviation
    _log.info(
        "verified",
        position=verified.position,
        chain=verified.chain,
        segments=verified.segments,
        checkpoints=verified.checkpoints,
    )


def _teller() -> Callable[[int, int], None]:
    """Give a function that says now and then how far the verification is."""
    said_at = time.monotonic()

    def tell(done: int, of: int) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= _TELL_EVERY_S:
            _log.info("verifying", position=done, of=of)
            said_at = time.monotonic()

    return tell
