"""Which memories an episode is held against: the most alike of its namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from domain.distillation.known import Known
from workers.distillation.reading_talk import Case


class Shortlist(Struct, frozen=True, kw_only=True):
    """``near`` are the most alike, nearest first, ``recent`` the newest. ``likely`` are the ids of
    those near enough to say the same. Each is of the episode's namespace, and may be out of date.
    """

    near: tuple[Known, ...] = ()
    recent: tuple[Known, ...] = ()
    likely: tuple[str, ...] = ()

    @property
    def merged(self) -> tuple[Known, ...]:
        """Both, each memory once, the nearest first."""
        return tuple({known.memory_id: known for known in (*self.near, *self.recent)}.values())


class Shortlists(Protocol):
    """Gives shortlists. None of its failures keeps an episode from being distilled."""

    def of(self, cases: Sequence[Case]) -> list[Shortlist]:
        """Give each episode's, in the same order."""

    def term_share(self, namespace: str, term: str) -> float:
        """Give in which share of the namespace's memories a term occurs, 1 if nobody knows."""
