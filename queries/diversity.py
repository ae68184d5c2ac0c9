"""Maximal marginal relevance: what says the same again makes room (spec: recall.md, "MMR").

The next result is the one with the most ::

    (1 - diversity) · relevance + diversity · (1 - max similarity to those chosen)

with relevance stretched to [0, 1] over those that take part: J. Carbonell, J. Goldstein, The Use of
MMR, SIGIR 1998. Similarity is what two texts have in common *beyond* what makes texts alike: the
calibrated similarity less 0.8, at least 0. Below 0.8 texts are about one subject, which is no
repetition but what was asked for. Texts with different numbers, identifiers or negations never
repeat each other. Measured: docs/decisions/0026.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from inference.calibration import TextPair, chinese_share
from queries.near_identical import values
from queries.revisions import units_of

Floats = NDArray[np.float64]
Calibrate = Callable[[float, TextPair], float]

ALIKE: Final = 0.8
"""Calibrated similarity from which on a text repeats another (spec: lifecycle.md)."""

MOST: Final = 1.0 - ALIKE
"""How far equal texts repeat each other."""

ALIKE_IN_WORDS: Final = 0.6
"""The same of the share of common words among all words of two texts (Jaccard)."""


class Comparable(Struct, frozen=True, kw_only=True):
    """What is compared. ``vector`` is float32[dimension] of length 1, None if unknown."""

    text: str
    vector: NDArray[np.float32] | None


def selected(relevance: Sequence[float], similarity: Floats, diversity: float) -> list[int]:
    """Put everything in the order of maximal marginal relevance, by index; of equals the earlier.

    ``similarity`` is float64[n, n] in [0, 1], ``diversity`` in [0, 1]; 0 is pure relevance.
    """
    scaled = stretched(relevance)
    left = list(range(len(scaled)))
    nearest = np.zeros(len(scaled))
    order: list[int] = []
    while left:
        marginal = (1 - diversity) * scaled[left] + diversity * (1 - nearest[left])
        order.append(left.pop(int(np.argmax(marginal))))
        nearest = np.maximum(nearest, similarity[order[-1]])
    return order


def stretched(relevance: Sequence[float]) -> Floats:
    """Stretch values to [0, 1]; where all are equal each is 1."""
    values = np.asarray(relevance, dtype=np.float64)
    if not len(values):
        return values
    low, high = float(values.min()), float(values.max())
    if not high > low:
        return np.ones(len(values))
    scaled: Floats = (values - low) / (high - low)
    return scaled


def repetition(texts: Sequence[Comparable], calibrate: Calibrate) -> Floats:
    """Give how far texts repeat each other: float64[n, n] in [0, `MOST`], symmetric.

    A row without a vector is compared by its words, and `ALIKE_IN_WORDS` of them count like
    `ALIKE`.

    ``calibrate`` is the embedder's, for pairs of documents.
    """
    found = np.full((len(texts), len(texts)), MOST)
    chinese = [chinese_share(one.text) for one in texts]
    told: dict[int, frozenset[str]] = {}

    def values_at(place: int) -> frozenset[str]:
        if place not in told:
            told[place] = values(texts[place].text)
        return told[place]

    for i, one in enumerate(texts):
        for j, other in enumerate(texts[:i]):
            pair = TextPair("document", min(chinese[i], chinese[j]))
            beyond = _beyond(one, other, pair, calibrate)
            # Few pairs are alike: only their values have to be looked for.
            repeated = beyond > 0 and values_at(i) == values_at(j)
            found[i, j] = found[j, i] = beyond if repeated else 0.0
    return found


def _beyond(one: Comparable, other: Comparable, pair: TextPair, calibrate: Calibrate) -> float:
    if one.vector is not None and other.vector is not None:
        return max(0.0, calibrate(float(one.vector @ other.vector), pair) - ALIKE)
    shared = _jaccard(frozenset(units_of(one.text)), frozenset(units_of(other.text)))
    return MOST * max(0.0, shared - ALIKE_IN_WORDS) / (1 - ALIKE_IN_WORDS)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 1.0
