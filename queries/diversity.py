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

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from inference.calibration import TextPair, chinese_share
from queries.near_identical import values
from queries.revisions import units_of

Floats = NDArray[np.float64]
Calibrate = Callable[[float, TextPair], float]
"""Never falls with the cosine, and for a partly Chinese pair lies between none and all of it."""

ALIKE: Final = 0.8
"""Calibrated similarity from which on a text repeats another (spec: lifecycle.md)."""

MOST: Final = 1.0 - ALIKE
"""How far equal texts repeat each other."""

_ROUNDING: Final = 1e-5
"""How far a cosine among many may lie beside that of the pair alone."""

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
    # Of a few dozen texts few are alike: lists, of which little changes, are quicker than arrays.
    relevant: list[float] = ((1 - diversity) * stretched(relevance)).tolist()
    alike: list[list[float]] = similarity.tolist()
    nearest = [0.0] * len(relevant)
    marginal = [value + diversity for value in relevant]
    left = list(range(len(relevant)))
    order: list[int] = []
    while left:
        chosen = max(left, key=marginal.__getitem__)
        order.append(chosen)
        left.remove(chosen)
        near = alike[chosen]
        for place in left:
            if near[place] > nearest[place]:
                nearest[place] = near[place]
                marginal[place] = relevant[place] + diversity * (1 - near[place])
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
    found = np.zeros((len(texts), len(texts)))
    np.fill_diagonal(found, MOST)
    # Few pairs are alike: only of those it is told how far, and whether in what counts.
    chinese = cache(lambda place: chinese_share(texts[place].text))
    values_at = cache(lambda place: values(texts[place].text))
    for i, j in _may_be_alike(texts, calibrate):
        pair = TextPair("document", min(chinese(i), chinese(j)))
        beyond = _beyond(texts[i], texts[j], pair, calibrate)
        if beyond > 0 and values_at(i) == values_at(j):
            found[i, j] = found[j, i] = beyond
    return found


def _may_be_alike(texts: Sequence[Comparable], calibrate: Calibrate) -> Iterator[tuple[int, int]]:
    """Give the pairs whose cosine calibrates above `ALIKE` in some language, or is not known."""
    known = [place for place, one in enumerate(texts) if one.vector is not None]
    if len(known) < len(texts):
        unknown = set(range(len(texts))).difference(known)
        yield from ((i, j) for i in range(len(texts)) for j in range(i) if {i, j} & unknown)
    if len(known) > 1:
        vectors = np.stack([one.vector for one in texts if one.vector is not None])
        cosines = vectors @ vectors.T
        least = _least_alike(cosines[_below_diagonal(len(known))], calibrate)
        for i, j in zip(*np.nonzero(np.tril(cosines >= least - _ROUNDING, -1)), strict=True):
            yield known[i], known[j]


@cache
def _below_diagonal(size: int) -> tuple[NDArray[np.intp], ...]:
    return np.tril_indices(size, -1)


def _least_alike(cosines: NDArray[np.float32], calibrate: Calibrate) -> float:
    """Give the least of these cosines that calibrates above `ALIKE` in some language."""

    def is_alike(cosine: float) -> bool:
        languages = (TextPair("document", chinese) for chinese in (0.0, 1.0))
        return any(calibrate(cosine, pair) > ALIKE for pair in languages)

    if not is_alike(float(cosines.max())):
        return np.inf
    rising: list[float] = np.sort(cosines).tolist()
    return rising[bisect_left(rising, True, key=is_alike)]


def _beyond(one: Comparable, other: Comparable, pair: TextPair, calibrate: Calibrate) -> float:
    if one.vector is not None and other.vector is not None:
        return max(0.0, calibrate(float(one.vector @ other.vector), pair) - ALIKE)
    shared = _jaccard(frozenset(units_of(one.text)), frozenset(units_of(other.text)))
    return MOST * max(0.0, shared - ALIKE_IN_WORDS) / (1 - ALIKE_IN_WORDS)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 1.0
