"""Which things a batch erases: nothing of them stays in a view, not even what it set aside."""

from __future__ import annotations

from collections.abc import Iterable

from domain.events import Event, SubjectErased


def erased_things(events: Iterable[Event]) -> frozenset[str]:
    """Give the ids of the memories and episodes that these events erase."""
    return frozenset(
        thing
        for event in events
        if isinstance(event.body, SubjectErased)
        for thing in (*event.body.memory_ids, *event.body.episode_ids)
    )


def newest_erasure(events: Iterable[Event]) -> int:
    """Give the position of the last of these events that erases something, 0 for none."""
    erasures = (event.position for event in events if isinstance(event.body, SubjectErased))
    return max(erasures, default=0)
