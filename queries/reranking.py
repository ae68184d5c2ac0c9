"""A reranker's judgement in the order (spec: recall.md, "Rerankers").

The best `RERANKED` candidates are judged. Their score becomes ::

    0.7 · judgement + 0.3 · score before

with the judgements divided by the best of them, as scores within an answer are. Some of the score
before is kept because the model sees a turn of talk by itself: who is asked about, when, and what
was said around it are in that score alone. What was not judged keeps its order behind what was.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from inference.reranker import Relevance

Floats = NDArray[np.float64]

RERANKED: Final = 50
"""How many texts a question sends to the model."""

JUDGEMENT: Final = 0.7
"""Not measured: no model of this kind was at hand (docs/decisions/0026)."""


def blended(scores: Floats, judged: Relevance) -> Floats:
    """Give the new scores of candidates given best first, of which the first ``len(judged)``
    were judged: float64[n] in [0, 1].

    A judgement of nothing but zeros says nothing and changes nothing.
    """
    best = float(judged.max(initial=0.0))
    if best <= 0:
        return scores
    among = len(judged)
    new = scores.copy()
    new[:among] = JUDGEMENT * (judged / best) + (1 - JUDGEMENT) * scores[:among]
    # The others were the worse ones already: they are scaled to end where the judged ones do.
    lowest, highest = float(new[:among].min()), float(scores[among:].max(initial=0.0))
    if highest > lowest:
        new[among:] = scores[among:] * (lowest / highest)
    return new
