"""From a memory's sentence to the episodes it rests on, and to who changed it."""

from __future__ import annotations

from datetime import datetime

from domain.caller import Caller, may_read, require_visible
from memoryweave.contract import MemoryVersion, Provenance, ProvenanceEnd, ProvenanceSource
from projections.state.rows import EpisodeRow, MemoryRow
from projections.state.view import StateView
from queries.memory import versions


def provenance(memory_id: str, caller: Caller, state: StateView, now: datetime) -> Provenance:
    """Give what a memory rests on. Raises `NotFound` for an unknown or foreign id.

    Of a source that the caller may not read only the number is told.
    """
    row = state.memory(memory_id, now=now)
    require_visible(caller, "memory", memory_id, row.namespace if row else None)
    assert row is not None
    roles = dict.fromkeys(row.observed_in, "reinforced") | dict.fromkeys(
        row.derived_from, "created"
    )
    found = state.episodes(roles, now=now)
    sources = [
        _source(episode, row) for episode in found.values() if may_read(caller, episode.namespace)
    ]
    texts = versions(memory_id, caller, state, now).items
    return Provenance(
        memory_id=row.id,
        namespace=row.namespace,
        version=row.version,
        content=row.content,
        state=row.state,
        position=row.created_position,
        sources=sorted(sources, key=lambda source: source.position),
        versions=texts,
        agents=_agents(sources, texts),
        hidden_sources=len(roles) - len(sources),
        ended=_end(row, caller, state, now),
    )


def _source(episode: EpisodeRow, memory: MemoryRow) -> ProvenanceSource:
    return ProvenanceSource(
        episode_id=episode.id,
        role="created" if episode.id in memory.derived_from else "reinforced",
        agent_id=episode.agent_id,
        speaker=episode.speaker,
        content=episode.content,
        namespace=episode.namespace,
        session_id=episode.session_id,
        observed_at=episode.observed_at,
        recorded_at=episode.recorded_at,
        position=episode.created_position,
        status=episode.status,
    )


def _agents(sources: list[ProvenanceSource], texts: list[MemoryVersion]) -> list[str]:
    return sorted({s.agent_id for s in sources} | {text.updated_by for text in texts})


def _end(row: MemoryRow, caller: Caller, state: StateView, now: datetime) -> ProvenanceEnd | None:
    if row.ended_by is None or row.ended_at is None:
        return None
    return ProvenanceEnd(
        by=row.ended_by,
        at=row.ended_at,
        reason=row.ended_reason,
        superseded_by=_readable(row.superseded_by, caller, state, now),
        position=row.position,
    )


def _readable(memory_id: str | None, caller: Caller, state: StateView, now: datetime) -> str | None:
    """Give the id of a memory that the caller may know of; of one that is gone, only the id is."""
    other = state.memory(memory_id, now=now) if memory_id else None
    return None if other and not may_read(caller, other.namespace) else memory_id
