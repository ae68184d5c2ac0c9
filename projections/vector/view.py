"""What may be asked of the vector view: dense and lexical candidates under a filter.

Any number of processes and threads may read while the one writer writes. A reader sees every
commit at once. Each search looks at one version of the table: it asks an index for the rows, and
fetches of those that are worth it what a hit tells, so that nothing else is read.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
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

from domain.errors import ViewBehind
from eventlog.subscription import Checkpoint
from projections.digest import ViewDigest
from projections.generation import current_generation
from projections.parking import ParkedEvent
from projections.presence import identity_of
from projections.vector.digest import digest_vector
from projections.vector.hits import Hit, columns_of, hits_of
from projections.vector.indices import cells_to_look_at
from projections.vector.lexical import LexicalQuery, query_of
from projections.vector.live_table import LiveTable, Opened
from projections.vector.ranking import Statistics, rank, statistics_of
from projections.vector.schema import TABLE, ArrowTable, sql_list
from projections.vector.search_filter import SearchFilter, where
from projections.vector.sentinel import Sentinel

CANDIDATES: Final = 200
"""How many rows the index gives for ranking, at least."""

_REFINE: Final = 2
"""How many times the limit is measured again with the full vectors, where an index found them."""


class WordHits(Struct, frozen=True):
    """What was found by words, and the statistics of the index's candidates."""

    hits: list[Hit]
    statistics: Statistics


class Near(Struct, frozen=True):
    """A row that is near a vector."""

    source_id: str
    version: int
    content: str
    cosine: float


