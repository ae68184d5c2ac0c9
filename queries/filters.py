"""What a recall asks of a row: for the vector view as its filter, for a scan as a predicate."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memoryweave.contract import Recall
from projections.state.rows import EpisodeRow, MemoryRow
from projections.vector.search_filter import SearchFilter


def search_filter(
    request: Recall,
    scope: frozenset[str] | None,
    *,
    position: int | None = None,
    tagged: frozenset[str] = frozenset(),
) -> SearchFilter | None:
    """Give the vector view's filter; None when no row can match (an empty list was given).

    ``position`` and ``tagged`` are those of `SearchFilter`, for a question about the past.
    """
    choices = (request.categories, request.agents, request.sources, request.layers)
    if any(choice is not None and not choice for choice in choices) or scope == frozenset():
        return None
    return SearchFilter(
        namespaces=scope,
        layers=frozenset(request.layers),
        categories=frozenset(request.categories or ()),
        agents=frozenset(request.agents or ()),
        sources=frozenset(request.sources or ()),
        tags=frozenset(request.tags or ()),
        session_id=request.session_id,
        observed_after=_aware(request.observed_after),
        observed_before=_aware(request.observed_before),
        metadata=dict(request.metadata or {}),
        position=position,
        tagged=tagged,
    )


def matches(row: MemoryRow | EpisodeRow, search: SearchFilter) -> bool:
    """Tell whether a row of the state view passes the filter, as the vector view would judge."""
    layer = "memory" if isinstance(row, MemoryRow) else "episode"
    observed = row.observed_at or row.recorded_at
    return (
        (search.namespaces is None or row.namespace in search.namespaces)
        and layer in search.layers
        and (not search.categories or row.category in search.categories)
        and (not search.agents or row.agent_id in search.agents)
        and (not search.sources or row.source in search.sources)
        and search.tags <= set(row.tags)
        and (search.session_id is None or row.session_id == search.session_id)
        and (search.observed_after is None or observed >= search.observed_after)
        and (search.observed_before is None or observed <= search.observed_before)
        and all(_equal(row.metadata.get(key), value) for key, value in search.metadata.items())
    )


def _equal(stored: Any, asked: str | float | bool) -> bool:
    # In Python True == 1; in JSON they are two things.
    return isinstance(stored, bool) == isinstance(asked, bool) and stored == asked


def _aware(moment: datetime | None) -> datetime | None:
    """Take a time without a zone as UTC, as everywhere on the wire."""
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=UTC)
