"""How reliable a memory is (spec: lifecycle.md, "Confidence")."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from domain.policies.ageing import days_between
from domain.settings import DEFAULT_POLICY, PolicySettings


def initial_confidence(clarity: float, policy: PolicySettings = DEFAULT_POLICY) -> float:
    """Give the confidence that a memory starts with: max(0.5, clarity).

    ``clarity`` lies in [0, 1]: how plainly the source said it.
    """
    return max(policy.initial_confidence_floor, clarity)


def effective_confidence(
    confidence: float,
    last_seen: datetime,
    now: datetime,
    policy: PolicySettings = DEFAULT_POLICY,
) -> float:
    """Give the confidence as of ``now``: max(0, confidence − 0.05 × ⌊days since last seen / 30⌋).

    ``confidence`` is what the events say (it has no upper limit). ``last_seen`` is the last time
    the statement was observed: its creation or its last reinforcement. A ``last_seen`` after
    ``now`` counts as today.
    """
    periods = math.floor(days_between(last_seen, now) / policy.confidence_decay_days)
    return max(0.0, confidence - policy.confidence_decay_step * periods)


def next_confidence_step(
    last_seen: datetime, now: datetime, policy: PolicySettings = DEFAULT_POLICY
) -> datetime:
    """Give the first moment after ``now`` at which `effective_confidence` takes its next step."""
    periods = math.floor(days_between(last_seen, now) / policy.confidence_decay_days)
    return last_seen + timedelta(days=policy.confidence_decay_days * (periods + 1))


def is_low_confidence(effective: float, policy: PolicySettings = DEFAULT_POLICY) -> bool:
    """Tell whether an effective confidence is to be marked: below 0.55."""
    return effective < policy.low_confidence_below
