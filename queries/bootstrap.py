"""The core facts that a session starts with."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from domain.caller import Caller
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import Bootstrap
from projections.state.view import StateView
from queries.memories import details
from queries.scope import searched

CORE_FACTS: Final = 10


def bootstrap(
    caller: Caller, state: StateView, now: datetime, policy: PolicySettings = DEFAULT_POLICY
) -> Bootstrap:
    """Give up to ten live memories of the caller's own namespaces and ``shared``.

    Pinned ones come first, then the most important. Granted namespaces are left out: they are
    others' and are read when asked for.
    """
    rows = state.bootstrap(searched(caller, None, ()), now=now, limit=CORE_FACTS)
    return Bootstrap(items=details(rows, caller, state, now, policy))
