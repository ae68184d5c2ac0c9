"""How often the language model may be asked on one day (spec: lifecycle.md, "Distillation").

A call is taken from the log server before it goes out, in one script, so neither a process that
dies nor two that work at once ask more often than is allowed. Days are those of a time zone.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from eventlog.connection import Argument
from eventlog.redis_log import RedisLog
from eventlog.scripts import RESERVE_CALL

Purpose = Literal["distil", "consolidation"]
Pool = Literal["daily", "sunday"]

_SUNDAY: Final = 6
_KEPT_S: Final = 4 * 86_400
"""Longer than any day lasts anywhere, also for a process whose clock is behind."""


class Allowance(Struct, frozen=True, kw_only=True):
    """Calls a day, and how many more consolidation has on Sunday."""

    zone: ZoneInfo
    daily: int = 50
    sunday: int = 20


class Reservation(Struct, frozen=True):
    """One call that may go out."""

    call_id: str
    day: date
    pool: Pool


class CallBudget:
    """The calls of one log. Safe to use from several threads and processes."""

    def __init__(self, log: RedisLog, allowance: Allowance, clock: Callable[[], datetime]) -> None:
        self._log = log
        self._allowance = allowance
        self._clock = clock

    def reserve(self, call_id: str, purpose: Purpose = "distil") -> Reservation | None:
        """Take one call; None when the day has none left for this purpose.

        ``call_id`` is the call's own: taken twice, it counts once. Raises `LogUnavailable`.
        """
        day = self._clock().astimezone(self._allowance.zone).date()
        pools = self._pools(day, purpose)
        keys = [self._log.keys.model_calls(day.isoformat(), pool) for pool, _ in pools]
        arguments: list[Argument] = [call_id, _KEPT_S, *(limit for _, limit in pools)]
        taken: int = self._log.run(RESERVE_CALL, keys, arguments)
        return Reservation(call_id, day, pools[taken - 1][0]) if taken else None

    def give_back(self, reservation: Reservation) -> None:
        """Return a call that surely never reached the model. Raises `LogUnavailable`."""
        key = self._log.keys.model_calls(reservation.day.isoformat(), reservation.pool)
        self._log.call("SREM", key, reservation.call_id)

    def spent(self) -> dict[Pool, int]:
        """Tell how many calls of today are taken. Raises `LogUnavailable`."""
        day = self._clock().astimezone(self._allowance.zone).date().isoformat()
        pools: tuple[Pool, ...] = ("daily", "sunday")
        counts = self._log.call_many(
            [("SCARD", self._log.keys.model_calls(day, pool)) for pool in pools]
        )
        return dict(zip(pools, counts, strict=True))

    def left(self) -> int:
        """Tell how many calls anybody may still make today. Raises `LogUnavailable`."""
        return max(0, self._allowance.daily - self.spent()["daily"])

    def _pools(self, day: date, purpose: Purpose) -> list[tuple[Pool, int]]:
        pools: list[tuple[Pool, int]] = []
        if purpose == "consolidation" and day.weekday() == _SUNDAY:
            pools.append(("sunday", self._allowance.sunday))
        return [*pools, ("daily", self._allowance.daily)]