class VectorView:
    """Reads the live generation under a view's directory. Thread-safe.

    A view that nobody has begun yet is empty, not an error. Damage to the files surfaces as the
    storage library's own errors (RuntimeError, ValueError, OSError): recall degrades on them.
    """

    def __init__(self, path: Path) -> None:
        """``path`` is the view's directory, ``views/vector``."""
        self._path = path
        self._table = LiveTable(path)

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come; searches after this see at least that much."""
        return self._sentinel().checkpoint

    def begun(self) -> bool:
        """Tell whether there is anything to search: not before it was begun, nor once removed."""
        return self._table.now() is not None

    def generation(self) -> str:
        """Name the live table's files; "" while there are none. Costs two looks at the file system.

        A view that was removed and begun anew has the number that it had, and another name.
        """
        generation = current_generation(self._path)
        identity = identity_of(self._path / str(generation) / f"{TABLE}.lance")
        return "" if identity is None else f"{generation} {identity}"

    def model(self) -> str | None:
        """Give the model of the vectors, as ``<embedder>/<dimension>``; None before it was begun.

        It is another than the present embedder's until the generation for that one is live.
        """
        opened = self._table.now()
        return None if opened is None else self._table.sentinel(opened).model

    def parked(self) -> int:
        """Give the number of events that the view could not show."""
        return len(self._sentinel().parked)

    def parked_events(self, first: int = 1, last: int | None = None) -> list[ParkedEvent]:
        """Give the parked events whose command wrote any of ``first`` to ``last``, by position."""
        wanted = (
            event
            for event in self._sentinel().parked
            if max(event.position, event.through) >= first
            and (last is None or event.position <= last)
        )
        return sorted(wanted, key=lambda event: event.position)

    def digest(self) -> ViewDigest:
        """Digest every row without its vector, at one position. Raises `ViewBehind`."""
        generation = current_generation(self._path)
        if generation is None or not self.begun():
            raise ViewBehind("the vector view is not built yet: start the projection worker")
        return digest_vector(self._path / str(generation))

    def vectors(self) -> int:
        """Count the rows that have their vector, those of past texts included."""
        return self._count("vector IS NOT NULL")

    def missing_vectors(self, namespaces: frozenset[str] | None) -> int:
        """Count the open rows in those namespaces that still wait for their vector."""
        scope = where(SearchFilter(namespaces=namespaces, layers=frozenset()))
        return self._count(f"vector IS NULL AND {scope}")

    def dense(
        self,
        vector: NDArray[np.float32],
        search: SearchFilter,
        limit: int,
        *,
        with_vectors: bool = False,
    ) -> list[Hit]:
        """Give the nearest sources by cosine, best first, at most ``limit``.

        ``vector`` is float32[dimension]. Rows without a vector are not found here.
        """
        opened = self._table.now()
        if opened is None or limit < 1:
            return []
        columns = [*columns_of(opened.columns, search), *(["vector"] if with_vectors else [])]
        count = limit
        while True:
            nearest = _nearest(opened, vector, search, count)
            found = _fetch(opened.dataset, nearest["_rowid"].to_pylist(), columns)
            best = _first_of_each(found["source_id"].to_pylist())
            if len(best) >= limit or nearest.num_rows < count:
                cosines = [1.0 - distance for distance in nearest["_distance"].to_pylist()]
                chosen = best[:limit]
                return hits_of(_rows(found, chosen), [cosines[row] for row in chosen])
            count *= 4

    def dense_of_many(
        self, vectors: NDArray[np.float32], search: SearchFilter, limit: int
    ) -> list[list[Near]]:
        """Give for each vector the nearest rows by cosine, best first, at most ``limit``.

        ``vectors`` is float32[n, dimension]. One look at the table for all of them costs a fraction
        of n looks. For rows of which a source has one, as memories do.
        """
        opened = self._table.now()
        found: list[list[Near]] = [[] for _ in vectors]
        if opened is None or limit < 1 or not len(vectors):
            return found
        nearest = _nearest(opened, vectors, search, limit)
        columns = ["source_id", "version", "content"]
        rows = list(dict.fromkeys(nearest["_rowid"].to_pylist()))
        fetched = _fetch(opened.dataset, rows, columns).to_pylist()
        told = dict(zip(rows, fetched, strict=True))
        if "query_index" not in nearest.column_names:
            assert len(vectors) == 1
            nearest = nearest.append_column("query_index", pa.array([0] * nearest.num_rows))
        answers = nearest.select(["query_index", "_distance", "_rowid"]).to_pylist()
        for answer in sorted(answers, key=lambda one: (one["query_index"], one["_distance"])):
            near = Near(**told[answer["_rowid"]], cosine=1.0 - answer["_distance"])
            found[answer["query_index"]].append(near)
        return found

    def lexical(
        self,
        query_text: str,
        search: SearchFilter,
        limit: int,
        *,
        with_vectors: bool = False,
    ) -> list[Hit]:
        """Give the sources that share terms with the query, best first, at most ``limit``."""
        return self.words(query_text, search, limit, with_vectors=with_vectors).hits

    def words(
        self,
        query_text: str,
        search: SearchFilter,
        limit: int,
        *,
        with_vectors: bool = False,
    ) -> WordHits:
        """Do as `lexical`, and tell by which statistics the sources were put in order.

        Of the past, those come first that hold every term of the query: the index is asked for
        them by themselves, so that no number of others stands before them.
        """
        opened = self._table.now()
        query = query_of(query_text)
        if opened is None or limit < 1 or not query.terms:
            return WordHits([], statistics_of(query, []))
        of_the_past = search.position is not None
        asked = [_full_text(query), _every_term(query)] if of_the_past else [_full_text(query)]
        count = max(CANDIDATES, 2 * limit)
        while True:
            parts = [_holding(opened.dataset, one, search, count) for one in asked]
            ranked = _ranked(query, pa.concat_tables(parts), limit, complete_first=of_the_past)
            if len(ranked.rows) == limit or all(part.num_rows < count for part in parts):
                break
            count *= 4
        columns = [*columns_of(opened.columns, search), *(["vector"] if with_vectors else [])]
        found = _fetch(opened.dataset, ranked.rows, columns)
        hits = hits_of(found, ranked.scores)
        return WordHits(
            [
                replace(hit, complete=complete)
                for hit, complete in zip(hits, ranked.complete, strict=True)
            ],
            ranked.statistics,
        )

    def at_turns(
        self, turns: Collection[str], chunks: Collection[str], search: SearchFilter
    ) -> list[Hit]:
        """Give what was said at these turns of sessions, with vectors, in no order, scores all 0.

        ``turns`` are keys of `turns.turn_key`, ``chunks`` ids of rows wanted besides. Of an episode
        in many chunks come the two first and the two last, and those in ``chunks``. Only the
        scope and the position of ``search`` are applied; what is superseded now is left out.
        """
        opened = self._table.now()
        if opened is None or "session_seq" not in opened.columns or not (turns or chunks):
            return []
        scope = SearchFilter(
            namespaces=search.namespaces, layers=frozenset(), position=search.position
        )
        named = [f"id IN ({sql_list(chunks)})"] if chunks else []
        asked = [f"turn IN ({sql_list(turns)})"] if turns else []
        ends = ["chunk_index < 2", "chunk_index >= chunk_of - 2"]
        found = opened.dataset.to_table(
            columns=[*columns_of(opened.columns, search), "vector"],
            filter=(
                f"({' OR '.join(asked + named)}) AND {where(scope)} AND superseded = false"
                f" AND ({' OR '.join(ends + named)})"
            ),
        )
        return hits_of(found, [0.0] * found.num_rows)

    def _sentinel(self) -> Sentinel:
        opened = self._table.now()
        return Sentinel() if opened is None else self._table.sentinel(opened)

    def _count(self, condition: str) -> int:
        opened = self._table.now()
        return 0 if opened is None else int(opened.dataset.count_rows(condition))


class _Ranked(Struct, frozen=True):
    """Row ids in order, for each its score and whether it holds every term, and by what."""

    rows: list[int]
    scores: list[float]
    complete: list[bool]
    statistics: Statistics


def _nearest(
    opened: Opened, vector: NDArray[np.float32], search: SearchFilter, count: int
) -> ArrowTable:
    """Give the row ids and cosine distances of the nearest rows, nearest first."""
    condition = where(search)
    nearest = {"column": "vector", "q": vector, "k": count, "metric": "cosine"}
    cells = cells_to_look_at(opened.rows, opened.matching(condition))
    if cells is None:
        nearest["use_index"] = False
    else:
        nearest |= {"nprobes": cells, "refine_factor": _REFINE}
    return opened.dataset.to_table(
        columns=["_distance"],
        filter=condition,
        prefilter=True,
        with_row_id=True,
        nearest=nearest,
    )


def _holding(dataset: Any, query: FullTextQuery, search: SearchFilter, count: int) -> ArrowTable:
    """Give row ids, ids, sources and tokens of rows that the index finds by words."""
    return dataset.to_table(
        columns=["id", "source_id", "tokens", "_score"],
        filter=where(search),
        prefilter=True,
        with_row_id=True,
        full_text_query=query,
        limit=count,
    )


def _fetch(dataset: Any, rows: Sequence[int], columns: Sequence[str]) -> ArrowTable:
    """Give the rows with these row ids, in that order. They are of this very version."""
    named = f"_rowid IN ({', '.join(map(str, rows))})" if rows else "false"
    found = dataset.to_table(columns=list(columns), filter=named, with_row_id=True)
    place = {row: number for number, row in enumerate(found["_rowid"].to_pylist())}
    return _rows(found.drop_columns(["_rowid"]), [place[row] for row in rows])


def _full_text(query: LexicalQuery) -> FullTextQuery:
    terms = MatchQuery(" ".join(query.terms), "tokens")
    if not query.phrases:
        return terms
    phrases = [PhraseQuery(" ".join(phrase), "tokens") for phrase in query.phrases]
    return BooleanQuery([(Occur.SHOULD, part) for part in (terms, *phrases)])


def _every_term(query: LexicalQuery) -> FullTextQuery:
    return MatchQuery(" ".join(query.terms), "tokens", operator=FullTextOperator.AND)


def _ranked(query: LexicalQuery, found: ArrowTable, limit: int, *, complete_first: bool) -> _Ranked:
    """Score rows, some of which may be there twice; give the best of each of ``limit`` sources."""
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
    first = _first_of_each([sources[row] for row in order])
    chosen = [order[place] for place in first[:limit]]
    return _Ranked(
        [row_ids[row] for row in chosen],
        [scores[row] for row in chosen],
        [complete[row] for row in chosen],
        statistics,
    )


def _first_of_each(values: Sequence[str]) -> list[int]:
    """Give the place of each value's first occurrence, in order."""
    first: dict[str, int] = {}
    for place, value in enumerate(values):
        first.setdefault(value, place)
    return list(first.values())


def _rows(found: ArrowTable, places: Sequence[int]) -> ArrowTable:
    return found.take(pa.array(places, type=pa.int64()))
