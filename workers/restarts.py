"""When a crashed child is started again: soon at first, then later and later, then no more."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

STEADY_S: Final = 30.0
"""A child that lived this long was well; its next crash counts as the first."""
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 30.0
GIVE_UP_AFTER: Final = 8


class CrashHistory(Struct, frozen=True):
    """How often a child has died early in a row."""

    early_deaths: int = 0


def after_crash(history: CrashHistory, lived_s: float) -> tuple[CrashHistory, float | None]:
    """Give the new history and the seconds to wait before the next start.

    The wait doubles with every early death, from 0.25 s up to 30 s; None after the eighth: what
    dies at once every time will not get better by itself.
    """
    deaths = 1 if lived_s >= STEADY_S else history.early_deaths + 1
    if deaths >= GIVE_UP_AFTER:
        return CrashHistory(deaths), None
    return CrashHistory(deaths), min(FIRST_PAUSE_S * 2 ** (deaths - 1), LONGEST_PAUSE_S)
