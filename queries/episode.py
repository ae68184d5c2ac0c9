"""One episode by its id, verbatim."""

from __future__ import annotations

from datetime import datetime

from domain.caller import Caller, require_visible
from memoryweave.contract import EpisodeDetail
from projections.state.view import StateView


def episode(episode_id: str, caller: Caller, state: StateView, now: datetime) -> EpisodeDetail:
    """Give an episode in whatever state it is. Raises `NotFound` for an unknown or foreign id."""
    row = state.episode(episode_id, now=now)
    require_visible(caller, "episode", episode_id, row.namespace if row else None)
    assert row is not None
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
        memory_ids=[*row.memory_ids, *row.reinforced_ids],
        metadata=dict(row.metadata),
    )
