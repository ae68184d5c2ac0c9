"""A view's life while somebody reads it: events, vectors that come later, upkeep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from projections.vector.compaction import compact, compactions
from projections.vector.maintenance import dataset_of
from tests.projections.vector.histories import History, happen
from tests.projections.vector.places import Place


def lived(history: History, place: Place, data: st.DataObject) -> Iterator[int]:
    """Let things happen to a view, bit by bit; give how many events it shows each time."""
    done = 0
    for _ in range(data.draw(st.integers(2, 6))):
        for _ in range(data.draw(st.integers(1, 4))):
            happen(history, data)
        place.project(history.events[done:])
        done = len(history.events)
        if data.draw(st.booleans()):
            place.fill(lambda _: data.draw(st.booleans()))
        if data.draw(st.booleans()):
            compact_once(dataset_of(place.projector.folder))
        yield done


def compact_once(dataset: Any) -> bool:
    """Rewrite the first fragments that are small or hold deleted rows; tell if there were any."""
    planned = compactions(dataset, deletions_above=0.0)
    if planned:
        compact(dataset, planned[0])
    return bool(planned)
