"""When the daily backup is due: once a day from its hour on, also when the node slept then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, tzinfo


def last_due(now: datetime, hour: int, zone: tzinfo) -> datetime:
    """Give the last moment at which a clock on the wall in ``zone`` showed that hour."""
    local = now.astimezone(zone)
    moment = local.replace(hour=hour, minute=0, second=0, microsecond=0, fold=0)
    if moment > local:
        moment = (local - timedelta(days=1)).replace(
            hour=hour, minute=0, second=0, microsecond=0, fold=0
        )
    return moment.astimezone(now.tzinfo)


def is_due(
    now: datetime,
    hour: int,
    zone: tzinfo,
    made_at: Iterable[datetime],
    first_event_at: Callable[[], datetime | None],
) -> bool:
    """Tell whether a backup is to be made now.

    None was made since the hour came, and what there is to back up is older than that: a new node
    waits for its first night. Backups dated after ``now`` were made by a clock that was wrong.
    """
    due = last_due(now, hour, zone)
    past = [moment for moment in made_at if moment <= now]
    if past:
        return max(past) < due
    began = first_event_at()
    return began is not None and began < due
