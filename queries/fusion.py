"""One order out of words, meaning, the turns around, the speaker and the time that a query names.

Over the rows that may be results::

    score = (w · L + (1 - w) · D + 0.15 · S + 0.3 · T) / (1 + 0.15 · max S + 0.3 · max T)

- L = 0.15 · own BM25 + 0.85 · BM25 with the neighbours (`windows`), each as a share of its largest.
- D = 0.3 · own cosine + 0.7 · mean cosine with the neighbours, each stretched from its lowest to
  its highest over a range of at least 0.05.
- w is `evidence.lexical_weight`. For a bare word that is looked for itself neighbours count less.
- S is 1 for who is named, T the nearness to the time that is named (`time_cue`).

Scaled scores are added, not ranks: how far apart two candidates are is worth keeping (convex
combination: S. Bruch, S. Gai, A. Ingber, An Analysis of Fusion Functions for Hybrid Retrieval,
ACM TOIS 2023). Measured: docs/decisions/0024.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from msgspec import Struct

from queries.evidence import FIXED_WEIGHT, evidence_of, lexical_weight, word_sought
from queries.pool import Mask, Pool
from queries.stages import Stages
from queries.windows import (
    MEANING_WINDOW,
    WORD_WINDOW,
    Floats,
    length_gate,
    weights,
    window_bm25,
    window_mean,
)

OWN_WORDS: Final = 0.15
OWN_MEANING: Final = 0.3
SPEAKER: Final = 0.15
TIME: Final = 0.3

NARROWEST_SPREAD: Final = 0.05
"""A range of cosines narrower than this is not stretched to the whole of [0, 1]: among a few
candidates that are all alike the last is not worthless."""


class Fused(Struct, frozen=True, kw_only=True):
    """Scores in [0, 1] and what they are made of, float64[rows], NaN for rows of context.

    ``meaning`` is NaN too where it is not known: then the words stand for both.
    """

    scores: Floats
    words: Floats
    meaning: Floats
    lexical_weight: float


def fuse(pool: Pool, query: str, named: Floats, near: Floats, stages: Stages) -> Fused:
    """Score every candidate of the pool.

    ``named`` is 1 for rows of a speaker whom the query names, else 0; ``near`` the nearness to the
    time it names: float64[rows], both 0 where nothing is named. If no row holds a word of the
    query, the meaning decides alone, and the other way round where no cosine is known.
    """
    among = pool.candidates
    held = pool.held[:, pool.searched]
    sought = word_sought(query, held)
    gate = _gate(pool, sought, stages)
    words = _words(pool, gate, stages)
    meaning = _meaning(pool, gate, stages)
    known = ~np.isnan(meaning)
    weight = _weight(pool, held, sought, stages)
    if not words[among].any():
        weight = 0.0
    if not known[among].any():
        weight = 1.0
    either = np.where(known, weight * words + (1 - weight) * meaning, words)
    scores = _with_cues(either, {SPEAKER: named, TIME: near}, among)
    return Fused(
        scores=np.where(among, np.clip(scores, 0.0, 1.0), np.nan),
        words=np.where(among, words, np.nan),
        meaning=np.where(among, meaning, np.nan),
        lexical_weight=weight,
    )


def _weight(pool: Pool, held: Mask, sought: float, stages: Stages) -> float:
    if not stages.evidence:
        return FIXED_WEIGHT
    idf = pool.idf[: len(pool.terms)]
    return lexical_weight(evidence_of(pool.terms, idf, held), sought)


def _words(pool: Pool, gate: Floats, stages: Stages) -> Floats:
    own = _share_of_best(_bm25(pool, {}), pool.candidates)
    if not stages.word_window:
        return own
    weight_of = _weights(pool, WORD_WINDOW, gate, stages)
    window = _share_of_best(_bm25(pool, weight_of), pool.candidates) if weight_of else own
    return OWN_WORDS * own + (1 - OWN_WORDS) * window


def _meaning(pool: Pool, gate: Floats, stages: Stages) -> Floats:
    own = _stretched(pool.cosines, pool.candidates)
    if not stages.meaning_window:
        return own
    weight_of = _weights(pool, MEANING_WINDOW, gate, stages)
    mean = own
    if weight_of:
        mean = window_mean(pool.cosines, pool.neighbours, weight_of)
        mean = _stretched(mean, pool.candidates)
    return OWN_MEANING * own + (1 - OWN_MEANING) * mean


def _gate(pool: Pool, sought: float, stages: Stages) -> Floats:
    """Give how much neighbours count beside each row, of which some have neighbours."""
    gate = np.full(len(pool.hits), 1.0 - sought)
    if stages.length_gate and pool.neighbours:
        gate = gate * length_gate(pool.sizes)
    return gate


def _weights(
    pool: Pool, window: Mapping[int, float], gate: Floats, stages: Stages
) -> dict[int, Floats]:
    return weights(window, pool.neighbours, gate, furthest=2 if stages.second_neighbours else 1)


def _bm25(pool: Pool, weight_of: Mapping[int, Floats]) -> Floats:
    return window_bm25(
        pool.frequencies, pool.lengths, pool.idf, pool.mean_length, pool.neighbours, weight_of
    )


def _with_cues(scores: Floats, cues: Mapping[float, Floats], among: Mask) -> Floats:
    """Add each cue by its weight; divide by what is then possible, so that 1 stays the most."""
    total, most = scores, 1.0
    for weight, cue in cues.items():
        if highest := float(cue[among].max(initial=0.0)):
            total = total + weight * cue
            most += weight * highest
    return total / most


def _share_of_best(scores: Floats, among: Mask) -> Floats:
    best = float(scores[among].max(initial=0.0))
    return np.minimum(1.0, scores / best) if best > 0 else np.zeros(len(scores))


def _stretched(cosines: Floats, among: Mask) -> Floats:
    known = cosines[among & ~np.isnan(cosines)]
    if not len(known):
        return np.full(len(cosines), np.nan)
    highest = float(known.max())
    lowest = min(float(known.min()), highest - NARROWEST_SPREAD)
    return np.clip((cosines - lowest) / (highest - lowest), 0.0, 1.0)
