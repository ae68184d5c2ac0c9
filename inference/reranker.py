"""What recall asks of a reranker: a model that reads a query and a text together.

It judges better than two vectors do, and costs a call per question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Relevance: TypeAlias = NDArray[np.float64]
"""float64[n] in [0, 1], one for each text in the order given; larger is better."""


class RerankingError(Exception):
    """Root of what a reranker raises. Messages name the model and the cause, never a text."""


class RerankerUnavailable(RerankingError):
    """The model did not answer in time, or is known not to; worth trying again later."""


class RerankerMisbehaved(RerankingError):
    """The model answered, but not with one finite score for each text."""


class Reranker(Protocol):
    """A reranking model. Safe to use from several threads at once."""

    @property
    def name(self) -> str:
        """The model's stable name."""

    def rerank(self, query: str, texts: Sequence[str]) -> Relevance:
        """Judge how well each text answers. Answers soon or raises `RerankingError`."""
