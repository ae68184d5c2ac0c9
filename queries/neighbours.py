"""Which rows stand beside which in their session, and which of them may be results.

A row's neighbours are the chunks before and after it in its episode, and at the ends of that the
last chunk of the turn before and the first of the turn after. Only rows of one namespace and
session are neighbours. What was said around an episode is context of its memory as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
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

_FAR: Final = 1 << 40
_NOTHING: Final = np.empty(0, dtype=np.int64)

_Turn: TypeAlias = tuple[str, str, int]
"""A namespace, a session and a turn's number in it."""


class Wanted(Struct, frozen=True):
    """What to fetch: turns, and chunks of long episodes by row id."""

    turns: frozenset[_Turn]
    chunks: frozenset[str]

    @property
    def keys(self) -> frozenset[str]:
        """The turns as the table spells them."""
        return frozenset(turn_key(*turn) for turn in self.turns)

    def holds(self, hit: Hit) -> bool:
        """Tell whether a row is one of those chunks or of those turns."""
        return hit.row_id in self.chunks or _turn(hit) in self.turns


def wanted_around(rows: Iterable[Hit], known: Iterable[Hit], *, reach: int = REACH) -> Wanted:
    """Tell what to fetch around ``rows``; whole turns that are among ``known`` are left out."""
    turns: set[_Turn] = set()
    chunks: set[str] = set()
    have = {hit.row_id for hit in known}
    whole = {turn for hit in known if hit.chunk_of == 1 and (turn := _turn(hit))}
    offsets = [offset for offset in range(-reach, reach + 1) if offset]
    for hit in rows:
        if (turn := _turn(hit)) is not None:
            namespace, session, number = turn
            turns.update(
                (namespace, session, number + offset) for offset in offsets if number + offset >= 0
            )
        if hit.chunk_of > 1:
            stretch = hit.row_id.rpartition(":")[0]
            chunks.update(
                f"{stretch}:{hit.chunk_index + offset}"
                for offset in offsets
                if 0 <= hit.chunk_index + offset < hit.chunk_of
            )
    return Wanted(frozenset(turns - whole), frozenset(chunks - have))


def beside(hits: Sequence[Hit]) -> dict[int, Integers]:
    """Give by offset the index of the row so many turns later, -1 where none is.

    Of `OFFSETS` those are left out at which no row has another.

    Every chunk of a session gets a place on a line: chunks of a turn follow each other, and a turn
    that is not among ``hits`` takes one place. A neighbour is who stands so many places away. A
    memory stands where its episode does, where that is among ``hits``.
    """
    rows, places = _on_a_line(hits)
    if not len(rows):
        return {}
    found = {offset: np.full(len(hits), -1, dtype=np.int64) for offset in OFFSETS}
    for offset in OFFSETS:
        at = np.minimum(np.searchsorted(places, places + offset), len(places) - 1)
        there = places[at] == places + offset
        found[offset][rows[there]] = rows[at[there]]
    for memory, first, last in _beside_their_episodes(hits):
        for offset in OFFSETS:
            found[offset][memory] = found[offset][first if offset < 0 else last]
    return {offset: others for offset, others in found.items() if (others >= 0).any()}


def passes(hit: Hit, search: SearchFilter) -> bool:
    """Tell whether a live row passes all of a filter, as `search_filter.where` does."""
    observed = hit.observed_at or hit.recorded_at
    return (
        (search.namespaces is None or hit.namespace in search.namespaces)
        and (not search.layers or hit.layer in search.layers)
        and (not search.categories or hit.category in search.categories)
        and (not search.agents or hit.agent_id in search.agents)
        and (not search.sources or hit.source in search.sources)
        and (not search.tags or search.tags.issubset(hit.tags))
        and search.session_id in (None, hit.session_id)
        and (not search.metadata or _pairs(search).issubset(hit.metadata_pairs))
        and (search.observed_after is None or observed >= search.observed_after)
        and (search.observed_before is None or observed <= search.observed_before)
    )


def _pairs(search: SearchFilter) -> set[str]:
    return {metadata_pair(key, value) for key, value in search.metadata.items()}


def _on_a_line(hits: Sequence[Hit]) -> tuple[Integers, Integers]:
    """Give the rows of sessions in order, and each one's place. Sessions lie far apart.

    Of two rows for one chunk the last counts.
    """
    sessions: dict[tuple[str, str], int] = {}
    found = [
        (sessions.setdefault(turn[:2], len(sessions)), turn[2], hit.chunk_index, row, hit.chunk_of)
        for row, hit in enumerate(hits)
        if (turn := _turn(hit)) is not None
    ]
    if not found:
        return _NOTHING, _NOTHING
    flat = np.fromiter(chain.from_iterable(found), np.int64, 5 * len(found)).reshape(-1, 5)
    ordered = flat[np.lexsort((flat[:, 2], flat[:, 1], flat[:, 0]))]  # else in the order of rows
    is_last_of_chunk = np.ones(len(found), dtype=bool)
    is_last_of_chunk[:-1] = (ordered[1:, :3] != ordered[:-1, :3]).any(axis=1)
    session_of, number, chunk, rows, sizes = ordered[is_last_of_chunk].T
    is_last_of_turn = np.ones(len(rows), dtype=bool)
    is_last_of_turn[:-1] = (np.diff(session_of) != 0) | (np.diff(number) != 0)
    # What the turns before take beyond the one place that each has at least.
    beyond = np.cumsum(np.where(is_last_of_turn, sizes - 1, 0))
    before = beyond - np.where(is_last_of_turn, sizes - 1, 0)
    return rows, session_of * _FAR + number + chunk + before


def _beside_their_episodes(hits: Sequence[Hit]) -> list[tuple[int, int, int]]:
    """Give the rows of memories with the first and the last row that is there of their episodes.

    Only an episode of the memory's own namespace is its place.
    """
    memories = [row for row, hit in enumerate(hits) if hit.derived_from]
    if not memories:
        return []
    origins = {hits[row].origin for row in memories}
    chunks: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, hit in enumerate(hits):
        if not hit.derived_from and hit.source_id in origins:
            chunks[hit.namespace, hit.source_id].append(row)
    places = []
    for row in memories:
        if there := chunks.get((hits[row].namespace, hits[row].origin)):
            there = sorted(there, key=lambda one: hits[one].chunk_index)
            places.append((row, there[0], there[-1]))
    return places


def _turn(hit: Hit) -> _Turn | None:
    if hit.session_seq is None or hit.session_id is None:
        return None
    return hit.namespace, hit.session_id, hit.session_seq
