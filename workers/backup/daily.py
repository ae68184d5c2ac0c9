"""The daily backup, made by the lifecycle worker that holds the lease."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from domain.errors import Fenced, LogUnavailable, MemoryWeaveError
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from workers.backup.folder import backups_in
from workers.backup.place import backups_folder
from workers.backup.schedule import is_due
from workers.settings import Settings

_FIRST_PAUSE_S: Final = 60.0
_LONGEST_PAUSE_S: Final = 3600.0
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_log = structlog.get_logger("lifecycle")


class DailyBackup:
    """Makes a backup when it is time; after a failure again, later and later.

    ``keep_lease`` is called between the steps of a run and raises `Fenced` when it is lost.
    """

    def __init__(
        self,
        settings: Settings,
        log: RedisLog,
        lease: Lease,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._log = log
        self._lease = lease
        self._monotonic = monotonic
        self._failures = 0
        self._again_at = float("-inf")
        self._trouble = ""

    def look(self, now: datetime) -> str:
        """Make a backup if one is due; say what keeps it from being made, "" if nothing does.

        Raises `Fenced` when the lease is lost meanwhile, `LogUnavailable`.
        """
        if not self._settings.backup_daily or self._monotonic() < self._again_at:
            return self._trouble
        try:
            if self._is_due(now):
                self._make()
        except (Fenced, LogUnavailable):
            raise
        except (MemoryWeaveError, OSError) as error:
            pause = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(self._failures, 10))
            self._failures += 1
            self._again_at = self._monotonic() + pause
            self._trouble = f"no backup could be made: {error}"
            _log.error("backup_failed", reason=str(error), again_in_s=pause)
        else:
            self._failures, self._trouble = 0, ""
        return self._trouble

    def _is_due(self, now: datetime) -> bool:
        made_at = [backup.made_at for backup in backups_in(backups_folder(self._settings))]
        zone = ZoneInfo(self._settings.time_zone)
        return is_due(now, self._settings.backup_hour, zone, made_at, self._first_event_at)

    def _first_event_at(self) -> datetime | None:
        first = self._log.read(1, 1)
        return _EPOCH + timedelta(microseconds=first[0].occurred_at_us) if first else None

    def _make(self) -> None:
        # Imported here: an idle lifecycle worker does without Arrow.
        from workers.backup.making import make_backup

        made = make_backup(self._settings, said=self._keep_lease)
        _log.info(
            "backup_made",
            file=made.path.name,
            position=made.position,
            size=made.size,
            removed=made.removed,
        )

    def _keep_lease(self, _step: str) -> None:
        state = self._lease.take()
        if state.fence is None:
            raise Fenced(f"{state.holder} looks after this log by now")
