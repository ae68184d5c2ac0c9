"""The two arms of a search, by words and by meaning, side by side, each allowed to fail."""

from __future__ import annotations

from concurrent.futures import Executor
from itertools import chain
from typing import Final

from msgspec import Struct

from inference.embedder import Embedder, Vector
from memoryweave.contract import Degraded
from projections.vector.hits import Hit
from projections.vector.ranking import Statistics
from projections.vector.reading import (
    MEASURED,
    Reading,
    WordRows,
    nearest_sources,
    of_so_many,
)
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from queries.degradation import attempt, note

OF_A_TIME: Final = 25
"""How many more each side gives of a time that the query names."""


class Arms(Struct):
    """What the searches gave: None for one that failed, empty for one that was not made.

    ``words`` and ``dense`` are in their order, ``of_a_time`` in none.
    """

    query_vector: Vector | None
    words: list[Hit] | None
    dense: list[Hit] | None
    of_a_time: list[Hit]
    statistics: Statistics | None


class _Rows(Struct):
    """The ids of rows that the searches gave, before anything of them was fetched."""

    words: WordRows | None = None
    dense: list[int] | None = None
    of_a_time: list[int] = []


def searched_arms(
    query: str,
    wanted: SearchFilter,
    timed: SearchFilter | None,
    limit: int,
    vector: VectorView,
    embedder: Embedder,
    pool: Executor,
    degraded: list[Degraded],
) -> Arms:
    """Search, and fetch what was found, each row once."""
    try:
        reading = vector.reading()
    except Exception as error:  # noqa: BLE001  # as in `attempt`, for both parts
        for part in ("lexical", "dense"):
            note(part, degraded, error)
        return Arms(None, None, None, [], None)
    if reading is None:
        return Arms(None, [], [], [], None)
    query_vector, rows = _found_rows(
        query, wanted, timed, limit, reading, vector, embedder, pool, degraded
    )
    named = (rows.words.rows if rows.words else (), rows.dense or (), rows.of_a_time)
    hits = attempt("dense", degraded, lambda: reading.fetch(chain(*named), wanted))
    if hits is None:
        words = attempt("lexical", degraded, lambda: reading.lexical(query, wanted, limit))
        return Arms(None, words, None, [], rows.words.statistics if rows.words else None)
    dense = None
    if rows.dense is not None and query_vector is not None:
        dense = nearest_sources(rows.dense, hits, query_vector)
        if wanted.position is None:
            dense = [dense[place] for place in of_so_many([hit.origin for hit in dense], limit)]
        else:
            dense = dense[:limit]  # of the past nothing stands for anything else
        if len(dense) < limit and len(rows.dense) == MEASURED * limit:  # many chunks of few sources
            embedded = query_vector
            dense = attempt("dense", degraded, lambda: reading.dense(embedded, wanted, limit))
    return Arms(
        None if dense is None else query_vector,
        None if rows.words is None else [hits[row] for row in rows.words.rows],
        dense,
        [hits[row] for row in rows.of_a_time],
        None if rows.words is None else rows.words.statistics,
    )


def _found_rows(
    query: str,
    wanted: SearchFilter,
    timed: SearchFilter | None,
    limit: int,
    reading: Reading,
    vector: VectorView,
    embedder: Embedder,
    pool: Executor,
    degraded: list[Degraded],
) -> tuple[Vector | None, _Rows]:
    """Ask the indices. The words are looked up in ``pool`` while the query is embedded here."""
    looked_up = pool.submit(lambda: reading.by_words(query, wanted, limit))
    of_a_time = None
    if timed is not None:
        of_a_time = pool.submit(lambda: reading.by_words(query, timed, OF_A_TIME))
    rows = _Rows()
    query_vector = attempt("embedder", degraded, lambda: embedder.embed_query(query))
    if query_vector is not None and _shares_model(vector, embedder, degraded):
        embedded = query_vector
        rows.dense = attempt(
            "dense", degraded, lambda: reading.nearest(embedded, wanted, MEASURED * limit)
        )
        if timed is not None and rows.dense is not None:
            rows.of_a_time += (
                attempt("dense", degraded, lambda: reading.nearest(embedded, timed, OF_A_TIME))
                or []
            )
    rows.words = attempt("lexical", degraded, looked_up.result)
    if of_a_time is not None and rows.words is not None:
        timely = attempt("lexical", degraded, of_a_time.result)
        rows.of_a_time += timely.rows if timely else []
    return query_vector, rows


def _shares_model(vector: VectorView, embedder: Embedder, degraded: list[Degraded]) -> bool:
    """Tell whether the view's vectors and the query's can be compared; note it if they cannot."""
    found = attempt("dense", degraded, vector.model)
    wanted = f"{embedder.name}/{embedder.dimension}"
    if found is None or found == wanted:
        return not any(part.part == "dense" for part in degraded)
    degraded.append(
        Degraded(
            part="dense",
            reason=f"the vectors are of {found}; those of {wanted} are in the next generation",
        )
    )
    return False
