"""Counting days: the one reading of "days" that every formula uses."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

M = TypeVar("M", datetime, int)

_SECONDS_A_DAY = 86_400.0
_MICROSECONDS_A_DAY = 86_400_000_000.0


def days_between(earlier: datetime, later: datetime) -> float:
    """Give the days from ``earlier`` to ``later``, fractions included, never below 0.

    Both are aware. An ``earlier`` that lies in the future counts as 0 days: a clock that was set
    back must not make a memory younger than new.
    """
    return max(0.0, (later - earlier).total_seconds() / _SECONDS_A_DAY)


def days_of(earlier: int, later: int) -> float:
    """Give what `days_between` gives, of two times in microseconds since the same moment."""
    return max(0.0, (later - earlier) / _MICROSECONDS_A_DAY)


def last_attended(
    recorded_at: M,
    observed_at: M | None = None,
    last_reinforced_at: M | None = None,
    last_reviewed_at: M | None = None,
) -> M:
    """Give the moment from which importance and retention count their days.

    It is the later of observed_at, last reinforcement and last review (spec: lifecycle.md,
    "Importance, quality, freshness"); a memory without any of them counts from its recording.
    """
    latest = observed_at
    for other in (last_reinforced_at, last_reviewed_at):
        if other is not None and (latest is None or other > latest):
            latest = other
    return recorded_at if latest is None else latest
