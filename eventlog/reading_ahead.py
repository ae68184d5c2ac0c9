"""The events of several aggregates in one round trip, for who knows what it will look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eventlog.entry import RawEntry, entry_from
from eventlog.redis_log import RedisLog
from eventlog.scripts import READ_AGGREGATE

MOST_AT_ONCE: Final = 200
"""Aggregates a round trip: the server does nothing else meanwhile."""


def read_aggregates(
    log: RedisLog, aggregate_ids: Sequence[str], limit: int
) -> dict[str, list[RawEntry]]:
    """Read the events of each aggregate, oldest first; [] where there is none.

    Those that have more than ``limit``, or of which something was trimmed, are left out: they are
    for `RedisLog.read_aggregate`. Raises `LogUnavailable`.
    """
    found: dict[str, list[RawEntry]] = {}
    for start in range(0, len(aggregate_ids), MOST_AT_ONCE):
        some = aggregate_ids[start : start + MOST_AT_ONCE]
        calls = [
            ([log.keys.aggregate(one), log.keys.stream, log.keys.meta], (0, "+inf", limit, "asc"))
            for one in some
        ]
        for one, (_, last, _, *events) in zip(
            some, log.run_many(READ_AGGREGATE, calls), strict=True
        ):
            if len(events) == last and all(fields is not None for _, _, fields in events):
                found[one] = [entry_from(position, fields) for _, position, fields in events]
    return found
