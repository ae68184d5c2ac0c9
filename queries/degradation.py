"""Doing without a part of recall that fails, and saying so (spec: recall.md, "Degradation").

Reasons name the kind of failure, never a query or a text.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TypeVar

import structlog

from inference.embedder import EmbeddingError
from inference.reranker import RerankingError
from memoryweave.contract import Degraded

T = TypeVar("T")

_logger = structlog.get_logger(__name__)


def attempt(part: str, degraded: list[Degraded], action: Callable[[], T]) -> T | None:
    """Give the action's answer, or None after noting in ``degraded`` that ``part`` failed."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001  # whatever a store raises, recall answers without it
        note(part, degraded, error)
    return None


def note(part: str, degraded: list[Degraded], error: Exception) -> None:
    """Note in ``degraded`` that ``part`` failed."""
    if isinstance(error, EmbeddingError | RerankingError):
        reason = str(error)  # by contract without texts or keys
    else:
        reason = type(error).__name__
        # The message is left out: a storage error may quote a filter, and with it a text.
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        _logger.warning("recall_part_failed", part=part, error=reason, where=where)
    degraded.append(Degraded(part=part, reason=reason))
