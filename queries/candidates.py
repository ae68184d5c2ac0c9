"""Finding candidates: dense and lexical search side by side, each allowed to fail.

A part that fails is reported and the others answer (spec: recall.md, "Degradation"). Reasons name
the kind of failure, never a query or a text.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from datetime import datetime
from typing import Final, TypeVar, cast

import numpy as np
import structlog
from msgspec import Struct

from inference.embedder import Embedder, EmbeddingError, Vector
from memoryweave.contract import Degraded, Layer, Level
from projections.state.view import StateView
from projections.vector.view import Hit, SearchFilter, VectorView
from queries.fusion import Fused, fuse, lexical_weight

CANDIDATES: Final = 50
"""How many each side gives, unless more results are asked for."""

SCANNED: Final = 500
"""How many rows a substring scan gives, before filters."""

T = TypeVar("T")

_logger = structlog.get_logger(__name__)


class Candidate(Struct, frozen=True, kw_only=True):
    """A memory or episode that may be a result, with its score in [0, 1].

    ``version`` and ``content`` are what the vector view showed, None after a scan, which reads
    current texts. ``complete``: its text was found to hold every term of the query. ``cosine`` is
    None where the row or the query has no vector; ``dense`` and
    ``lexical`` are the scaled parts of the score.
    """

    id: str
    layer: Layer
    score: float
    version: int | None = None
    content: str | None = None
    chunk_index: int = 0
    chunk_of: int = 1
    cosine: float | None = None
    dense: float | None = None
    lexical: float | None = None
    complete: bool = False


class Found(Struct, frozen=True, kw_only=True):
    """What a search gave, in no order, and which parts of it failed.

    ``exhausted``: neither side had more to give than was asked of it.
    """

    level: Level
    candidates: list[Candidate]
    degraded: list[Degraded]
    lexical_weight: float = 0.0
    exhausted: bool = True


def search(
    query: str,
    wanted: SearchFilter,
    limit: int,
    *,
    vector: VectorView,
    embedder: Embedder,
    pool: Executor,
) -> Found:
    """Search both sides of the vector view for at most ``limit`` candidates each.

    The words are looked up in ``pool`` while the query is embedded here. Never raises: the level
    is ``empty`` when neither side could answer.
    """
    degraded: list[Degraded] = []
    looked_up = pool.submit(lambda: vector.lexical(query, wanted, limit, with_vectors=True))
    dense_hits: list[Hit] | None = None
    query_vector = attempt("embedder", degraded, lambda: embedder.embed_query(query))
    if query_vector is not None and _shares_model(vector, embedder, degraded):
        embedded = query_vector
        dense_hits = attempt("dense", degraded, lambda: vector.dense(embedded, wanted, limit))
    lexical_hits = attempt("lexical", degraded, looked_up.result)
    if dense_hits is None and lexical_hits is None:
        return Found(level="empty", candidates=[], degraded=degraded)
    level: Level = "hybrid"
    if dense_hits is None or lexical_hits is None:
        level = "lexical" if dense_hits is None else "dense"
    weight = lexical_weight(query, [hit.content for hit in dense_hits or ()])
    candidates = _fused(
        dense_hits or [], lexical_hits or [], None if level == "lexical" else query_vector, weight
    )
    return Found(
        level=level,
        candidates=candidates,
        degraded=degraded,
        lexical_weight=weight,
        exhausted=len(dense_hits or ()) < limit and len(lexical_hits or ()) < limit,
    )


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


def scan(query: str, wanted: SearchFilter, state: StateView, now: datetime) -> list[Candidate]:
    """Find rows of the state view that hold terms of the query; no filter but the scope applied.

    The score is the share of terms held, of the most that any row holds.
    """
    hits = state.search_substring(
        query, wanted.namespaces, now=now, limit=SCANNED, position=wanted.position
    )
    most = max((hit.terms for hit in hits), default=1)
    return [Candidate(id=hit.id, layer=hit.layer, score=hit.terms / most) for hit in hits]


def attempt(part: str, degraded: list[Degraded], action: Callable[[], T]) -> T | None:
    """Give the action's answer, or None after noting in ``degraded`` that ``part`` failed."""
    try:
        return action()
    except EmbeddingError as error:
        reason = str(error)  # by contract without texts or keys
    except Exception as error:  # noqa: BLE001  # whatever a store raises, recall answers without it
        reason = type(error).__name__
        # The message is left out: a storage error may quote a filter, and with it a text.
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        _logger.warning("recall_part_failed", part=part, error=reason, where=where)
    degraded.append(Degraded(part=part, reason=reason))
    return None


def _fused(
    dense_hits: list[Hit], lexical_hits: list[Hit], query_vector: Vector | None, weight: float
) -> list[Candidate]:
    by_meaning = {hit.source_id: hit for hit in dense_hits}
    by_words = {hit.source_id: hit for hit in lexical_hits}
    cosines = {key: hit.score for key, hit in by_meaning.items()}
    bare = set()
    for key, hit in by_words.items():
        if hit.vector is None:
            bare.add(key)
        elif query_vector is not None:
            # A hit by words has a cosine too, though it was not among the nearest.
            cosine = float(np.dot(hit.vector, query_vector))
            cosines[key] = max(cosine, cosines.get(key, -1.0))
    scores = fuse(
        cosines,
        {key: hit.score for key, hit in by_words.items()},
        without_vector=frozenset(bare),
        lexical_weight=weight,
    )
    complete = {key for key, hit in by_words.items() if hit.complete}
    return [
        _candidate(
            _shown(key, fused, weight, by_meaning, by_words),
            fused,
            cosines.get(key),
            complete=key in complete,
        )
        for key, fused in scores.items()
    ]


def _shown(
    key: str,
    fused: Fused,
    weight: float,
    by_meaning: Mapping[str, Hit],
    by_words: Mapping[str, Hit],
) -> Hit:
    """Choose the chunk that speaks for a source: that of the side which gave it more."""
    near, worded = by_meaning.get(key), by_words.get(key)
    if near is None or worded is None:
        return cast("Hit", near or worded)
    if near.version != worded.version:
        return max(near, worded, key=lambda hit: hit.version)
    return (
        near if (1 - weight) * (fused.dense or 0.0) >= weight * (fused.lexical or 0.0) else worded
    )


def _candidate(hit: Hit, fused: Fused, cosine: float | None, *, complete: bool) -> Candidate:
    return Candidate(
        id=hit.source_id,
        layer=cast("Layer", hit.layer),
        score=fused.score,
        version=hit.version,
        content=hit.content,
        chunk_index=hit.chunk_index,
        chunk_of=hit.chunk_of,
        cosine=cosine,
        dense=fused.dense,
        lexical=fused.lexical,
        complete=complete,
    )
