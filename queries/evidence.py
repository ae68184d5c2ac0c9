"""How much the words count against the meaning, by what the query's words found.

No fixed share serves dialogue, records and questions in another language alike. Where one row
holds much of what is rare in the query, the words know what is asked for; where rows hold nothing
but a common word of it, they do not.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST_WEIGHT: Final = 0.15
MOST_WEIGHT: Final = 0.8
FULL_EVIDENCE: Final = 14.0
"""The sum of idf from which on the words have their most; about four rare words."""

FIXED_WEIGHT: Final = 0.4
"""The share where evidence is not looked at."""

BARE_WORD_WEIGHT: Final = 0.7
"""The least share for one or two words that a row holds whole: who types a bare word looks for
that word, and what a sentence model makes of it is nearly noise."""

KEYWORDS: Final = 2.0
SENTENCE: Final = 5.0
"""Lengths in words, two Chinese characters being one, between which bareness falls to 0."""

_CHINESE_SHARE: Final = 0.5
"""What a Chinese bigram counts: two that overlap share a character."""

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD: Final = re.compile(r"[^\W\d_]+")


def evidence_of(terms: tuple[str, ...], idf: Floats, held: Mask) -> float:
    """Give the most that any row holds of the query's terms, as a sum of idf, ≥ 0.

    ``idf`` is float64[terms]; ``held`` is bool[terms, rows].
    """
    if not held.size:
        return 0.0
    shares = np.array([_CHINESE_SHARE if _HAN.search(term) else 1.0 for term in terms])
    return float(((idf * shares) @ held).max())


def lexical_weight(evidence: float, sought: float) -> float:
    """Give the words' share in [0, 1]. It never falls with the evidence or with ``sought``.

    ``sought`` is `word_sought`'s.
    """
    share = LEAST_WEIGHT + (MOST_WEIGHT - LEAST_WEIGHT) * min(1.0, evidence / FULL_EVIDENCE)
    return max(share, BARE_WORD_WEIGHT * sought)


def word_sought(query: str, held: Mask) -> float:
    """Give how much the query is a bare word that is looked for itself, in [0, 1].

    It is 0 unless a row holds every term of it: bool[terms, rows].
    """
    return bareness(query) if held.size and held.all(axis=0).any() else 0.0


def bareness(query: str) -> float:
    """Give 1 for a query of one or two words, 0 from five on, linearly in between."""
    characters = len(_HAN.findall(query))
    words = len(_WORD.findall(_HAN.sub(" ", query)))
    length = words + characters / 2
    return min(1.0, max(0.0, (SENTENCE - length) / (SENTENCE - KEYWORDS)))
