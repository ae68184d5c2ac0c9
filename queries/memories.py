"""Lists of memories and of tombstones, page by page, over what the caller may read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from domain.caller import Caller
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import AsOf, Category, MemoryDetail, MemoryPage, MemoryState
from projections.state.listing import Sort
from projections.state.rows import EpisodeRow, MemoryRow
from projections.state.view import StateView
from queries.items import episode_tombstone, external_ids_of, memory_detail, seen_by
from queries.moments import moment_of
from queries.results import triggers_of
from queries.scope import listed


class MemoryList(Struct, frozen=True, kw_only=True):
    """Which memories to list. ``cursor`` is ``next`` of the page before, as of the same moment.

    ``sort``: the newest first, the most reliable first, or the most important first.
    """

    namespace: str | None = None
    category: Category | None = None
    tag: str | None = None
    state: MemoryState = "live"
    sort: Sort = "recent"
    cursor: str | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 50
    as_of: AsOf | None = None


def memories(
    asked: MemoryList,
    caller: Caller,
    state: StateView,
    now: datetime,
    policy: PolicySettings = DEFAULT_POLICY,
) -> MemoryPage:
    """Give one page of memories.

    Raises `Forbidden` for a named namespace that the caller may not read, `InvalidCommand` for a
    cursor of another list, and with ``as_of`` what `moment_of` raises.
    """
    scope = listed(caller, asked.namespace)
    moment = moment_of(asked.as_of, state)
    position = None if moment is None else moment.position
    now = now if moment is None else moment.time
    rows, cursor = state.list_memories(
        scope,
        now=now,
        position=position,
        state=asked.state,
        category=asked.category,
        tag=asked.tag,
        sort=asked.sort,
        cursor=asked.cursor,
        limit=asked.limit,
    )
    items = details(rows, caller, state, now, policy)
    return MemoryPage(items=items, next=cursor, as_of_position=position)


def tombstones(
    caller: Caller,
    state: StateView,
    now: datetime,
    *,
    namespace: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
    policy: PolicySettings = DEFAULT_POLICY,
) -> MemoryPage:
    """Give one page of what was ended and can be restored: memories and deleted episodes.

    The last ended comes first. Raises as `memories` does.
    """
    rows, cursor = state.list_tombstones(
        listed(caller, namespace), now=now, cursor=cursor, limit=limit
    )
    ended = {
        item.id: item
        for item in details(
            [row for row in rows if isinstance(row, MemoryRow)], caller, state, now, policy
        )
    }
    items = [
        episode_tombstone(row, policy) if isinstance(row, EpisodeRow) else ended[row.id]
        for row in rows
    ]
    return MemoryPage(items=items, next=cursor)


def details(
    rows: Sequence[MemoryRow],
    caller: Caller,
    state: StateView,
    now: datetime,
    policy: PolicySettings,
) -> list[MemoryDetail]:
    """Give rows as items of the wire, in their order, with what the caller may know of them."""
    episodes = state.episodes({source for row in rows for source in row.derived_from}, now=now)
    return [
        memory_detail(
            row,
            now,
            triggers=triggers_of(row, state, policy),
            external_ids=external_ids_of(row, episodes),
            policy=policy,
        )
        for row in (seen_by(caller, row, episodes) for row in rows)
    ]
