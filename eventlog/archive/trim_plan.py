"""Up to where the log may be trimmed, and who has a say in it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from eventlog.archive.manifest import Manifest
from eventlog.archive.rules import ArchiveRules
from eventlog.readers import Reader


class TrimPlan(Struct, frozen=True, kw_only=True):
    """What may be trimmed.

    ``floor`` is the first position that stays. ``held_by`` are readers for whose sake it is lower
    than it could be; ``left_behind`` are those that must rebuild from the archive: they were held
    for as long as the rules say.
    """

    floor: int
    held_by: tuple[str, ...] = ()
    left_behind: tuple[str, ...] = ()


def plan_trim(
    manifest: Manifest,
    head: int,
    floor: int,
    readers: Iterable[Reader],
    rules: ArchiveRules,
    now: datetime,
) -> TrimPlan:
    """Say what may be trimmed: whole archived segments outside the hot window and read by all."""
    free = _end_of_segments(manifest, head - rules.hot_window + 1)
    holding: dict[str, int] = {}
    left_behind = []
    for reader in readers:
        position = reader.checkpoint.position
        patience = head - position <= rules.hold_events and reader.age_s(now) <= rules.hold_s
        if position + 1 < floor or (position + 1 < free and not patience):
            left_behind.append(reader.name)
        elif position + 1 < free:
            holding[reader.name] = position + 1
    allowed = _end_of_segments(manifest, min(holding.values(), default=free))
    return TrimPlan(
        floor=max(floor, min(free, allowed)),
        held_by=tuple(sorted(holding)),
        left_behind=tuple(sorted(left_behind)),
    )


def _end_of_segments(manifest: Manifest, first_kept: int) -> int:
    """Give the highest position right after a segment that is not above ``first_kept``."""
    ends = (s.last + 1 for s in reversed(manifest.segments) if s.last + 1 <= first_kept)
    return next(ends, 1)
