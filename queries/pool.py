"""What a query's search fetched, in the form that the order is computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from projections.vector.chunks import estimated_tokens
from projections.vector.hits import Hit
from projections.vector.lexical import LexicalQuery
from projections.vector.ranking import Counted, Statistics, count
from queries.neighbours import beside
from queries.windows import OFFSETS, Floats, Integers

Mask = NDArray[np.bool_]

_UNKNOWN: Final = float("nan")


class Pool(Struct, frozen=True, kw_only=True):
    """Rows, and one entry a row in every array.

    ``searched`` were found by a search, ``candidates`` are those and the neighbours that may be
    results, the rest is context. ``cosines`` are NaN where the row or the query has no vector.
    ``frequencies`` is float64[keys, rows] for the ``terms`` of the query, then its phrases;
    ``idf`` and ``mean_length`` are the statistics of the rows found by words. ``sizes`` are
    estimated tokens. ``neighbours[k]`` is the row k turns later, -1 for none.
    """

    hits: Sequence[Hit]
    searched: Mask
    candidates: Mask
    cosines: Floats
    frequencies: Floats
    lengths: Floats
    sizes: Floats
    terms: tuple[str, ...]
    idf: Floats
    mean_length: float
    neighbours: Mapping[int, Integers]

    @property
    def held(self) -> Mask:
        """Which of the terms which row holds: bool[terms, rows]."""
        return self.frequencies[: len(self.terms)] > 0


def pool_of(
    hits: Sequence[Hit],
    cosines: Mapping[str, float],
    query: LexicalQuery,
    statistics: Statistics,
    *,
    searched: frozenset[str],
    candidates: frozenset[str],
    counted: dict[str, Counted] | None = None,
) -> Pool:
    """Put rows in arrays. ``cosines``, ``searched``, ``candidates`` and ``counted`` go by row id.

    What is in ``counted`` is not counted again, and what is counted is put there. No row has
    neighbours yet (`with_neighbours`).
    """
    known = {} if counted is None else counted
    by_row = [
        known.get(hit.row_id) or known.setdefault(hit.row_id, count(query, hit.tokens))
        for hit in hits
    ]
    place = {key: number * len(hits) for number, key in enumerate(statistics.keys)}
    frequencies = [0] * (len(place) * len(hits))
    for row, (held, _) in enumerate(by_row):
        for key, frequency in held.items():  # few of the keys, in most rows
            frequencies[place[key] + row] = frequency
    return Pool(
        hits=hits,
        searched=_among(hits, searched),
        candidates=_among(hits, candidates),
        cosines=np.array([cosines.get(hit.row_id, _UNKNOWN) for hit in hits], dtype=np.float64),
        frequencies=np.array(frequencies, dtype=np.float64).reshape(len(place), len(hits)),
        lengths=np.array([length for _, length in by_row], dtype=np.float64),
        sizes=np.array([estimated_tokens(hit.content) for hit in hits], dtype=np.float64),
        terms=query.terms,
        idf=np.array(statistics.idf, dtype=np.float64),
        mean_length=statistics.mean_length,
        neighbours=dict.fromkeys(OFFSETS, np.full(len(hits), -1, dtype=np.int64)),
    )


def with_neighbours(pool: Pool) -> Pool:
    """Tell of each row which others stand beside it."""
    return replace(pool, neighbours=beside(pool.hits))


def _among(hits: Sequence[Hit], chosen: frozenset[str]) -> Mask:
    return np.array([hit.row_id in chosen for hit in hits], dtype=np.bool_)
