"""One version of the vector view's table, as a question looks at it.

An index is asked for row ids first; what a hit tells is fetched afterwards, once, of the rows that
are worth it. Both ways of searching give row ids, so that a question that uses both reads a row
that both found once (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from lance.query import (
    BooleanQuery,
    FullTextOperator,
    FullTextQuery,
    MatchQuery,
    Occur,
    PhraseQuery,
)
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from projections.vector.hits import Hit, columns_of, hits_of
from projections.vector.indices import VECTOR_INDEX, cells_to_look_at
from projections.vector.lexical import LexicalQuery, query_of
from projections.vector.live_table import Opened
from projections.vector.ranking import Statistics, rank, statistics_of
from projections.vector.schema import ArrowTable, vector_grid
from projections.vector.search_filter import SearchFilter, where

CANDIDATES: Final = 200
"""How many rows the index of words gives for ranking, at least."""

MEASURED: Final = 2
"""How many times as many rows as are wanted are measured with the full vectors: an index finds them
by a byte for each number."""


class WordRows(Struct, frozen=True):
    """The rows found by words, the best of each source, best first.

    ``scores`` are BM25 with the bonuses of `ranking`, ``complete`` whether a row holds every term
    of the query, ``statistics`` those of the index's candidates.
    """

    rows: list[int]
    scores: list[float]
    complete: list[bool]
    statistics: Statistics


class Near(Struct, frozen=True):
    """A row that is near a vector."""

    source_id: str
    version: int
    content: str
    cosine: float


class Reading:
    """One version of the table. Thread-safe; the rows of one are fetched from the same one."""

    def __init__(self, opened: Opened) -> None:
        """Use `VectorView.reading`."""
        self._opened = opened

    def dense(self, vector: NDArray[np.float32], search: SearchFilter, limit: int) -> list[Hit]:
        """Give the nearest sources by cosine, best first, at most ``limit``, with their vectors."""
        count = MEASURED * limit
        while True:
            rows = self.nearest(vector, search, count)
            best = nearest_sources(rows, self.fetch(rows, search), vector)
            if len(best) >= limit or len(rows) < count:
                return best[:limit]
            count *= 4

    def dense_of_many(
        self, vectors: NDArray[np.float32], search: SearchFilter, limit: int
    ) -> list[list[Near]]:
        """Give for each vector the nearest rows by cosine, best first, at most ``limit``.

        ``vectors`` is float32[n, dimension]; measured with the full vectors.
        """
        # As Arrow's: Lance copies numpy's one by one into doubles and back.
        asked = [pa.array(vector, pa.float32()) for vector in vectors]
        indices = self._opened.dataset.describe_indices()
        by_index = any(index.name == VECTOR_INDEX for index in indices)
        nearest = self._nearest(asked, search, MEASURED * limit if by_index else limit)
        asking = _asking(nearest)
        rows, places = np.unique(nearest["_rowid"].to_numpy(), return_inverse=True)
        columns = ["source_id", "version", "content"]
        fetched = self._take(rows.tolist(), [*columns, "vector"] if by_index else columns)
        told = fetched.select(columns).to_pylist()
        if by_index:
            # Lance would fetch them for each vector by itself, which takes thrice as long.
            cosines = np.einsum("ij,ij->i", vector_grid(fetched)[places], vectors[asking])
        else:
            cosines = 1.0 - nearest["_distance"].to_numpy()
        found: list[list[Near]] = []
        for number in range(len(vectors)):
            own = np.flatnonzero(asking == number)
            best = own[np.argsort(-cosines[own], kind="stable")][:limit]
            found.append([Near(**told[places[at]], cosine=float(cosines[at])) for at in best])
        return found

    def lexical(self, query_text: str, search: SearchFilter, limit: int) -> list[Hit]:
        """Give the sources that share terms with the query, best first, with their vectors."""
        found = self.by_words(query_text, search, limit)
        return found_by_words(found, self.fetch(found.rows, search))

    def nearest(self, vector: NDArray[np.float32], search: SearchFilter, count: int) -> list[int]:
        """Give the ids of at most ``count`` rows that the index, or a scan, finds nearest.

        In the index's order, which is about that of their cosines.
        """
        rows: list[int] = self._nearest(vector, search, count)["_rowid"].to_pylist()
        return rows

    def by_words(self, query_text: str, search: SearchFilter, limit: int) -> WordRows:
        """Give rows that share terms with the query, of as many as ``limit`` things said
        (`of_so_many`).

        Of the past, those come first that hold every term of the query: the index is asked for
        them by themselves, so that no number of others stands before them.
        """
        query = query_of(query_text)
        if not query.terms:
            return WordRows([], [], [], statistics_of(query, []))
        of_the_past = search.position is not None
        asked = [_full_text(query), _every_term(query)] if of_the_past else [_full_text(query)]
        count = max(CANDIDATES, 2 * limit)
        while True:
            parts = [self._holding(one, search, count) for one in asked]
            ranked = _ranked(query, pa.concat_tables(parts), limit, complete_first=of_the_past)
            if len(ranked.rows) >= limit or all(part.num_rows < count for part in parts):
                return ranked
            count *= 4

    def fetch(self, rows: Iterable[int], search: SearchFilter) -> dict[int, Hit]:
        """Give what these rows say, with their vectors, their scores all 0."""
        wanted = list(dict.fromkeys(rows))
        if not wanted:
            return {}
        found = self._take(wanted, [*columns_of(self._opened.columns, search), "vector"])
        return dict(zip(wanted, hits_of(found, [0.0] * len(wanted)), strict=True))

    def _nearest(self, vector: Any, search: SearchFilter, count: int) -> ArrowTable:
        """Give row ids and about their cosine distances, by the index or by a scan.

        ``vector`` is one, or a list of several; then each row says whose it is.
        """
        condition = where(search)
        nearest = {"column": "vector", "q": vector, "k": count, "metric": "cosine"}
        cells = cells_to_look_at(self._opened.rows, self._opened.matching(condition))
        if cells is None:
            nearest["use_index"] = False
        else:
            nearest["nprobes"] = cells
        return self._opened.dataset.to_table(
            columns=["_distance"],
            filter=condition,
            prefilter=True,
            with_row_id=True,
            nearest=nearest,
        )

    def _take(self, rows: list[int], columns: list[str]) -> ArrowTable:
        """Give these rows, in that order."""
        # There is no other way to take rows by their ids than to plan a filter over all fragments.
        return self._opened.dataset._take_rows(rows, columns=columns)  # noqa: SLF001  # above

    def _holding(self, query: FullTextQuery, search: SearchFilter, count: int) -> ArrowTable:
        """Give row ids, ids, sources and tokens of rows that the index finds by words."""
        return self._opened.dataset.to_table(
            columns=["id", "source_id", "derived_from", "tokens", "_score"],
            filter=where(search),
            prefilter=True,
            with_row_id=True,
            full_text_query=query,
            limit=count,
        )


def _asking(nearest: ArrowTable) -> NDArray[np.int32]:
    """Tell which of the vectors that were asked for each row is near."""
    if "query_index" in nearest.column_names:
        asking: NDArray[np.int32] = nearest["query_index"].to_numpy()
        return asking
    return np.zeros(nearest.num_rows, dtype=np.int32)


def nearest_sources(
    rows: Sequence[int], hits: dict[int, Hit], vector: NDArray[np.float32]
) -> list[Hit]:
    """Measure the cosines of rows that `Reading.nearest` gave; the best of each source, best first.

    ``vector`` is float32[dimension], of length 1.
    """
    found = [hits[row] for row in rows if hits[row].vector is not None]
    if not found:
        return []
    cosines = np.stack([hit.vector for hit in found if hit.vector is not None]) @ vector
    order = np.argsort(-cosines, kind="stable")
    best: dict[str, Hit] = {}
    for place in order.tolist():
        hit = found[place]
        if hit.source_id not in best:
            best[hit.source_id] = replace(hit, score=float(cosines[place]))
    return list(best.values())


def found_by_words(found: WordRows, hits: dict[int, Hit]) -> list[Hit]:
    """Give the rows that `Reading.by_words` gave as hits with their scores."""
    return [
        replace(hits[row], score=score, complete=complete)
        for row, score, complete in zip(found.rows, found.scores, found.complete, strict=True)
    ]


def _full_text(query: LexicalQuery) -> FullTextQuery:
    terms = MatchQuery(" ".join(query.terms), "tokens")
    if not query.phrases:
        return terms
    phrases = [PhraseQuery(" ".join(phrase), "tokens") for phrase in query.phrases]
    return BooleanQuery([(Occur.SHOULD, part) for part in (terms, *phrases)])


def _every_term(query: LexicalQuery) -> FullTextQuery:
    return MatchQuery(" ".join(query.terms), "tokens", operator=FullTextOperator.AND)


def _ranked(
    query: LexicalQuery, found: ArrowTable, limit: int, *, complete_first: bool
) -> WordRows:
    """Score rows, some of which may be there twice; give the best of each source.

    They are of at most ``limit`` origins, of the past of at most ``limit`` sources.
    """
    row_ids = found["_rowid"].to_pylist()
    once = list({row_id: number for number, row_id in enumerate(row_ids)}.values())
    if len(once) < len(row_ids):
        found = _rows(found, once)
        row_ids = found["_rowid"].to_pylist()
    tokens = found["tokens"].to_pylist()
    scores, statistics = rank(query, tokens)
    terms = set(query.terms)
    complete = [terms.issubset(text.split(" ")) for text in tokens]
    ids, sources = found["id"].to_pylist(), found["source_id"].to_pylist()
    order = sorted(
        range(len(scores)), key=lambda i: (complete_first and not complete[i], -scores[i], ids[i])
    )
    first = [order[place] for place in _first_of_each([sources[row] for row in order])]
    if complete_first:
        chosen = first[:limit]
    else:
        derived = found["derived_from"].to_pylist()
        origins = [derived[row][0] if derived[row] else sources[row] for row in first]
        chosen = [first[place] for place in of_so_many(origins, limit)]
    return WordRows(
        [row_ids[row] for row in chosen],
        [scores[row] for row in chosen],
        [complete[row] for row in chosen],
        statistics,
    )


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


def _first_of_each(values: Sequence[str]) -> list[int]:
    """Give the place of each value's first occurrence, in order."""
    first: dict[str, int] = {}
    for place, value in enumerate(values):
        first.setdefault(value, place)
    return list(first.values())


def _rows(found: ArrowTable, places: Sequence[int]) -> ArrowTable:
    return found.take(pa.array(places, type=pa.int64()))
