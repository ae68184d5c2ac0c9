"""What the votes say (spec: lifecycle.md, "Importance, quality, freshness")."""

from __future__ import annotations

from domain.settings import DEFAULT_POLICY, PolicySettings


def quality(useful: int, not_useful: int) -> float | None:
    """Give useful / (useful + not_useful), in [0, 1]; None while nobody has voted."""
    votes = useful + not_useful
    return useful / votes if votes else None


def has_low_quality(useful: int, not_useful: int, policy: PolicySettings = DEFAULT_POLICY) -> bool:
    """Tell whether quality is below 0.3 on at least 5 votes."""
    if useful + not_useful < policy.quality_votes_needed:
        return False
    value = quality(useful, not_useful)
    return value is not None and value < policy.quality_dropped_below


def trust_score(helpful: int, retrieved: int) -> float:
    """Give the Memory-OS trust score, (helpful + 1) / (retrieved + 2), shown beside quality.

    ``helpful`` is the number of useful votes, ``retrieved`` how often the memory was recalled; with
    helpful ≤ retrieved it lies in (0, 1), and 0.5 means that nothing is known.
    """
    return (helpful + 1) / (retrieved + 2)
