"""Which rows of the vector view may answer, and that as an SQL condition."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from msgspec import Struct

from projections.vector.schema import metadata_pair, microseconds, sql_list, sql_text

_ANSWERING: Final = frozenset({"memory", "episode"})
"""The layers of all rows that can answer. The position row has another, and is never live."""


class SearchFilter(Struct, frozen=True, kw_only=True):
    """Which rows may answer. None or empty means no condition, except that ``namespaces``:
    None is every namespace and an empty set is none.

    Values of one field are alternatives; ``tags`` and ``metadata`` must all be there.
    ``observed_after`` and ``observed_before`` are inclusive and compare the time of observation,
    or of recording where none was given; ``observed_within`` are spans of it, one of which it must
    be in. Superseded episodes answer only if ``layers`` is exactly
    ``{"episode"}``.

    ``position``: the rows that were live there answer, each with the text it had. Which episodes
    were superseded then is not known here, nor which tags a memory had: ``tagged`` are the ids of
    the memories that had all of ``tags`` there.
    """

    namespaces: frozenset[str] | None
    layers: frozenset[str] = frozenset({"memory", "episode"})
    categories: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    session_id: str | None = None
    observed_after: datetime | None = None
    observed_before: datetime | None = None
    observed_within: tuple[tuple[datetime, datetime], ...] = ()
    metadata: dict[str, str | int | float | bool] = {}
    position: int | None = None
    tagged: frozenset[str] = frozenset()


def where(search: SearchFilter) -> str:
    """Give the filter as an SQL condition. Every value enters it as a quoted literal."""
    # The same as that it has no to_position, and indexed.
    conditions = ["ended_by = ''"]
    if search.position is not None:
        at = int(search.position)
        conditions = [f"from_position <= {at}", f"(to_position IS NULL OR to_position > {at})"]
    if search.namespaces is not None:
        conditions.append(_one_of("namespace", search.namespaces))
    if search.layers and not search.layers >= _ANSWERING:
        conditions.append(_one_of("layer", search.layers))
    if search.position is None and search.layers and search.layers != {"episode"}:
        conditions.append("superseded = false")
    for column, values in (
        ("category", search.categories),
        ("agent_id", search.agents),
        ("source", search.sources),
    ):
        if values:
            conditions.append(_one_of(column, values))
    if search.session_id is not None:
        conditions.append(f"session_id = {sql_text(search.session_id)}")
    if search.tags:
        tagged = f"array_has_all(tags, [{sql_list(search.tags)}])"
        if search.position is not None:
            memories = _one_of("source_id", search.tagged)
            tagged = f"(layer = 'episode' AND {tagged} OR layer = 'memory' AND {memories})"
        conditions.append(tagged)
    if search.metadata:
        pairs = sql_list(metadata_pair(key, value) for key, value in search.metadata.items())
        conditions.append(f"array_has_all(metadata_pairs, [{pairs}])")
    observed = "coalesce(observed_at, recorded_at)"
    if search.observed_after is not None:
        conditions.append(f"{observed} >= {microseconds(search.observed_after)}")
    if search.observed_before is not None:
        conditions.append(f"{observed} <= {microseconds(search.observed_before)}")
    if search.observed_within:
        spans = (
            f"{observed} BETWEEN {microseconds(first)} AND {microseconds(last)}"
            for first, last in search.observed_within
        )
        conditions.append(f"({' OR '.join(spans)})")
    return " AND ".join(conditions)


def _one_of(column: str, values: frozenset[str]) -> str:
    return f"{column} IN ({sql_list(values)})" if values else "false"
