"""The numbers of the archive."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

MEMORY_ALARM: Final = 0.7
"""Of the memory that the log's server may use. At 1 it refuses commands."""

_PRESSED_SEGMENT_S: Final = 60.0
_PRESSED_HOT_WINDOW: Final = 20_000


class ArchiveRules(Struct, frozen=True, kw_only=True):
    """When a stretch is archived, and when it leaves the log server.

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

    def under_pressure(self) -> ArchiveRules:
        """Give the rules for a server whose memory runs out: close segments sooner, keep less."""
        return replace(
            self,
            segment_age_s=min(self.segment_age_s, _PRESSED_SEGMENT_S),
            hot_window=min(self.hot_window, _PRESSED_HOT_WINDOW),
        )
