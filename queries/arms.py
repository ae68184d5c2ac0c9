"""The two arms of a search, by words and by meaning, side by side, each allowed to fail."""

from __future__ import annotations

from concurrent.futures import Executor
from itertools import chain
from typing import Final

from msgspec import Struct

from inference.embedder import Embedder, Vector
from memoryweave.contract import Degraded
from projections.vector.best_sources import ByWords, NearSources, nearest_sources, of_so_many
from projections.vector.hits import Hit
from projections.vector.ranking import Counted, Statistics
from projections.vector.reading import MEASURED, Reading
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from queries.degradation import attempt, note

OF_A_TIME: Final = 25
"""How many more each side gives of a time that the query names."""


class Arms(Struct):
    """What the searches gave: None for one that failed, empty for one that was not made.

    ``words`` and ``dense`` are in their order, ``of_a_time`` in none. ``cosines``, by row id, are
    of every row that was measured; ``counted`` is what those rows hold of the query that were
    looked at for the words.
    """

    query_vector: Vector | None
    words: list[Hit] | None
    dense: list[Hit] | None
    of_a_time: list[Hit]
    statistics: Statistics | None
    counted: Counted | None = None
    cosines: dict[str, float] = {}


class _Rows(Struct):
    """What the indices gave: of meaning, the ids of rows before anything of them was fetched."""

    words: ByWords | None = None
    timely_words: list[Hit] = []
    dense: list[int] | None = None
    timely_dense: list[int] = []


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
    """Search, and fetch what was found."""
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
    words, statistics, counted = None, None, None
    if rows.words is not None:
        words, statistics, counted = rows.words.hits, rows.words.statistics, rows.words.counted
    hits = attempt(
        "dense", degraded, lambda: reading.fetch(chain(rows.dense or (), rows.timely_dense), wanted)
    )
    if hits is None:
        return Arms(None, words, None, rows.timely_words, statistics, counted)
    near = None
    if rows.dense is not None and query_vector is not None:
        near = nearest_sources(rows.dense, hits, query_vector)
        best = near.hits
        if wanted.position is None:
            best = [best[place] for place in of_so_many([hit.origin for hit in best], limit)]
        else:
            best = best[:limit]  # of the past nothing stands for anything else
        near = NearSources(best, near.cosines)
        if len(best) < limit and len(rows.dense) == MEASURED * limit:  # many chunks of few sources
            embedded = query_vector
            near = attempt("dense", degraded, lambda: reading.near_sources(embedded, wanted, limit))
    return Arms(
        None if near is None else query_vector,
        words,
        None if near is None else near.hits,
        [*(hits[row] for row in rows.timely_dense), *rows.timely_words],
        statistics,
        counted,
        {} if near is None else near.cosines,
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
            rows.timely_dense = (
                attempt("dense", degraded, lambda: reading.nearest(embedded, timed, OF_A_TIME))
                or []
            )
    rows.words = attempt("lexical", degraded, looked_up.result)
    if of_a_time is not None and rows.words is not None:
        timely = attempt("lexical", degraded, of_a_time.result)
        rows.timely_words = timely.hits if timely else []
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
