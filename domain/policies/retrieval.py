"""How good a ranking is, held against what it should hold (spec: recall.md, "Evaluation").

A ranking is given as one set per result, best first: the expected ids that the result *covers*.
A result covers what it is, and a memory also the episodes it was derived from. Relevance is binary,
and an expected id is found once, by the first result that covers it.

Formulas: C. Manning, P. Raghavan, H. Schütze, Introduction to Information Retrieval, chapter 8;
nDCG with gain 1 and discount log2(rank + 1): K. Järvelin, J. Kekäläinen, TOIS 20(4), 2002.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

Ranking = Sequence[AbstractSet[str]]
"""Per result, best first, the ids that it covers; others than the expected ones do not count."""


class Measures(Struct, frozen=True):
    """One question's measures, each in [0, 1], or their means."""

    recall_at_5: float
    recall_at_10: float
    precision_at_5: float
    reciprocal_rank: float
    ndcg_at_10: float


def measures(ranking: Ranking, expected: AbstractSet[str]) -> Measures:
    """Measure one ranking. ``expected`` must not be empty: nothing can be missed of nothing."""
    return Measures(
        recall_at_5=recall_at(5, ranking, expected),
        recall_at_10=recall_at(10, ranking, expected),
        precision_at_5=precision_at(5, ranking, expected),
        reciprocal_rank=reciprocal_rank(10, ranking, expected),
        ndcg_at_10=ndcg_at(10, ranking, expected),
    )


def found_within(k: int, ranking: Ranking, expected: AbstractSet[str]) -> frozenset[str]:
    """Give the expected ids that the first ``k`` results cover."""
    return frozenset().union(*(covered & expected for covered in ranking[:k]))


def recall_at(k: int, ranking: Ranking, expected: AbstractSet[str]) -> float:
    """Give the share of the expected ids that the first ``k`` results cover."""
    return len(found_within(k, ranking, expected)) / len(expected)


def precision_at(k: int, ranking: Ranking, expected: AbstractSet[str]) -> float:
    """Give the share of ``k`` places that hold a result which covers something expected.

    A place that stays empty is a place without: the denominator is always ``k``.
    """
    return sum(bool(covered & expected) for covered in ranking[:k]) / k


def reciprocal_rank(k: int, ranking: Ranking, expected: AbstractSet[str]) -> float:
    """Give 1 / the rank of the first result that covers something expected; 0 beyond ``k``."""
    return next(
        (1 / rank for rank, covered in enumerate(ranking[:k], start=1) if covered & expected), 0.0
    )


def ndcg_at(k: int, ranking: Ranking, expected: AbstractSet[str]) -> float:
    """Give the discounted gain of the first ``k`` results over the best that is possible.

    A result that covers nothing new gains nothing: the same answer twice is one answer.
    """
    gain, found = 0.0, frozenset[str]()
    for rank, covered in enumerate(ranking[:k], start=1):
        new = (covered & expected) - found
        if new:
            gain += 1 / math.log2(rank + 1)
            found |= new
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(expected)) + 1))
    return gain / ideal


def mean_of(measured: Sequence[Measures]) -> Measures:
    """Give the mean of each measure over questions; zeros for none."""
    if not measured:
        return Measures(0.0, 0.0, 0.0, 0.0, 0.0)
    return Measures(
        *(
            math.fsum(getattr(one, name) for one in measured) / len(measured)
            for name in Measures.__struct_fields__
        )
    )
