"""The Recall aggregate: a stretch of the recalls that one process answered for one agent.

A process writes only its own stretches, so nobody ever waits for, or conflicts with, another.
"""

from __future__ import annotations

from msgspec import Struct

from domain.aggregate import AggregateKind
from domain.events import Event
from domain.identity import id_from_key


class RecallStretch(Struct, frozen=True, kw_only=True):
    """How many events the stretch has."""

    id: str
    version: int


def stretch_id(log: str, actor: str, stretch: str) -> str:
    """Give the id of a stretch; ``stretch`` is its name among all of that agent's."""
    return id_from_key(log, "recall", f"{actor}:{stretch}")


def fold(_stretch: RecallStretch | None, event: Event) -> RecallStretch:
    """Apply one event of the log to the state."""
    return RecallStretch(id=event.aggregate_id, version=event.version)


RECALL = AggregateKind("Recall", RecallStretch, fold)
