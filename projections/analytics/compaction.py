"""Which small files to make one of: many small files are what slows questions down.

Files grow in two steps, so that a row is written about three times in its life. A day that is over
is merged as soon as it has two small files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from projections.analytics.manifest import DataFile

SMALL: Final = 16_000
LARGEST: Final = 128_000
TOGETHER: Final = 8


class Merge(Struct, frozen=True, kw_only=True):
    """Files of one ``day`` that are to become one."""

    day: str
    files: list[DataFile]


def next_merge(files: Sequence[DataFile]) -> Merge | None:
    """Give the next merge that is worth doing, None if there is none.

    A file under `SMALL` rows is small, one under `LARGEST` ÷ 2 middling. `TOGETHER` small ones are
    merged, or two of a day that is not the newest; then middling ones likewise. No merge has more
    than `LARGEST` rows.
    """
    days: dict[str, list[DataFile]] = defaultdict(list)
    for file in files:
        days[file.day].append(file)
    newest = max(days, default="")
    for day in sorted(days):
        enough = TOGETHER if day == newest else 2
        small = [file for file in days[day] if file.rows < SMALL]
        middling = [file for file in days[day] if SMALL <= file.rows < LARGEST // 2]
        for group, at_least in ((small, enough), (middling, TOGETHER // 2)):
            chosen = _up_to_largest(sorted(group, key=lambda file: file.first))
            full = len(chosen) < len(group)
            if len(chosen) >= (2 if full else at_least):
                return Merge(day=day, files=chosen)
    return None


def _up_to_largest(files: Sequence[DataFile]) -> list[DataFile]:
    chosen: list[DataFile] = []
    rows = 0
    for file in files:
        if rows + file.rows > LARGEST:
            break
        chosen.append(file)
        rows += file.rows
    return chosen
