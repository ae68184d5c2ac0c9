"""What was distilled and waits for the owner to settle or dismiss it."""

from __future__ import annotations

from datetime import datetime

from domain.caller import Caller
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import CandidatePage
from projections.state.view import StateView
from queries.items import candidate_item, external_ids_of, seen_by
from queries.scope import listed


def candidates(
    caller: Caller,
    state: StateView,
    now: datetime,
    *,
    namespace: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
    policy: PolicySettings = DEFAULT_POLICY,
) -> CandidatePage:
    """Give one page of candidates, the newest first. Raises as `queries.memories.memories` does."""
    scope = listed(caller, namespace)
    rows, cursor = state.list_memories(
        scope, now=now, state="candidate", cursor=cursor, limit=limit
    )
    episodes = state.episodes({source for row in rows for source in row.derived_from}, now=now)
    items = [
        candidate_item(row, now, external_ids=external_ids_of(row, episodes), policy=policy)
        for row in (seen_by(caller, row, episodes) for row in rows)
    ]
    return CandidatePage(items=items, next=cursor)
