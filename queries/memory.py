"""One memory by its id, and the texts it had."""

from __future__ import annotations

from datetime import datetime

from msgspec import structs

from domain.caller import Caller, require_visible
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import AsOf, MemoryDetail, MemoryVersion, MemoryVersions
from projections.state.view import StateView
from queries.memories import details
from queries.moments import moment_of


def memory(
    memory_id: str,
    caller: Caller,
    state: StateView,
    now: datetime,
    policy: PolicySettings = DEFAULT_POLICY,
    *,
    as_of: AsOf | None = None,
) -> MemoryDetail:
    """Give a memory in whatever state it is, or was ``as_of`` a moment.

    Raises `NotFound` for an unknown or foreign id, also one that was not known yet then, and what
    `moment_of` raises.
    """
    moment = moment_of(as_of, state)
    position = None if moment is None else moment.position
    now = now if moment is None else moment.time
    row = state.memory(memory_id, now=now, position=position)
    require_visible(caller, "memory", memory_id, row.namespace if row else None)
    assert row is not None
    [detail] = details([row], caller, state, now, policy)
    return structs.replace(detail, as_of_position=position)


def versions(memory_id: str, caller: Caller, state: StateView, now: datetime) -> MemoryVersions:
    """Give every text the memory had, oldest first. Raises `NotFound` like `memory`."""
    row = state.memory(memory_id, now=now)
    require_visible(caller, "memory", memory_id, row.namespace if row else None)
    return MemoryVersions(
        items=[
            MemoryVersion(
                version=version.version,
                content=version.content,
                updated_by=version.updated_by,
                source=version.source,
                trigger=version.trigger,
                reason=version.reason,
                recorded_at=version.recorded_at,
                position=version.position,
            )
            for version in state.versions(memory_id)
        ]
    )
