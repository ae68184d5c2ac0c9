"""How fast an agent may speak and ask (spec: api.md, "Rate limits")."""

from __future__ import annotations

from typing import Final

from domain.events import Quota

INTERACTIVE: Final = Quota(recall_per_s=10, recall_burst=20, commit_per_s=2, commit_burst=5)
OTHERS: Final = Quota(recall_per_s=5, recall_burst=10, commit_per_s=1, commit_burst=3)
_INTERACTIVE_KINDS: Final = ("hermes", "openclaw")


def default_quota(agent_id: str, kind: str) -> Quota:
    """Give the quota of an agent registered without one: more for hermes and openclaw."""
    named_so = any(agent_id.startswith(f"{known}-") for known in _INTERACTIVE_KINDS)
    return INTERACTIVE if kind in _INTERACTIVE_KINDS or named_so else OTHERS
