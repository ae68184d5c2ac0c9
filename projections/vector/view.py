"""What may be asked of the vector view: dense and lexical candidates under a filter.

Any number of processes and threads may read while the one writer writes. A reader sees a commit
within a second, or at once after `VectorView.checkpoint`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.query import (
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
from projections.vector.lexical import LexicalQuery, query_of
from projections.vector.ranking import Statistics, rank, statistics_of
from projections.vector.schema import TABLE, ArrowTable, sql_list
from projections.vector.search_filter import SearchFilter, where
from projections.vector.sentinel import read_sentinel

READ_CONSISTENCY: Final = timedelta(seconds=1)
"""How old a reader's version of the table may be. The writer keeps old versions far longer."""

_PROBES: Final = 20
_REFINE: Final = 5
"""Where there is a vector index: cells looked at, and how many times the limit is measured again
with the full vectors. Found at least as much as a scan in 10,000 and 100,000 rows."""


class WordHits(Struct, frozen=True):
    """What was found by words, and the statistics of the index's candidates."""

    hits: list[Hit]
    statistics: Statistics


class VectorView:
    """Reads the live generation under a view's directory. Thread-safe.

    A view that nobody has begun yet is empty, not an error. Damage to the files surfaces as the
    storage library's own errors (RuntimeError, ValueError, OSError): recall degrades on them.
    """

    def __init__(self, path: Path) -> None:
        """``path`` is the view's directory, ``views/vector``."""
        self._path = path
        self._lock = threading.Lock()
        self._opened: tuple[object, Any] | None = None
        self._model: tuple[Any, str] | None = None
        self._described: tuple[Any, tuple[str, ...]] | None = None

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come; searches after this see at least that much."""
        table = self._table()
        if table is None:
            return Checkpoint()
        table.checkout_latest()
        return read_sentinel(table).checkpoint

    def begun(self) -> bool:
        """Tell whether there is anything to search: not before it was begun, nor once removed."""
        return self._table() is not None

    def model(self) -> str | None:
        """Give the model of the vectors, as ``<embedder>/<dimension>``; None before it was begun.

        It is another than the present embedder's until the generation for that one is live.
        """
        table = self._table()
        if table is None:
            return None
        with self._lock:
            if self._model is None or self._model[0] is not table:
                self._model = table, read_sentinel(table).model
            return self._model[1]

    def parked(self) -> int:
        """Give the number of events that the view could not show."""
        table = self._table()
        return 0 if table is None else len(read_sentinel(table).parked)

    def parked_events(self, first: int = 1, last: int | None = None) -> list[ParkedEvent]:
        """Give the parked events whose command wrote any of ``first`` to ``last``, by position."""
        table = self._table()
        parked = () if table is None else read_sentinel(table).parked
        wanted = (
            event
            for event in parked
            if max(event.position, event.through) >= first
            and (last is None or event.position <= last)
        )
        return sorted(wanted, key=lambda event: event.position)

    def digest(self) -> ViewDigest:
        """Digest every row without its vector, at one position. Raises `ViewBehind`."""
        generation = current_generation(self._path)
        if generation is None or self._table() is None:
            raise ViewBehind("the vector view is not built yet: start the projection worker")
        return digest_vector(self._path / str(generation))

    def vectors(self) -> int:
        """Count the rows that have their vector, those of past texts included."""
        table = self._table()
        return 0 if table is None else int(table.count_rows("vector IS NOT NULL"))

    def missing_vectors(self, namespaces: frozenset[str] | None) -> int:
        """Count the open rows in those namespaces that still wait for their vector."""
        table = self._table()
        if table is None:
            return 0
        scope = where(SearchFilter(namespaces=namespaces, layers=frozenset()))
        return int(table.count_rows(f"vector IS NULL AND {scope}"))

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
        table = self._table()
        if table is None or limit < 1:
            return []
        columns = [*self._columns(table), "_distance", *(["vector"] if with_vectors else [])]

        def rows(count: int) -> ArrowTable:
            query = table.search(vector, vector_column_name="vector").distance_type("cosine")
            query = query.nprobes(_PROBES).refine_factor(_REFINE)
            return query.where(where(search)).select(columns).limit(count).to_arrow()

        return _best_per_source(rows, limit)

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
        table = self._table()
        query = query_of(query_text)
        if table is None or limit < 1 or not query.terms:
            return WordHits([], statistics_of(query, []))
        columns = [*self._columns(table), "_score", *(["vector"] if with_vectors else [])]
        of_the_past = search.position is not None
        asked = [_full_text(query), _every_term(query)] if of_the_past else [_full_text(query)]
        count = max(CANDIDATES, 2 * limit)
        while True:
            parts = [
                table.search(one, query_type="fts")
                .where(where(search))
                .select(columns)
                .limit(count)
                .to_arrow()
                for one in asked
            ]
            found = _best_ranked(query, pa.concat_tables(parts), limit, complete_first=of_the_past)
            if len(found.hits) == limit or all(part.num_rows < count for part in parts):
                return found
            count *= 4

    def at_turns(
        self, turns: Collection[str], chunks: Collection[str], search: SearchFilter
    ) -> list[Hit]:
        """Give what was said at these turns of sessions, with vectors, in no order, scores all 0.

        ``turns`` are keys of `turns.turn_key`, ``chunks`` ids of rows wanted besides. Of an episode
        in many chunks come the two first and the two last, and those in ``chunks``. Only the
        scope and the position of ``search`` are applied; what is superseded now is left out.
        """
        table = self._table()
        if table is None or not (turns or chunks):
            return []
        columns = self._columns(table)
        if "session_seq" not in columns:
            return []
        scope = SearchFilter(
            namespaces=search.namespaces, layers=frozenset(), position=search.position
        )
        named = [f"id IN ({sql_list(chunks)})"] if chunks else []
        asked = [f"turn IN ({sql_list(turns)})"] if turns else []
        ends = ["chunk_index < 2", "chunk_index >= chunk_of - 2"]
        found = (
            table.search()
            .where(
                f"({' OR '.join(asked + named)}) AND {where(scope)} AND superseded = false"
                f" AND ({' OR '.join(ends + named)})"
            )
            .select([*columns, "vector"])
            .to_arrow()
        )
        return hits_of(found, [0.0] * found.num_rows)

    def _columns(self, table: Any) -> tuple[str, ...]:
        """Give the columns of hits; the schema of an open table is asked for once."""
        with self._lock:
            if self._described is None or self._described[0] is not table:
                self._described = table, columns_of(table)
            return self._described[1]

    def _table(self) -> Any:
        """Give the live generation's table, or None while there is none."""
        generation = current_generation(self._path)
        if generation is None:
            return None
        folder = self._path / str(generation)
        # Not the number alone: a view that was removed may have begun anew with the same one.
        found = generation, identity_of(folder / f"{TABLE}.lance")
        with self._lock:
            if self._opened is None or self._opened[0] != found:
                database = lancedb.connect(folder, read_consistency_interval=READ_CONSISTENCY)
                if TABLE not in database.list_tables().tables:
                    return None
                self._opened = found, database.open_table(TABLE)
            return self._opened[1]


