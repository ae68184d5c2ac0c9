"""What a query's search fetched, in the form that the order is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import count
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from projections.vector.chunks import estimated_tokens
from projections.vector.hits import Hit
from projections.vector.lexical import LexicalQuery
from projections.vector.ranking import Counted, Counts, Statistics, counts_of
from queries.neighbours import beside
from queries.windows import Floats, Integers

Mask = NDArray[np.bool_]

_UNKNOWN: Final = float("nan")


class Pool(Struct, frozen=True, kw_only=True):
    """Rows, and one entry a row in every array.

    ``searched`` were found by a search, ``candidates`` are those and the neighbours that may be
    results, the rest is context. ``cosines`` are NaN where the row or the query has no vector.
    ``frequencies`` is float64[keys, rows] for the ``terms`` of the query, then its phrases;
    ``idf`` and ``mean_length`` are the statistics of the rows found by words.
    ``neighbours[k]`` is the row k turns later, -1 for none; without k no row has any.
    """

    hits: Sequence[Hit]
    searched: Mask
    candidates: Mask
    cosines: Floats
    frequencies: Floats
    lengths: Floats
    terms: tuple[str, ...]
    idf: Floats
    mean_length: float
    neighbours: Mapping[int, Integers]

    @property
    def held(self) -> Mask:
        """Which of the terms which row holds: bool[terms, rows]."""
        return self.frequencies[: len(self.terms)] > 0

    @property
    def sizes(self) -> Floats:
        """Estimated tokens, float64[rows]."""
        return np.array([estimated_tokens(hit.content) for hit in self.hits], dtype=np.float64)


def pool_of(
    hits: Sequence[Hit],
    cosines: Mapping[str, float],
    query: LexicalQuery,
    statistics: Statistics,
    counted: Counted,
    *,
    searched: Set[str],
    candidates: Set[str],
) -> Pool:
    """Put rows in arrays. ``cosines``, ``searched`` and ``candidates`` go by row id.

    ``counted`` has every row. None has neighbours yet (`with_neighbours`).
    """
    ids = [hit.row_id for hit in hits]
    places = [counted.places[row_id] for row_id in ids]
    return Pool(
        hits=hits,
        searched=_among(ids, searched),
        candidates=_among(ids, candidates),
        cosines=np.array([cosines.get(row_id, _UNKNOWN) for row_id in ids], dtype=np.float64),
        # As `take` lays them out: sums over them depend on that.
        frequencies=counted.counts.frequencies.take(places, axis=1),
        lengths=counted.counts.lengths.take(places),
        terms=query.terms,
        idf=np.array(statistics.idf, dtype=np.float64),
        mean_length=statistics.mean_length,
        neighbours={},
    )


def counted_too(counted: Counted, query: LexicalQuery, hits: Iterable[Hit]) -> Counted:
    """Count the query's keys in those of the rows that are not counted yet."""
    more = {hit.row_id: hit.tokens for hit in hits if hit.row_id not in counted.places}
    if not more:
        return counted
    known, new = counted.counts, counts_of(query, list(more.values()))
    places = dict(zip(more, count(len(counted.places)), strict=False))
    return Counted(
        counted.places | places,
        Counts(
            np.concatenate((known.frequencies, new.frequencies), axis=1),
            np.concatenate((known.lengths, new.lengths)),
        ),
    )


def with_neighbours(pool: Pool) -> Pool:
    """Tell of each row which others stand beside it."""
    return replace(pool, neighbours=beside(pool.hits))


def _among(ids: Iterable[str], chosen: Set[str]) -> Mask:
    return np.array([row_id in chosen for row_id in ids], dtype=np.bool_)
