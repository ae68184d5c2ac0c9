"""Out of rows that were found, the best of each source: by the words they hold, or by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from projections.vector.hits import Hit
from projections.vector.lexical import LexicalQuery
from projections.vector.ranking import Counted, Statistics, bm25, counts_of, statistics_of


class ByWords(Struct, frozen=True):
    """The rows found by words, the best of each source, best first, and their scores by `ranking`.

    ``statistics`` are those of the index's candidates, ``counted`` what each of these holds.
    """

    hits: list[Hit]
    scores: list[float]
    statistics: Statistics
    counted: Counted


class NearSources(Struct, frozen=True):
    """The nearest row of each source, nearest first; ``cosines``, by row id, are of every row that
    was measured."""

    hits: list[Hit]
    cosines: dict[str, float]


def best_by_words(
    query: LexicalQuery, found: Iterable[Hit], limit: int, *, complete_first: bool
) -> ByWords:
    """Score rows; give the best of each source, of those that are equally good the first by its id.

    They are of at most ``limit`` origins, of the past of at most ``limit`` sources.
    """
    rows = sorted(found, key=attrgetter("row_id"))
    counts = counts_of(query, [hit.tokens for hit in rows])
    statistics = statistics_of(query, counts)
    scores = bm25(counts, np.array(statistics.idf), statistics.mean_length)
    keys = [-scores]
    if complete_first:
        keys.append((counts.frequencies[: len(query.terms)] == 0).any(axis=0))
    first: dict[str, int] = {}
    for place in np.lexsort(keys).tolist():
        first.setdefault(rows[place].source_id, place)
        if len(first) == 2 * limit:  # no more are chosen
            break
    chosen = list(first.values())
    if complete_first:
        chosen = chosen[:limit]
    else:
        origins = [rows[place].origin for place in chosen]
        chosen = [chosen[place] for place in of_so_many(origins, limit)]
    return ByWords(
        [rows[place] for place in chosen],
        scores[chosen].tolist(),
        statistics,
        Counted({hit.row_id: place for place, hit in enumerate(rows)}, counts),
    )


def nearest_sources(
    rows: Sequence[int], hits: dict[int, Hit], vector: NDArray[np.float32]
) -> NearSources:
    """Measure the cosines of rows that `reading.Reading.nearest` gave, as far as they have vectors.

    Rows that are equally near go by their ids, whatever order they come in.
    ``vector`` is float32[dimension], of length 1.
    """
    found = [hit for row in rows if (hit := hits[row]).vector is not None]
    if not found:
        return NearSources([], {})
    cosines = cosines_of(found, vector)
    ids = [hit.row_id for hit in found]
    best: dict[str, Hit] = {}
    for _, _, place in sorted(zip((-cosines).tolist(), ids, range(len(ids)), strict=True)):
        hit = found[place]
        best.setdefault(hit.source_id, hit)
    return NearSources(list(best.values()), dict(zip(ids, cosines.tolist(), strict=True)))


def cosines_of(hits: Iterable[Hit], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give the cosine of each row's vector, which every one of them has, with ``vector``.

    A row's does not depend on where it stands and what stands beside it, as in a product of
    matrices: the same rows in another order of the table's files must give the same answer.
    """
    # `np.stack` asks more of each row than copying it takes.
    vectors = np.concatenate([hit.vector for hit in hits if hit.vector is not None])
    cosines: NDArray[np.float32] = np.vecdot(vectors.reshape(-1, len(vector)), vector)
    return cosines


def of_so_many(origins: Sequence[str], limit: int) -> list[int]:
    """Give the places up to where ``limit`` origins have come, at most twice as many places.

    A memory has its episode's origin (`Hit.origin`): what was distilled must not take places of
    what else was said, or less of it would be looked at than without any memory.
    """
    seen: set[str] = set()
    chosen = []
    for place, origin in enumerate(origins[: 2 * limit]):
        if origin not in seen and len(seen) == limit:
            break
        seen.add(origin)
        chosen.append(place)
    return chosen
