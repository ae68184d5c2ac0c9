"""When a run of an evaluation set is so much worse than the earlier ones that it is an alarm."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from domain.settings import DEFAULT_POLICY, PolicySettings


def baseline_of(earlier: Sequence[float], policy: PolicySettings = DEFAULT_POLICY) -> float | None:
    """Give what a run is held against: the median of the last runs; None if there were none.

    The median, so that one bad run neither hides the next one nor turns a good one into an alarm.
    """
    last = earlier[-policy.evaluation_runs_compared :]
    return median(last) if last else None


def has_fallen(
    value: float, baseline: float | None, policy: PolicySettings = DEFAULT_POLICY
) -> bool:
    """Tell whether a run fell below its baseline by more than is allowed."""
    return baseline is not None and baseline - value > policy.evaluation_drop_allowed
