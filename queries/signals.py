"""What is known of a memory's worth moves its score a little (spec: recall.md, "Pipeline").

::

    score · (1 + Σ bound · signal),    each signal in [-1, 1]

The bounds are settings of policy (``nudge_…``); by default they add up to 0.12, so a result never
falls behind one whose score is below (1 - 0.12) / (1 + 0.12) = 0.79 of its own. What nobody has
judged, reinforced or let age has signals of 0 and keeps its score. Episodes have no signals:
nobody has judged them, and their age does not count. It must not count against what was distilled
of them either, or talk would sink for having been understood: such a memory is measured against
what it would be worth if nobody had attended to it since (`beside_its_episode`).
V (spec: lifecycle.md, "Value backpropagation") is not there yet.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.settings import DEFAULT_POLICY, PolicySettings


class Signals(Struct, frozen=True, kw_only=True):
    """What is known of a memory.

    ``confidence`` is the effective one, ≥ 0; ``importance`` is ≥ 0; ``useful`` and ``not_useful``
    are sums of vote weights; ``freshness`` is fresh, stale or verified.
    """

    confidence: float = 1.0
    importance: float = 1.0
    useful: int = 0
    not_useful: int = 0
    freshness: str = "fresh"


NOTHING_KNOWN: Final = Signals()
"""Those of an episode: they leave its score as it is."""

_FRESHNESS: Final = {"stale": -1.0, "verified": 1.0}


def beside_its_episode(attended: Signals, left_alone: Signals) -> Signals:
    """Give the signals of a distilled memory: what came of it since it was said, without its age.

    ``left_alone`` are those that it would have now if nobody had reinforced, pinned, corrected or
    judged it. A memory to which nothing happened gets signals of 0, as its episode does.
    """
    kept = left_alone.importance
    return replace(
        attended,
        confidence=max(0.0, 1.0 + attended.confidence - left_alone.confidence),
        # What is so old that nothing of it is left cannot be compared.
        importance=attended.importance / kept if kept > 0 else 1.0,
    )


def nudge(signals: Signals, policy: PolicySettings = DEFAULT_POLICY) -> float:
    """Give the factor for a score: within 1 ± `bound`, and 1 for a memory just stated."""
    if signals is NOTHING_KNOWN:
        return 1.0
    return (
        1.0
        + policy.nudge_confidence * confidence_signal(signals.confidence)
        + policy.nudge_importance * importance_signal(signals.importance)
        + policy.nudge_quality * quality_signal(signals.useful, signals.not_useful)
        + policy.nudge_freshness * freshness_signal(signals.freshness)
    )


def bound(policy: PolicySettings = DEFAULT_POLICY) -> float:
    """Give the most by which `nudge` differs from 1."""
    return (
        policy.nudge_confidence
        + policy.nudge_importance
        + policy.nudge_quality
        + policy.nudge_freshness
    )


def confidence_signal(effective: float) -> float:
    """Give how far the confidence is from 1, that of a plain statement; rises with it."""
    return _cut(effective - 1.0)


def importance_signal(importance: float) -> float:
    """Give the binary logarithm: 1 from the double of a new memory's importance, -1 at half."""
    return _cut(math.log2(importance)) if importance > 0 else -1.0


def quality_signal(useful: int, not_useful: int) -> float:
    """Give (useful - not useful) / (votes + 2): a few votes say little."""
    return (useful - not_useful) / (useful + not_useful + 2)


def freshness_signal(freshness: str) -> float:
    """Give -1 for what rests on something corrected since, 1 for what was verified, else 0."""
    return _FRESHNESS.get(freshness, 0.0)


def _cut(value: float) -> float:
    return value if -1.0 <= value <= 1.0 else math.copysign(1.0, value)
