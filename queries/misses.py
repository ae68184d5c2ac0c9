"""When a recall is a miss: nothing in the answer spoke of what was asked (spec: lifecycle.md).

A recall is a miss when no result's calibrated similarity reaches 0.5 and none holds every rare term
of the query. (Votes may make another one a miss later; whoever counts adds those.)

A term is rare when at most a third of the rows in the scope that hold anything of the query hold
it; where none is, the rarest are. A term that nothing in the scope holds is rare. The statistics
are those of the lexical search, which looks at no more than some hundred rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from memoryweave.contract import Level
from projections.vector.ranking import Statistics

SIMILAR_FROM: Final = 0.5
RARE_UP_TO: Final = 1 / 3

_SEARCHED: Final[frozenset[Level]] = frozenset({"hybrid", "dense", "lexical"})


def rare_terms(statistics: Statistics, terms: int) -> frozenset[str]:
    """Give the query's rare terms; ``terms`` is how many of the keys are terms, not phrases."""
    shares = {
        key: math.exp(-weight)
        for key, weight in zip(statistics.keys[:terms], statistics.idf[:terms], strict=True)
    }
    # BM25's idf is -ln of the share of rows that hold the term: ln(1 + (N-df+.5)/(df+.5)).
    bound = max(RARE_UP_TO, min(shares.values(), default=0.0))
    return frozenset(key for key, share in shares.items() if share <= bound)


def is_miss(
    level: Level,
    shown: Iterable[tuple[float | None, frozenset[str]]],
    rare: frozenset[str],
) -> bool:
    """Tell whether the results speak of nothing that was asked.

    ``shown`` has each result's calibrated similarity, if known, and the terms of the query that it
    holds. Without a search of words or meanings nobody can tell, and nothing is a miss.
    """
    if level not in _SEARCHED:
        return False
    return not any(
        (similarity is not None and similarity >= SIMILAR_FROM) or (rare and rare <= held)
        for similarity, held in shown
    )
