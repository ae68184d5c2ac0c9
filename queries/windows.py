"""A turn of talk in its session: what stands beside it counts as its context.

"Yes, last Friday" answers nobody's question by itself. So a row is also judged as one document with
its neighbours: term frequencies and length are its own plus those of the turns beside it, each
times a weight (fields of unequal weight in one document, as in BM25F: S. Robertson, H. Zaragoza,
M. Taylor, Simple BM25 Extension to Multiple Weighted Fields, CIKM 2004), and its cosine is the
weighted mean of theirs. The turn before counts for more than the one after: an answer follows its
question.

Arrays have one entry a row. ``neighbours[k]`` is the index of the row k turns later, -1 for none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from projections.vector.ranking import Counts, bm25

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

OFFSETS: Final = (-2, -1, 1, 2)
WORD_WINDOW: Final = {-1: 0.6, 1: 0.4, -2: 0.3, 2: 0.2}
MEANING_WINDOW: Final = {-1: 0.4, 1: 0.2, -2: 0.2, 2: 0.1}

CONTEXT_TOKENS: Final = 100.0
"""A row of more estimated tokens brings its own context: neighbours count for less beside it."""


def length_gate(sizes: Floats) -> Floats:
    """Give how much neighbours count beside rows of so many estimated tokens, in (0, 1]."""
    gate: Floats = np.minimum(1.0, CONTEXT_TOKENS / np.maximum(sizes, 1.0))
    return gate


def weights(
    window: Mapping[int, float],
    neighbours: Mapping[int, Integers],
    gate: Floats,
    *,
    furthest: int = 2,
) -> dict[int, Floats]:
    """Give each neighbour's weight by its offset, 0 where there is none.

    Offsets beyond ``furthest``, and those at which no row has a neighbour, are left out.
    """
    return {
        offset: weight * gate * (neighbours[offset] >= 0)
        for offset, weight in window.items()
        if abs(offset) <= furthest and offset in neighbours
    }


def window_bm25(
    frequencies: Floats,
    lengths: Floats,
    idf: Floats,
    mean_length: float,
    neighbours: Mapping[int, Integers],
    weight_of: Mapping[int, Floats],
) -> Floats:
    """Score rows with their neighbours, ≥ 0; without weights it is BM25 of the rows themselves.

    ``frequencies`` is float64[keys, rows], ``idf`` float64[keys].
    """
    total, length = frequencies.copy(), lengths.copy()
    for offset, weight in weight_of.items():
        other = np.maximum(neighbours[offset], 0)
        total += weight * frequencies.take(other, axis=1)
        length += weight * lengths[other]
    added = sum((float(np.mean(weight)) for weight in weight_of.values() if weight.size), 0.0)
    return bm25(Counts(total, length), idf, mean_length * (1 + added))


def window_mean(
    cosines: Floats, neighbours: Mapping[int, Integers], weight_of: Mapping[int, Floats]
) -> Floats:
    """Give the weighted mean of cosines, of those that are known (not NaN).

    It is NaN where the row's own is not known.
    """
    total, sum_of_weights = cosines.copy(), np.ones(len(cosines))
    for offset, weight in weight_of.items():
        other = cosines[np.maximum(neighbours[offset], 0)]
        known = weight * ~np.isnan(other)
        total += known * np.nan_to_num(other)
        sum_of_weights += known
    return total / sum_of_weights
