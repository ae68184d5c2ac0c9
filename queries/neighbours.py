"""Which rows stand beside which in their session, and which of them may be results.

A row's neighbours are the chunks before and after it in its episode, and at the ends of that the
last chunk of the turn before and the first of the turn after. Only rows of one namespace and
session are neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from msgspec import Struct

from projections.vector.hits import Hit
from projections.vector.schema import metadata_pair
from projections.vector.search_filter import SearchFilter
from projections.vector.turns import turn_key
from queries.windows import OFFSETS, Integers

EXPANDED: Final = 50
"""How many of the rows found get their neighbours fetched: those that are best by themselves."""

REACH: Final = 3
"""How far around them is fetched: a neighbour may be a result, and has two as its own context."""


_Turn: TypeAlias = tuple[str, str, int]
"""A namespace, a session and a turn's number in it."""


class Wanted(Struct, frozen=True):
    """What to fetch: turns by key, and chunks of long episodes by row id."""

    turns: frozenset[str]
    chunks: frozenset[str]

    def holds(self, hit: Hit) -> bool:
        """Tell whether a row is one of those chunks or of those turns."""
        return hit.row_id in self.chunks or _key(hit, 0) in self.turns


def wanted_around(rows: Iterable[Hit], known: Iterable[Hit], *, reach: int = REACH) -> Wanted:
    """Tell what to fetch around ``rows``; whole turns that are among ``known`` are left out."""
    turns: set[str] = set()
    chunks: set[str] = set()
    have = {hit.row_id for hit in known}
    whole = {key for hit in known if hit.chunk_of == 1 and (key := _key(hit, 0)) is not None}
    for hit in rows:
        for offset in range(-reach, reach + 1):
            if offset and (key := _key(hit, offset)) is not None:
                turns.add(key)
            if offset and 0 <= hit.chunk_index + offset < hit.chunk_of:
                stretch = hit.row_id.rpartition(":")[0]
                chunks.add(f"{stretch}:{hit.chunk_index + offset}")
    return Wanted(frozenset(turns - whole), frozenset(chunks - have))


def beside(hits: Sequence[Hit]) -> dict[int, Integers]:
    """Give by each of `OFFSETS` the index of the row so many turns later, -1 where none is."""
    at: dict[tuple[_Turn, int], int] = {}
    sizes: dict[_Turn, int] = {}
    for row, hit in enumerate(hits):
        if (turn := _turn(hit)) is not None:
            at[turn, hit.chunk_index] = row
            sizes[turn] = hit.chunk_of
    found = {offset: np.full(len(hits), -1, dtype=np.int64) for offset in OFFSETS}
    for (turn, chunk), row in at.items():
        for step, offsets in ((_next, (1, 2)), (_before, (-1, -2))):
            other, other_chunk = turn, chunk
            for offset in offsets:
                other, other_chunk = step(other, other_chunk, sizes)
                found[offset][row] = at.get((other, other_chunk), -1)
    return found


def passes(hit: Hit, search: SearchFilter) -> bool:
    """Tell whether a live row passes all of a filter, as `search_filter.where` does."""
    observed = hit.observed_at or hit.recorded_at
    pairs = {metadata_pair(key, value) for key, value in search.metadata.items()}
    return (
        (search.namespaces is None or hit.namespace in search.namespaces)
        and (not search.layers or hit.layer in search.layers)
        and (not search.categories or hit.category in search.categories)
        and (not search.agents or hit.agent_id in search.agents)
        and (not search.sources or hit.source in search.sources)
        and search.tags.issubset(hit.tags)
        and search.session_id in (None, hit.session_id)
        and pairs.issubset(hit.metadata_pairs)
        and (search.observed_after is None or observed >= search.observed_after)
        and (search.observed_before is None or observed <= search.observed_before)
    )


def _key(hit: Hit, offset: int) -> str | None:
    turn = _turn(hit)
    if turn is None or turn[2] + offset < 0:
        return None
    return turn_key(turn[0], turn[1], turn[2] + offset)


def _turn(hit: Hit) -> _Turn | None:
    if hit.session_seq is None or hit.session_id is None:
        return None
    return hit.namespace, hit.session_id, hit.session_seq


def _next(turn: _Turn, chunk: int, sizes: Mapping[_Turn, int]) -> tuple[_Turn, int]:
    if chunk + 1 < sizes.get(turn, 1):
        return turn, chunk + 1
    return (turn[0], turn[1], turn[2] + 1), 0


def _before(turn: _Turn, chunk: int, sizes: Mapping[_Turn, int]) -> tuple[_Turn, int]:
    if chunk > 0:
        return turn, chunk - 1
    earlier = turn[0], turn[1], turn[2] - 1
    return earlier, sizes.get(earlier, 1) - 1
