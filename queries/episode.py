"""One episode by its id, verbatim."""

from __future__ import annotations

from datetime import datetime

from domain.caller import Caller, may_read, require_visible
from memoryweave.contract import EpisodeDetail
from projections.state.rows import MemoryRow
from projections.state.view import StateView


def episode(episode_id: str, caller: Caller, state: StateView, now: datetime) -> EpisodeDetail:
    """Give an episode in whatever state it is. Raises `NotFound` for an unknown or foreign id."""
    row = state.episode(episode_id, now=now)
    require_visible(caller, "episode", episode_id, row.namespace if row else None)
    assert row is not None
    ids = [*row.memory_ids, *row.reinforced_ids]
    memories = state.memories(ids, now=now) if ids else {}
    return EpisodeDetail(
        id=row.id,
        content=row.content,
        speaker=row.speaker,
        namespace=row.namespace,
        agent_id=row.agent_id,
        session_id=row.session_id,
        observed_at=row.observed_at,
        recorded_at=row.recorded_at,
        position=row.created_position,
        status=row.status,
        reason=row.reason,
        memory_ids=[memory_id for memory_id in ids if _is_told(memories.get(memory_id), caller)],
        metadata=dict(row.metadata),
    )


def _is_told(memory: MemoryRow | None, caller: Caller) -> bool:
    """Tell whether the episode became this memory, and the caller may know it.

    What it came out as once, and not when it was distilled anew, it is no more.
    """
    if memory is None:
        return True
    return memory.ended_by != "redistilled" and may_read(caller, memory.namespace)
