"""Which backups stay."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from workers.backup.retention import DAILY, SUNDAYS, to_keep

ZONE = ZoneInfo("Asia/Shanghai")
# More than four Sundays, and more than one backup on many days.
MOMENTS = st.integers(0, 150 * 24 * 3600).map(
    lambda second: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
)
SETS = st.sets(MOMENTS, max_size=60)


def day_of(moment: datetime) -> date:
    return moment.astimezone(ZONE).date()


@given(SETS, MOMENTS)
def test_seven_days_and_four_sundays_stay_the_newest_of_each(made_at, now):
    kept = to_keep(made_at, now, ZONE)
    past = {moment for moment in made_at if moment <= now}
    assert kept <= made_at
    assert made_at - past <= kept
    kept_past = kept & past
    for moment in kept_past:
        assert moment == max(other for other in past if day_of(other) == day_of(moment))
    days = {day_of(moment) for moment in past}
    kept_days = {day_of(moment) for moment in kept_past}
    sundays = {day for day in days if day.isoweekday() == 7}
    assert kept_days == {*sorted(days)[-DAILY:], *sorted(sundays)[-SUNDAYS:]}
    assert len(kept_past) == len(kept_days)


@given(SETS, MOMENTS)
def test_what_was_kept_stays_kept_when_asked_again(made_at, now):
    kept = to_keep(made_at, now, ZONE)
    assert to_keep(kept, now, ZONE) == kept


@given(SETS, MOMENTS)
def test_a_backup_made_now_is_never_among_those_that_go(made_at, now):
    assert now in to_keep({*made_at, now}, now, ZONE)


def test_a_year_of_daily_backups_leaves_seven_days_and_four_sundays():
    first = datetime(2026, 1, 1, 3, tzinfo=ZONE)
    kept: set[datetime] = set()
    for day in range(365):
        now = first + timedelta(days=day)
        kept = to_keep({*kept, now}, now, ZONE)
    assert len(kept) in (10, 11)
    assert len([m for m in kept if day_of(m).isoweekday() == 7]) == SUNDAYS