CANDIDATES: Final = 200
"""How many rows the index gives for ranking, at least."""


def _full_text(query: LexicalQuery) -> FullTextQuery:
    terms = MatchQuery(" ".join(query.terms), "tokens")  # type: ignore[call-arg]  # has defaults
    if not query.phrases:
        return terms
    phrases = [
        PhraseQuery(" ".join(phrase), "tokens")  # type: ignore[call-arg]  # has defaults
        for phrase in query.phrases
    ]
    return BooleanQuery([(Occur.SHOULD, part) for part in (terms, *phrases)])


def _every_term(query: LexicalQuery) -> FullTextQuery:
    return MatchQuery(  # type: ignore[call-arg]  # has defaults
        " ".join(query.terms), "tokens", operator=FullTextOperator.AND
    )


def _best_ranked(
    query: LexicalQuery, found: ArrowTable, limit: int, *, complete_first: bool
) -> WordHits:
    """Score rows, some of which may be there twice; give the best of each of ``limit`` sources."""
    numbers = list({row_id: i for i, row_id in enumerate(found["id"].to_pylist())}.values())
    found = _rows(found, numbers)
    tokens = found["tokens"].to_pylist()
    (scores, statistics), terms = rank(query, tokens), set(query.terms)
    complete = [terms.issubset(text.split(" ")) for text in tokens]
    ids, sources = found["id"].to_pylist(), found["source_id"].to_pylist()
    order = sorted(
        range(len(scores)), key=lambda i: (complete_first and not complete[i], -scores[i], ids[i])
    )
    best: dict[str, int] = {}
    for index in order:
        best.setdefault(sources[index], index)
    chosen = list(best.values())[:limit]
    hits = hits_of(_rows(found, chosen), [scores[index] for index in chosen])
    return WordHits(
        [replace(hit, complete=complete[index]) for hit, index in zip(hits, chosen, strict=True)],
        statistics,
    )


def _best_per_source(rows: Callable[[int], ArrowTable], limit: int) -> list[Hit]:
    """Ask for ever more rows, nearest first, until there are ``limit`` sources or no more rows."""
    count = limit
    while True:
        found = rows(count)
        best: dict[str, int] = {}
        for index, source in enumerate(found["source_id"].to_pylist()):
            best.setdefault(source, index)
        if len(best) >= limit or found.num_rows < count:
            chosen = _rows(found, list(best.values())[:limit])
            return hits_of(chosen, [1.0 - distance for distance in chosen["_distance"].to_pylist()])
        count *= 4


def _rows(found: ArrowTable, indices: list[int]) -> ArrowTable:
    return found.take(pa.array(indices, type=pa.int64()))
