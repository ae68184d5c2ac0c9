"""Finding candidates: what the arms of a search found, and what was said around it, each
allowed to fail (`degradation`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from datetime import UTC, datetime
from itertools import compress
from operator import attrgetter
from typing import Final, cast

import numpy as np
from msgspec import Struct, structs

from inference.embedder import Embedder, Vector
from memoryweave.contract import Degraded, Layer, Level
from projections.state.view import StateView
from projections.vector.best_sources import cosines_of
from projections.vector.hits import Hit
from projections.vector.lexical import LexicalQuery, query_of
from projections.vector.ranking import Counted, Statistics, counts_of, statistics_of
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from queries.arms import Arms, searched_arms
from queries.degradation import attempt
from queries.fusion import Fused, fuse
from queries.misses import rare_terms
from queries.neighbours import EXPANDED, passes, wanted_around
from queries.pool import Pool, counted_too, pool_of, with_neighbours
from queries.speaker_cue import named_speakers
from queries.stages import EVERY_STAGE, NO_STAGE, Stages
from queries.time_cue import Cue, nearness, searched_spans, time_cues
from queries.windows import Floats

CANDIDATES: Final = 50
"""How many each side gives, unless more results are asked for."""

SCANNED: Final = 500
"""How many rows a substring scan gives, before filters."""


class Candidate(Struct, frozen=True, kw_only=True, gc=False):
    """A memory or episode that may be a result, with its score in [0, 1].

    ``version`` and ``content`` are what the vector view showed, None after a scan, which reads
    current texts. ``held`` are the terms of the query that its text holds, ``complete`` if that is
    all of them. ``cosine`` is None where the row or the query has no vector; ``vector`` is the
    row's, float32[dimension], and ``tokens`` what its text is found by. ``dense`` and
    ``lexical`` are the scaled parts of the score, ``speaker`` and ``time`` what the query names.
    """

    id: str
    layer: Layer
    score: float
    version: int | None = None
    content: str | None = None
    chunk_index: int = 0
    chunk_of: int = 1
    cosine: float | None = None
    vector: Vector | None = None
    tokens: str = ""
    dense: float | None = None
    lexical: float | None = None
    speaker: float = 0.0
    time: float = 0.0
    held: frozenset[str] = frozenset()
    complete: bool = False


class Found(Struct, frozen=True, kw_only=True):
    """What a search gave, in no order, and which parts of it failed.

    ``terms`` is how many the query has, ``rare`` those that few rows of the scope hold (`misses`).
    ``exhausted``: neither side had more to give than was asked of it.
    """

    level: Level
    candidates: list[Candidate]
    degraded: list[Degraded]
    lexical_weight: float = 0.0
    terms: int = 0
    rare: frozenset[str] = frozenset()
    exhausted: bool = True


def search(
    query: str,
    wanted: SearchFilter,
    limit: int,
    *,
    vector: VectorView,
    embedder: Embedder,
    pool: Executor,
    now: datetime,
    stages: Stages = EVERY_STAGE,
) -> Found:
    """Search both sides of the vector view for at most ``limit`` candidates each.

    ``now`` is what "yesterday" is the day before of. Never raises: the level is ``empty`` when
    neither side could answer.
    """
    degraded: list[Degraded] = []
    today = now.astimezone(UTC).date()
    cues = time_cues(query, today) if stages.time else []
    timed = None
    if cues:
        timed = structs.replace(wanted, observed_within=searched_spans(cues, today))
    arms = searched_arms(query, wanted, timed, limit, vector, embedder, pool, degraded)
    if arms.dense is None and arms.words is None:
        return Found(level="empty", candidates=[], degraded=degraded)
    level: Level = "hybrid"
    if arms.dense is None or arms.words is None:
        level = "lexical" if arms.dense is None else "dense"
    gathered = _gathered(query, arms, wanted, vector, cues, stages, degraded)
    fused, named, near = _scored(gathered, query, cues, stages)
    return Found(
        level=level,
        candidates=_candidates(gathered, fused, named, near),
        degraded=degraded,
        lexical_weight=fused.lexical_weight,
        terms=len(gathered.terms),
        rare=rare_terms(arms.statistics, len(gathered.terms)) if arms.statistics else frozenset(),
        exhausted=len(arms.dense or ()) < limit and len(arms.words or ()) < limit,
    )


def scan(query: str, wanted: SearchFilter, state: StateView, now: datetime) -> list[Candidate]:
    """Find rows of the state view that hold terms of the query; no filter but the scope applied.

    The score is the share of terms held, of the most that any row holds.
    """
    hits = state.search_substring(
        query, wanted.namespaces, now=now, limit=SCANNED, position=wanted.position
    )
    most = max((hit.terms for hit in hits), default=1)
    return [Candidate(id=hit.id, layer=hit.layer, score=hit.terms / most) for hit in hits]


def _gathered(
    query: str,
    arms: Arms,
    wanted: SearchFilter,
    vector: VectorView,
    cues: list[Cue],
    stages: Stages,
    degraded: list[Degraded],
) -> Pool:
    """Put what was found, and what stands around the best of it, into one pool."""
    found = {hit.row_id: hit for hit in (*(arms.words or ()), *arms.of_a_time, *(arms.dense or ()))}
    asked = query_of(query)
    statistics, counted = _counted(arms, asked)
    cosines = arms.cosines
    searched = frozenset(found)

    def pool_with(hits: Iterable[Hit], candidates: frozenset[str]) -> Pool:
        nonlocal counted, cosines
        # Sums over rows depend on their order, and theirs on how the table's files lie.
        rows = sorted(hits, key=attrgetter("row_id"))
        counted = counted_too(counted, asked, rows)
        cosines = cosines | _cosines(rows, arms.query_vector, cosines)
        return pool_of(
            rows,
            cosines,
            asked,
            statistics,
            counted,
            searched=searched,
            candidates=candidates,
        )

    alone = pool_with(found.values(), searched)
    if not stages.neighbours or not any(hit.session_seq is not None for hit in alone.hits):
        return alone
    first = structs.replace(
        NO_STAGE, evidence=stages.evidence, speaker=stages.speaker, time=stages.time
    )
    scores = _scored(alone, query, cues, first)[0].scores
    best = np.argsort(-scores, kind="stable").tolist()  # of equals the first by its id
    around = wanted_around([alone.hits[row] for row in best[:EXPANDED]], alone.hits)
    episodes: frozenset[str] = frozenset()
    if wanted.position is None and "episode" in wanted.layers:
        here = {hit.source_id for hit in alone.hits}
        episodes = frozenset(hit.origin for hit in alone.hits) - here
    beside = attempt(
        "neighbours",
        degraded,
        lambda: vector.at_turns(around.keys, around.chunks, wanted, episodes),
    )
    if not beside:
        return with_neighbours(alone)
    everything = {hit.row_id: hit for hit in beside} | found
    candidates = searched
    # The episode of a memory that was found may stand higher than it, for what was said around it.
    candidates |= {
        hit.row_id for hit in beside if hit.source_id in episodes and passes(hit, wanted)
    }
    if stages.neighbours_as_candidates:
        nearest = wanted_around([alone.hits[row] for row in best[:EXPANDED]], (), reach=1)
        candidates |= {hit.row_id for hit in beside if nearest.holds(hit) and passes(hit, wanted)}
    return with_neighbours(pool_with(everything.values(), candidates))


def _counted(arms: Arms, asked: LexicalQuery) -> tuple[Statistics, Counted]:
    """Give what was counted for the words, of no rows where they were not looked for."""
    if arms.statistics is not None and arms.counted is not None:
        return arms.statistics, arms.counted
    nothing = counts_of(asked, [])
    return statistics_of(asked, nothing), Counted({}, nothing)


def _cosines(
    hits: Iterable[Hit], query_vector: Vector | None, known: Mapping[str, float]
) -> dict[str, float]:
    """Give the cosines of rows that have a vector and were not among the nearest."""
    if query_vector is None:
        return {}
    rows = [hit for hit in hits if hit.vector is not None and hit.row_id not in known]
    if not rows:
        return {}
    found = cosines_of(rows, query_vector).tolist()
    return dict(zip((hit.row_id for hit in rows), found, strict=True))


def _scored(
    pool: Pool, query: str, cues: list[Cue], stages: Stages
) -> tuple[Fused, Floats, Floats]:
    """Give scores, and for each row whether its speaker is named and how near its time is."""
    named, near = np.zeros(len(pool.hits)), np.zeros(len(pool.hits))
    speakers: frozenset[str] = frozenset()
    if stages.speaker:
        speakers = named_speakers(query, {hit.speaker for hit in pool.hits if hit.speaker})
    if speakers:
        named = np.array([float(hit.speaker in speakers) for hit in pool.hits])
    if cues:
        days = [(hit.observed_at or hit.recorded_at).date() for hit in pool.hits]
        of_day = {day: nearness(day, cues) for day in set(days)}
        near = np.array([of_day[day] for day in days])
    return fuse(pool, query, named, near, stages), named, near


def _candidates(pool: Pool, fused: Fused, named: Floats, near: Floats) -> list[Candidate]:
    """Give the best row of each source, of its newest version where two were seen."""
    best: dict[str, int] = {}
    hits, scores = pool.hits, fused.scores.tolist()

    def rank(row: int) -> tuple[int, float, str]:
        return hits[row].version, scores[row], hits[row].row_id

    for row in np.flatnonzero(pool.candidates).tolist():
        other = best.setdefault(hits[row].source_id, row)
        if other != row and rank(row) > rank(other):
            best[hits[row].source_id] = row
    cosines, meaning, words = pool.cosines.tolist(), fused.meaning.tolist(), fused.words.tolist()
    speaker, time = named.tolist(), near.tolist()
    held = pool.held.T.tolist()
    candidates = []
    for row in best.values():
        hit = hits[row]
        terms = frozenset(compress(pool.terms, held[row]))
        candidates.append(
            Candidate(
                id=hit.source_id,
                layer=cast("Layer", hit.layer),
                score=scores[row],
                version=hit.version,
                content=hit.content,
                chunk_index=hit.chunk_index,
                chunk_of=hit.chunk_of,
                cosine=_known(cosines[row]),
                vector=hit.vector,
                tokens=hit.tokens,
                dense=_known(meaning[row]),
                lexical=_known(words[row]),
                speaker=speaker[row],
                time=time[row],
                held=terms,
                complete=bool(pool.terms) and len(terms) == len(pool.terms),
            )
        )
    return candidates


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
