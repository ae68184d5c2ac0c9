"""When a stretch of the log is archived, and when it leaves the log server."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from eventlog.archive.manifest import Manifest
from eventlog.readers import Reader


class ArchiveRules(Struct, frozen=True, kw_only=True):
    """Numbers of the archive.

    A segment is closed at ``segment_events`` events, or when its first event is ``segment_age_s``
    old. The newest ``hot_window`` events stay in the log server. A reader holds trimming back
    unless it is more than ``hold_events`` behind the head or was not seen for ``hold_s``. An
    aggregate's index of at most ``small_index`` entries stays whole: an entry more costs 13 bytes,
    a snapshot in its place some hundred.
    """

    segment_events: int = 50_000
    segment_age_s: float = 3600.0
    hot_window: int = 200_000
    hold_events: int = 500_000
    hold_s: float = 86_400.0
    small_index: int = 16


class TrimPlan(Struct, frozen=True, kw_only=True):
    """Up to where the log may be trimmed, and who has a say in it.

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
