"""The lifecycle worker: of all on one log, the holder of the lease archives, trims and backs up.

It also ships the vectors that this node has made, and finishes erasures that nobody finished. In a
thread of its own, under a lease of its own, it has episodes distilled (workers/distillation).

An idle one stays small: what reads Parquet or loads aggregates is imported when something is due.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import structlog
from msgspec import Struct

from domain.errors import Fenced, LogFull, LogUnavailable, MemoryWeaveError
from eventlog.archive.archiver import LEASE, Archiver
from eventlog.archive.rules import MEMORY_ALARM, ArchiveRules
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from workers.archive import archive_location, archive_rules, open_archive
from workers.backup.daily import DailyBackup
from workers.cli.arguments import settings_flags
from workers.distillation.running import distilling
from workers.erasure_upkeep import ErasureUpkeep
from workers.keys import ensure_keys
from workers.lifecycle_status import LifecycleStatus, write_status
from workers.lifetime import die_with_parent, stop_on_signals
from workers.log_server import decision, followed_epoch, log_url, node_id
from workers.logging import set_up_logging
from workers.settings import Settings, resolve
from workers.vector_shipping import VectorShipping

if TYPE_CHECKING:
    from eventlog.archive.trim_plan import TrimPlan

LOOK_EVERY_S: Final = 20.0
LEASE_S: Final = 60.0

_log = structlog.get_logger("lifecycle")


def run(arguments: argparse.Namespace) -> None:
    """Work until SIGINT, SIGTERM or SIGHUP."""
    stop = stop_on_signals()
    die_with_parent(arguments.parent)
    settings = ensure_keys(resolve(settings_flags(arguments), os.environ)).resolved.settings
    set_up_logging("lifecycle", settings.log_level)
    work(settings, stop)


def work(settings: Settings, stop: threading.Event, every_s: float = LOOK_EVERY_S) -> None:
    """Archive and trim whenever something is due, until ``stop`` is set.

    Whatever fails is said in the status file and tried again at the next look.
    """
    holder = f"{node_id(settings.data)}/{os.getpid()}/{os.urandom(4).hex()}"
    archive = open_archive(settings)
    with RedisLog(
        log_url(settings, "archiver"),
        settings.log,
        archive=archive,
        watched=not settings.allow_volatile,
    ) as log:
        lease = Lease(log, LEASE, holder, LEASE_S)
        archiver = Archiver(
            log,
            archive.place,
            lease,
            keep_snapshots=lambda kinds: _keep_snapshots(settings, kinds),
            clock=lambda: datetime.now(UTC),
            rules=archive_rules(settings),
        )
        parts = _Parts(
            settings=settings,
            log=log,
            lease=lease,
            archiver=archiver,
            shipping=VectorShipping(settings, log, lambda: archive.place),
            backup=DailyBackup(settings, log, lease),
            erasures=ErasureUpkeep(settings),
        )
        _log.info("watching", holder=holder)
        with distilling(settings):
            while True:
                write_status(settings.data, _look(parts))
                if stop.wait(every_s):
                    break
        try:
            lease.release()
        except LogUnavailable as error:
            _log.info("lease_not_given_back", reason=str(error))  # it ends by itself
    _log.info("stopped")


class _Parts(Struct, frozen=True, kw_only=True):
    """What one look goes through."""

    settings: Settings
    log: RedisLog
    lease: Lease
    archiver: Archiver
    shipping: VectorShipping
    backup: DailyBackup
    erasures: ErasureUpkeep


def _look(parts: _Parts) -> LifecycleStatus:
    now = datetime.now(UTC)
    data = parts.settings.data
    parts.log.follow(followed_epoch(data), decision(data))
    try:
        state = parts.lease.take()
        if state.fence is None:
            return LifecycleStatus(at=now, active=False)
        parts.archiver.obey(_rules(parts))
        archived = parts.archiver.archive_due()
        plan = parts.archiver.trim() if parts.settings.archive_trim else None
        unshipped = _ship(parts.shipping)
        unsaved = parts.backup.look(now)
        unerased = parts.erasures.look()
    except Fenced as error:
        _log.warning("lease_lost", reason=str(error))
        return LifecycleStatus(at=now, active=False)
    except LogUnavailable as error:
        _log.warning("archive_waits", reason=str(error))
        return LifecycleStatus(at=now, active=False)
    except (LogFull, OSError) as error:
        _log.warning("archive_waits", reason=f"{type(error).__name__}: {error}")
        return LifecycleStatus(at=now, active=True, trouble=f"the archive waits: {error}")
    except MemoryWeaveError as error:
        _log.error("archive_stopped", reason=str(error))  # told in full; it holds no content
        return LifecycleStatus(at=now, active=True, trouble=str(error))
    said = (_trimming_trouble(plan), unshipped, unsaved, unerased)
    trouble = "; ".join(part for part in said if part)
    return LifecycleStatus(at=now, active=True, archived=archived.last, trouble=trouble)


def _rules(parts: _Parts) -> ArchiveRules:
    """Give the rules that hold now: others when the memory of the log's server runs out."""
    rules = archive_rules(parts.settings)
    ratio = parts.log.memory_ratio()
    if ratio is None or ratio < MEMORY_ALARM:
        return rules
    _log.warning("log_memory_runs_out", ratio=round(ratio, 3))
    return rules.under_pressure()


def _ship(shipping: VectorShipping) -> str:
    """Ship vectors if that is due; say what keeps them from being shipped, "" if nothing does."""
    try:
        shipped = shipping.step()
    except Fenced as error:
        _log.info("vectors_wait", reason=str(error))  # a backup or an erasure is about it
        return ""
    except LogUnavailable:
        raise
    except (MemoryWeaveError, OSError, sqlite3.Error) as error:
        _log.error("vectors_not_shipped", reason=f"{type(error).__name__}: {error}")
        return f"vectors cannot be shipped: {error}"
    if shipped:
        _log.info("vectors_shipped", count=shipped)
    return ""


def _trimming_trouble(plan: TrimPlan | None) -> str:
    """Say which readers keep the log from being trimmed, or were left behind."""
    said = []
    if plan and plan.held_by:
        _log.warning("trimming_held_back", readers=plan.held_by)
        said.append(f"trimming waits for {', '.join(plan.held_by)}")
    if plan and plan.left_behind:
        _log.warning("readers_left_behind", readers=plan.left_behind)
        said.append(f"must rebuild from the archive: {', '.join(plan.left_behind)}")
    return "; ".join(said)


def _keep_snapshots(settings: Settings, kinds: Mapping[str, str]) -> None:
    from contextlib import closing

    from commands.application import MemoryApplication

    if kinds:
        with closing(
            MemoryApplication(
                log_url(settings, "archiver"), settings.log, archive=archive_location(settings)
            )
        ) as application:
            application.keep_snapshots(kinds)
