"""The lifecycle worker's daily backup."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.errors import Fenced
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from tests.histories import Historian
from tests.servers import LogServer
from workers.backup.daily import DailyBackup
from workers.backup.folder import backups_in
from workers.backup.place import backups_folder
from workers.settings import Settings


@pytest.fixture
def settings(log_server: LogServer, log_name: str, tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, redis_url=log_server.url, log=log_name)


def test_it_is_made_once_when_due_and_a_failure_is_told_and_tried_again_later(
    settings: Settings, log: RedisLog
) -> None:
    seconds = [0.0]
    lease = Lease(log, "archive", "these tests", 60)
    lease.take()
    daily = DailyBackup(settings, log, lease, lambda: seconds[0])
    now = datetime.now(UTC)
    assert daily.look(now) == "", "an empty log has nothing to back up"
    Historian(log, seed=1).live_on(5)
    folder = backups_folder(settings)
    folder.write_text("in the way")
    assert "no backup could be made" in daily.look(now)
    folder.unlink()
    assert "no backup could be made" in daily.look(now), "it waits before it tries again"
    seconds[0] += 61
    assert daily.look(now) == ""
    assert len(backups_in(folder)) == 1
    assert daily.look(datetime.now(UTC)) == ""
    assert len(backups_in(folder)) == 1


def test_who_loses_the_lease_meanwhile_makes_none(settings: Settings, log: RedisLog) -> None:
    Historian(log, seed=2).live_on(5)
    other = Lease(log, "archive", "another", 60)
    other.take()
    daily = DailyBackup(settings, log, Lease(log, "archive", "these tests", 60))
    with pytest.raises(Fenced):
        daily.look(datetime.now(UTC))
    assert list(backups_folder(settings).glob("backup-*")) == []


def test_it_can_be_turned_off(settings: Settings, log: RedisLog) -> None:
    Historian(log, seed=3).live_on(5)
    lease = Lease(log, "archive", "these tests", 60)
    daily = DailyBackup(replace(settings, backup_daily=False), log, lease)
    assert daily.look(datetime.now(UTC) + timedelta(days=3)) == ""
    assert not backups_folder(settings).exists()
