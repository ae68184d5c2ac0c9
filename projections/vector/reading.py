"""One version of the vector view's table, as a question looks at it.

An index is asked for row ids only; what a row says is fetched by its id, once, and not at all where
an earlier question fetched it (`kept_rows`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any, Final

import numpy as np
import pyarrow as pa
import structlog
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

from projections.vector.best_sources import (
    ByWords,
    NearSources,
    best_by_words,
    nearest_sources,
)
from projections.vector.hits import Hit, columns_of, hits_of
from projections.vector.indices import TEXT_INDEX, VECTOR_INDEX, cells_to_look_at
from projections.vector.lexical import LexicalQuery, query_of
from projections.vector.live_table import Opened
from projections.vector.schema import ArrowTable, sql_list, vector_grid
from projections.vector.search_filter import SearchFilter, where
from projections.vector.told import COLUMN as TOLD

_logger = structlog.get_logger(__name__)

CANDIDATES: Final = 200
"""How many rows the index of words gives for ranking, at least."""

MEASURED: Final = 2
"""How many times as many rows as are wanted are measured with the full vectors: an index finds them
by a byte for each number."""

_READ_AHEAD: Final = (TOLD, "vector")
"""The columns that are read of rows ahead of questions: those that any hit needs."""

_MANY: Final = 16
"""How many rows a question must miss for more than those to be read."""

_ENDS: Final = 2
"""How many chunks of a long episode stand beside others, at its beginning and at its end."""


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
        near = self.near_sources(vector, search, limit)
        return [replace(hit, score=near.cosines[hit.row_id]) for hit in near.hits]

    def near_sources(
        self, vector: NDArray[np.float32], search: SearchFilter, limit: int
    ) -> NearSources:
        """Give the nearest sources by cosine, at most ``limit``."""
        count = MEASURED * limit
        while True:
            rows = self.nearest(vector, search, count)
            near = nearest_sources(rows, self.fetch(rows, search), vector)
            if len(near.hits) >= limit or len(rows) < count:
                return NearSources(near.hits[:limit], near.cosines)
            count *= 4

    def dense_of_many(
        self, vectors: NDArray[np.float32], search: SearchFilter, limit: int
    ) -> list[list[Near]]:
        """Give for each vector the nearest rows by cosine, best first, at most ``limit``.

        Those that are equally near go by their sources' ids. ``vectors`` is float32[n, dimension];
        measured with the full vectors.
        """
        asked = [pa.array(vector, pa.float32()) for vector in vectors]
        indices = self._opened.dataset.describe_indices()
        by_index = any(index.name == VECTOR_INDEX for index in indices)
        # Of a scan too: where it ends, it leaves equals out as they lie.
        nearest = self._nearest(asked, search, MEASURED * limit)
        asking = _asking(nearest)
        rows, places = np.unique(nearest["_rowid"].to_numpy(), return_inverse=True)
        columns = ["source_id", "version", "content"]
        fetched = self._take(rows.tolist(), [*columns, "vector"] if by_index else columns)
        told = fetched.select(columns).to_pylist()
        if by_index:
            # Lance would fetch them for each vector by itself, which takes thrice as long.
            cosines = np.vecdot(vector_grid(fetched)[places], vectors[asking])
        else:
            cosines = 1.0 - nearest["_distance"].to_numpy()
        _, sources = np.unique(fetched["source_id"].to_pylist(), return_inverse=True)
        order = np.lexsort((sources[places], -cosines, asking))
        found: list[list[Near]] = [[] for _ in vectors]
        for at in order.tolist():
            own = found[asking[at]]
            if len(own) < limit:
                own.append(Near(**told[places[at]], cosine=float(cosines[at])))
        return found

    def lexical(self, query_text: str, search: SearchFilter, limit: int) -> list[Hit]:
        """Give the sources that share terms with the query, best first, with their vectors."""
        found = self.by_words(query_text, search, limit)
        return [
            replace(hit, score=score) for hit, score in zip(found.hits, found.scores, strict=True)
        ]

    def nearest(self, vector: NDArray[np.float32], search: SearchFilter, count: int) -> list[int]:
        """Give the ids of at most ``count`` rows that the index, or a scan, finds nearest.

        In the index's order, which is about that of their cosines.
        """
        asked = pa.array(vector, pa.float32())
        rows: list[int] = self._nearest(asked, search, count)["_rowid"].to_pylist()
        return rows

    def by_words(self, query_text: str, search: SearchFilter, limit: int) -> ByWords:
        """Give rows that share terms with the query, of as many as ``limit`` things said
        (`of_so_many`).

        Of the past, those come first that hold every term of the query: the index is asked for
        them by themselves, so that no number of others stands before them.
        """
        query = query_of(query_text)
        if not query.terms:
            return best_by_words(query, [], limit, complete_first=False)
        of_the_past = search.position is not None
        asked = [_full_text(query), _every_term(query)] if of_the_past else [_full_text(query)]
        most = max(CANDIDATES, 2 * limit)
        while True:
            parts = [self._holding(one, search, most) for one in asked]
            found = self.fetch(chain(*parts), search).values()
            ranked = best_by_words(query, found, limit, complete_first=of_the_past)
            if len(ranked.hits) >= limit or all(len(part) < most for part in parts):
                return ranked
            most *= 4

    def at_turns(
        self,
        turns: Collection[str],
        chunks: Collection[str],
        search: SearchFilter,
        episodes: Collection[str] = (),
    ) -> list[Hit]:
        """Give what was said at these turns of sessions, as `VectorView.at_turns` does."""
        if "session_seq" not in self._opened.columns or not (turns or chunks or episodes):
            return []
        named = [f"id IN ({sql_list(chunks)})"] if chunks else []
        asked = [f"turn IN ({sql_list(turns)})"] if turns else []
        if episodes:
            asked.append(f"source_id IN ({sql_list(episodes)})")
        live = where(SearchFilter(namespaces=None, layers=frozenset(), position=search.position))
        rows = self._opened.dataset.to_table(
            columns=[],
            filter=f"({' OR '.join(asked + named)}) AND {live} AND superseded = false",
            with_row_id=True,
        )["_rowid"].to_pylist()
        known = self._opened.kept.find(self._columns(search), rows)
        unknown = [row for row in rows if row not in known]
        if unknown:
            # Only where there are so many that it pays to look at their places first.
            few = len(unknown) <= 2 * CANDIDATES
            known |= self.fetch(unknown if few else self._ends_of(unknown, chunks), search)
        return [
            hit
            for hit in known.values()
            if (search.namespaces is None or hit.namespace in search.namespaces)
            and (_is_end(hit.chunk_index, hit.chunk_of) or hit.row_id in chunks)
        ]

    def fetch(self, rows: Iterable[int], search: SearchFilter) -> dict[int, Hit]:
        """Give what these rows say, with their vectors, in that order, their scores all 0."""
        wanted = list(dict.fromkeys(rows))
        columns = self._columns(search)
        found = self._opened.kept.find(columns, wanted)
        if len(found) == len(wanted):
            return found
        missing = sorted(row for row in wanted if row not in found)
        hits = hits_of(self._take(missing, list(columns)), [0.0] * len(missing))
        read = dict(zip(missing, hits, strict=True))
        self._opened.kept.keep(columns, read, self._opened.version)
        many = len(missing) >= _MANY and columns == _READ_AHEAD
        if many and self._opened.kept.has_room_for(self._opened.rows):
            self._read_ahead(columns)
        found |= read
        return {row: found[row] for row in wanted}

    def _read_ahead(self, columns: tuple[str, ...]) -> None:
        """Keep some more rows of the table, if any are left to read."""
        opened = self._opened
        fragments = {one.fragment_id: one for one in opened.dataset.get_fragments()}
        part = opened.kept.next_part({at: one.metadata.num_rows for at, one in fragments.items()})
        if part is None:
            return
        try:
            found = fragments[part.fragment].to_table(
                columns=list(columns), offset=part.first, limit=part.count, with_row_id=True
            )
            places = found["_rowid"].to_pylist()
            known = opened.kept.find(columns, places)
            told = found[TOLD].is_valid().to_pylist()  # the position row tells nothing
            new = [at for at, place in enumerate(places) if told[at] and place not in known]
            hits = hits_of(found.drop_columns(["_rowid"]).take(new), [0.0] * len(new))
        except Exception as error:  # noqa: BLE001  # Lance raises what it likes about damaged files
            # Nobody asked for these rows. Whoever does is told.
            _logger.warning("rows_not_read_ahead", error=type(error).__name__)
            return
        read = {places[at]: hit for at, hit in zip(new, hits, strict=True)}
        opened.kept.keep(columns, read, opened.version)

    def _columns(self, search: SearchFilter) -> tuple[str, ...]:
        return (*columns_of(self._opened.columns, search), "vector")

    def _ends_of(self, rows: list[int], chunks: Collection[str]) -> list[int]:
        """Leave out the chunks inside long episodes that are not among ``chunks``."""
        read = self._take(rows, ["id", "chunk_index", "chunk_of"])
        places = zip(rows, *(column.to_pylist() for column in read.columns), strict=True)
        return [
            row for row, row_id, index, count in places if _is_end(index, count) or row_id in chunks
        ]

    def _nearest(self, vector: Any, search: SearchFilter, count: int) -> ArrowTable:
        """Give row ids and about their cosine distances, by the index or by a scan.

        ``vector`` is one, or a list of several; then each row says whose it is. As Arrow's: Lance
        copies numpy's into doubles and back.
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
            fast_search=cells is not None and self._opened.covered_by(VECTOR_INDEX),
        )

    def _take(self, rows: list[int], columns: list[str]) -> ArrowTable:
        """Give these rows, in that order."""
        # There is no other way to take rows by their ids than to plan a filter over all fragments.
        return self._opened.dataset._take_rows(rows, columns=columns)  # noqa: SLF001  # above

    def _holding(self, query: FullTextQuery, search: SearchFilter, count: int) -> list[int]:
        """Give the ids of rows that the index finds by words."""
        rows: list[int] = self._opened.dataset.to_table(
            columns=["_score"],
            filter=where(search),
            prefilter=True,
            with_row_id=True,
            full_text_query=query,
            limit=count,
            fast_search=self._opened.covered_by(TEXT_INDEX),
        )["_rowid"].to_pylist()
        return rows


def _asking(nearest: ArrowTable) -> NDArray[np.int32]:
    """Tell which of the vectors that were asked for each row is near."""
    if "query_index" in nearest.column_names:
        asking: NDArray[np.int32] = nearest["query_index"].to_numpy()
        return asking
    return np.zeros(nearest.num_rows, dtype=np.int32)


def _is_end(index: int, count: int) -> bool:
    return index < _ENDS or index >= count - _ENDS


def _full_text(query: LexicalQuery) -> FullTextQuery:
    terms = MatchQuery(" ".join(query.terms), "tokens")
    if not query.phrases:
        return terms
    phrases = [PhraseQuery(" ".join(phrase), "tokens") for phrase in query.phrases]
    return BooleanQuery([(Occur.SHOULD, part) for part in (terms, *phrases)])


def _every_term(query: LexicalQuery) -> FullTextQuery:
    return MatchQuery(" ".join(query.terms), "tokens", operator=FullTextOperator.AND)
