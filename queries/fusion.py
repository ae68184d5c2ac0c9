"""One score out of two: how dense and lexical candidates are put in one order.

Each side's scores are scaled to [0, 1] over the candidates and added with weights that sum to 1
(convex combination of normalised scores: S. Bruch, S. Gai, A. Ingber, An Analysis of Fusion
Functions for Hybrid Retrieval, ACM TOIS 2023). Why not ranks: docs/decisions/0011.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

LEXICAL_WEIGHT: Final = 0.4
"""The lexical side's share while question and candidates are written in one script."""

KEYWORD_LEXICAL_WEIGHT: Final = 0.7
"""Its share for a query of one or two words: who types a bare word looks for that word, and what
a sentence model makes of it is nearly noise."""

KEYWORDS: Final = 2.0
SENTENCE: Final = 5.0
"""Lengths in words, two Chinese characters being one; in between the share falls linearly."""

FOREIGN_LEXICAL_WEIGHT: Final = 0.2
"""Its share when they have no script in common: what still matches are names and numbers."""

NARROWEST_SPREAD: Final = 0.05
"""A range of cosines narrower than this is not stretched to the whole of [0, 1]: among a few
candidates that are all alike the last is not worthless."""

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD: Final = re.compile(r"[^\W\d_]+")


class Fused(Struct, frozen=True):
    """A candidate's score in [0, 1] and what it is made of; a part is None where it is unknown."""

    score: float
    dense: float | None
    lexical: float | None


def fuse(
    cosines: Mapping[str, float],
    lexical: Mapping[str, float],
    *,
    without_vector: frozenset[str] = frozenset(),
    lexical_weight: float = LEXICAL_WEIGHT,
) -> dict[str, Fused]:
    """Score every candidate of either side.

    ``cosines`` and ``lexical`` map a candidate to its raw score on that side: cosine similarity,
    and BM25 (≥ 0). A candidate that is missing on one side has 0 there, except one listed in
    ``without_vector``: its dense part is unknown, so its lexical part stands for both. If no
    candidate has a lexical score (no word of the question occurs), the dense side decides alone,
    and the other way round. Raises `ValueError` unless 0 ≤ ``lexical_weight`` ≤ 1.
    """
    if not 0.0 <= lexical_weight <= 1.0:
        raise ValueError(f"lexical_weight {lexical_weight} is outside [0, 1]")
    dense_parts = _scaled(cosines, _dense_floor(cosines))
    lexical_parts = _scaled(lexical, 0.0)
    weight = lexical_weight
    if not dense_parts:
        weight = 1.0
    elif not any(part > 0.0 for part in lexical_parts.values()):
        weight = 0.0
    fused: dict[str, Fused] = {}
    for candidate in {**cosines, **lexical}:
        of_words = lexical_parts.get(candidate, 0.0)
        if candidate in without_vector and candidate not in cosines:
            fused[candidate] = Fused(score=of_words, dense=None, lexical=of_words)
            continue
        of_meaning = dense_parts.get(candidate, 0.0)
        score = (1.0 - weight) * of_meaning + weight * of_words
        fused[candidate] = Fused(
            score=min(1.0, score),
            dense=of_meaning if dense_parts else None,
            lexical=of_words,
        )
    return fused


def lexical_weight(query: str, candidates: Iterable[str]) -> float:
    """Give the lexical side's share for a query, before the texts of its candidates.

    It is `KEYWORD_LEXICAL_WEIGHT` for a bare word and `LEXICAL_WEIGHT` for a sentence, and falls
    towards `FOREIGN_LEXICAL_WEIGHT` the less the scripts of query and texts agree: linearly with
    the mean absolute difference between their shares of Chinese characters.
    """
    characters, words = _units(query)
    length = words + characters / 2
    shortness = min(1.0, max(0.0, (SENTENCE - length) / (SENTENCE - KEYWORDS)))
    weight = LEXICAL_WEIGHT + shortness * (KEYWORD_LEXICAL_WEIGHT - LEXICAL_WEIGHT)
    of_query = han_share(query)
    shares = [share for share in map(han_share, candidates) if share is not None]
    if of_query is None or not shares:
        return weight
    distance = sum(abs(of_query - share) for share in shares) / len(shares)
    return weight - distance * (weight - FOREIGN_LEXICAL_WEIGHT)


def han_share(text: str) -> float | None:
    """Give the share of Chinese characters among those and the words of other letters.

    A word counts as much as a character, because that is about what each says. None for a text
    that holds neither, such as a number.
    """
    characters, words = _units(text)
    total = characters + words
    return characters / total if total else None


def _units(text: str) -> tuple[int, int]:
    """Count the Chinese characters, and the words of other letters."""
    return len(_HAN.findall(text)), len(_WORD.findall(_HAN.sub(" ", text)))


def _dense_floor(cosines: Mapping[str, float]) -> float:
    if not cosines:
        return 0.0
    lowest, highest = min(cosines.values()), max(cosines.values())
    return min(lowest, highest - NARROWEST_SPREAD)


def _scaled(scores: Mapping[str, float], floor: float) -> dict[str, float]:
    top = max(scores.values(), default=0.0)
    if top <= floor:
        return dict.fromkeys(scores, 0.0)
    return {
        key: min(1.0, max(0.0, (value - floor) / (top - floor))) for key, value in scores.items()
    }
