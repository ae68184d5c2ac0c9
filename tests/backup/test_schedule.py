"""When the daily backup is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.backup.schedule import is_due, last_due

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 10, 9, tzinfo=UTC)
MOMENTS = st.integers(0, 400 * 86_400).map(
    lambda second: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
)


def due(now: datetime, *made_at: datetime, began: datetime | None = None, hour: int = 3) -> bool:
    return is_due(now, hour, BERLIN, made_at, lambda: began)


@given(MOMENTS, st.integers(0, 23), st.sampled_from(["Europe/Berlin", "Asia/Shanghai", "UTC"]))
def test_the_hour_came_within_the_last_day_also_when_clocks_change(now, hour, zone):
    moment = last_due(now, hour, ZoneInfo(zone))
    assert timedelta(0) <= now - moment < timedelta(hours=26)
    shown = moment.astimezone(ZoneInfo(zone))
    # In the night in which clocks go forward there may be no such hour: then the one after it.
    assert shown.hour in (hour, hour + 1)
    assert (shown.minute, shown.second) == (0, 0)


@given(MOMENTS, st.integers(0, 23))
def test_a_worker_that_looks_every_half_hour_makes_one_backup_a_day(began, hour):
    made: list[datetime] = []
    for look in range(48 * 6):
        now = began + timedelta(minutes=30 * look)
        if due(now, *made, began=began, hour=hour):
            made.append(now)
    assert 5 <= len(made) <= 6
    for one, following in pairwise(made):
        assert timedelta(hours=22.5) <= following - one <= timedelta(hours=25.5)


def test_a_new_node_waits_for_its_first_night():
    assert not due(NOW, began=NOW - timedelta(hours=1))
    assert due(NOW + timedelta(days=1), began=NOW - timedelta(hours=1))
    assert not due(NOW + timedelta(days=1), began=None)


def test_a_night_that_the_node_slept_through_is_made_up_for():
    yesterday = NOW - timedelta(days=1)
    assert due(NOW, yesterday)
    assert not due(NOW, yesterday, NOW - timedelta(hours=1))


@pytest.mark.parametrize("ahead", [timedelta(minutes=1), timedelta(days=900)])
def test_a_backup_from_the_future_does_not_keep_todays_from_being_made(ahead):
    assert due(NOW, NOW - timedelta(days=1), NOW + ahead)
    assert due(NOW, NOW + ahead, began=NOW - timedelta(days=2))
