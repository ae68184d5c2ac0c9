"""From what may be a result to the order that is shown, stage by stage (spec: recall.md).

Absorption, reranker, signals, the newest first, near-identical texts once, diversity: each can be
switched off (`stages.Stages`), and each is a pure function in a module of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from inference.reranker import Reranker
from memoryweave.contract import Degraded
from projections.state.rows import EpisodeOutline, MemoryOutline
from projections.vector.schema import embedded_text
from queries.absorption import Part, absorbed
from queries.degradation import attempt
from queries.diversity import Comparable, Floats, repetition, selected
from queries.items import EXTERNAL_ID
from queries.judgement import Admitted, Judgement, text_of
from queries.near_identical import once, wording
from queries.reranking import RERANKED, blended
from queries.revisions import Statement, newest_first
from queries.signals import nudge
from queries.worth import worths_of

LEAST_COMPARED: Final = 20
"""Among how many at least repetitions are looked for; twice what is asked for, if that is more."""


def ranked(
    kept: Sequence[Admitted],
    terms: int,
    by: Judgement,
    reranker: Reranker | None,
    degraded: list[Degraded],
) -> list[Admitted]:
    """Put what was admitted in the order that is shown; a failing reranker is noted and skipped.

    ``terms`` is how many the query has. Scores never rise from one to the next. Of the past nothing
    stands for anything else: who asks what existed is shown all of it.
    """
    stages, past = by.stages, by.wanted.position is not None
    order = sorted(kept, key=lambda one: (-one.score, -one.row.position, one.row.id))
    if stages.absorption and not past:
        order = absorbed(order, _part, _with_score)
    if stages.reranker and reranker is not None:
        order = _reranked(order, by.request.query, reranker, degraded)
    if stages.signals:
        order = _nudged(order, by)
    if stages.newest_first:
        order = _newest_first(order, terms)
    if stages.once and not past:
        order = [_with_copies(one, others) for one, others in once(order, text_of, _rough)]
    if stages.diversity and by.request.diversity > 0:
        order = _diverse(order, by)
    return order


def _part(one: Admitted) -> Part:
    row = one.row
    return Part(row.id, one.score, row.derived_from if isinstance(row, MemoryOutline) else ())


def _reranked(
    order: list[Admitted], query: str, reranker: Reranker, degraded: list[Degraded]
) -> list[Admitted]:
    texts = [_spoken(one) for one in order[:RERANKED]]
    judged = attempt("reranker", degraded, lambda: reranker.rerank(query, texts)) if texts else None
    if judged is None:
        return order
    return _by_scores(order, blended(np.array([one.score for one in order]), judged))


def _nudged(order: list[Admitted], by: Judgement) -> list[Admitted]:
    worths = worths_of([one.row for one in order], by.now, by.policy)
    factors = [nudge(worth, by.policy) for worth in worths]
    scores = np.array([one.score for one in order]) * factors
    return _by_scores(order, scores / max(1.0, float(scores.max(initial=0.0))))


def _newest_first(order: list[Admitted], terms: int) -> list[Admitted]:
    """Let versions of one statement change places; the scores stay with the places."""
    return [
        one if one is before else _with_score(one, before.score)
        for one, before in zip(newest_first(order, _statement, terms), order, strict=True)
    ]


def _statement(one: Admitted) -> Statement:
    said = one.row.observed_at or one.row.recorded_at
    return Statement(
        speaker=_speaker(one),
        text=text_of(one),
        held=one.candidate.held,
        age=(said.timestamp(), one.row.position),
    )


def _diverse(order: list[Admitted], by: Judgement) -> list[Admitted]:
    """Move repetitions back; one that moves counts no more than what then stands before it."""
    compared = order[: max(LEAST_COMPARED, 2 * by.request.top_k)]
    similarity = repetition(
        [Comparable(text=text_of(one), vector=one.candidate.vector) for one in compared],
        by.embedder.calibrate,
    )
    relevance = [one.score for one in compared]
    chosen = [compared[place] for place in selected(relevance, similarity, by.request.diversity)]
    least = 1.0
    shown = []
    for one in (*chosen, *order[len(compared) :]):
        least = min(least, one.score)
        shown.append(one if one.score == least else _with_score(one, least))
    return shown


def _by_scores(order: list[Admitted], scores: Floats) -> list[Admitted]:
    new = [
        one if score == one.score else _with_score(one, score)
        for one, score in zip(order, scores.tolist(), strict=True)
    ]
    return sorted(new, key=lambda one: -one.score)


def _with_score(one: Admitted, score: float) -> Admitted:
    return Admitted(one.candidate, one.row, one.warnings, score, one.copies)


def _with_copies(one: Admitted, others: list[Admitted]) -> Admitted:
    return one._replace(copies=tuple(other.row.id for other in others)) if others else one


def _speaker(one: Admitted) -> str | None:
    return one.row.speaker if isinstance(one.row, EpisodeOutline) else None


def _rough(one: Admitted) -> tuple[object, ...]:
    """Tell who said it, of which day, the id its importer gave it, and the words it is found by.

    The same words of another speaker or day tell of another event, and who gave two lines ids of
    their own wants to see them by these. A memory is a statement by itself, whoever said it and
    when.
    """
    words = one.candidate.tokens or wording(text_of(one))
    external = one.row.metadata.get(EXTERNAL_ID)
    known = external if isinstance(external, str) else None
    if isinstance(one.row, MemoryOutline):
        return None, None, known, words
    observed = one.row.observed_at
    return one.row.speaker, None if observed is None else observed.date(), known, words


def _spoken(one: Admitted) -> str:
    return embedded_text(_speaker(one), text_of(one))
