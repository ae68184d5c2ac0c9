"""Which backups are kept: of the last seven days that have one, and of the last four Sundays."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import Final

DAILY: Final = 7
SUNDAYS: Final = 4
_SUNDAY: Final = 6


def to_keep(made_at: Iterable[datetime], now: datetime, zone: tzinfo) -> set[datetime]:
    """Say which of the backups made at these moments stay.

    The newest of each of the newest 7 days, and of each of the newest 4 Sundays; days are those of
    ``zone``. What is dated after ``now`` was made by a clock that was wrong: it stays, and counts
    for nothing until its time has come. Moments are aware.
    """
    moments = list(made_at)
    newest: dict[int, datetime] = {}
    for moment in sorted(moment for moment in moments if moment <= now):
        newest[moment.astimezone(zone).toordinal()] = moment
    days = sorted(newest, reverse=True)
    sundays = [day for day in days if _weekday(day) == _SUNDAY]
    kept = {newest[day] for day in (*days[:DAILY], *sundays[:SUNDAYS])}
    return kept | {moment for moment in moments if moment > now}


def _weekday(day: int) -> int:
    """Give the weekday of a proleptic Gregorian ordinal; Monday is 0."""
    return (day + 6) % 7
