"""Which memories change too often to be relied on (spec: lifecycle.md, "volatile")."""

from __future__ import annotations

from domain.settings import DEFAULT_POLICY, PolicySettings


def is_volatile(corrections: int, policy: PolicySettings = DEFAULT_POLICY) -> bool:
    """Tell whether a memory that was corrected so often is volatile: from three on.

    A volatile memory decays at twice the rate, and recall warns and names the triggers.
    """
    return corrections >= policy.volatile_from_corrections
