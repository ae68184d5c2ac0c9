"""How much a memory matters now (spec: lifecycle.md, "Importance", "Forgetting")."""

from __future__ import annotations

import math

from domain.events import DecayClass, Tier
from domain.policies.quality import has_low_quality
from domain.settings import DEFAULT_POLICY, PolicySettings


def importance(
    *,
    days: float,
    recall_count: int,
    retained: float,
    useful: int,
    not_useful: int,
    policy: PolicySettings = DEFAULT_POLICY,
) -> float:
    """Give recency × (1 + ln(1 + recall_count)) × retention, halved while quality is low.

    ``days`` counts from `domain.policies.ageing.last_attended`; ``retained`` is `retention`'s
    answer for the same days; quality is low below 0.3 with at least 5 votes. The result is ≥ 0 and
    has no upper limit: it orders memories, it is no probability.
    """
    value = recency(days, policy) * (1.0 + math.log1p(recall_count)) * retained
    if has_low_quality(useful, not_useful, policy):
        value *= policy.quality_dropped_importance_factor
    return value


def recency(days: float, policy: PolicySettings = DEFAULT_POLICY) -> float:
    """Give exp(−0.0077 × days), in (0, 1]: half after 90 days."""
    return math.exp(-policy.recency_rate * days)


def retention(
    days: float,
    decay_class: DecayClass,
    *,
    volatile: bool = False,
    tier: Tier = "normal",
    policy: PolicySettings = DEFAULT_POLICY,
) -> float:
    """Give max(0.1, 1 − days × rate of the decay class), in [0.1, 1].

    Volatile memories decay at twice the rate. Tier ``core`` is immune: always 1.
    """
    if tier == "core":
        return 1.0
    rate = decay_rate(decay_class, policy)
    if volatile:
        rate *= policy.volatile_decay_factor
    return max(policy.retention_floor, 1.0 - days * rate)


def decay_rate(decay_class: DecayClass, policy: PolicySettings = DEFAULT_POLICY) -> float:
    """Give what a class loses of its retention in one day."""
    match decay_class:
        case "system_fact":
            return policy.decay_rate_system_fact
        case "user_pref":
            return policy.decay_rate_user_pref
        case "proj_context":
            return policy.decay_rate_proj_context
        case "tool_usage":
            return policy.decay_rate_tool_usage
        case "code_snippet":
            return policy.decay_rate_code_snippet
