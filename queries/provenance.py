"""From a memory's sentence to the episodes it rests on, and to who changed it."""

from __future__ import annotations

from datetime import datetime

from domain.caller import Caller, may_read, require_visible
from memoryweave.contract import (
    MemoryVersion,
    Provenance,
    ProvenanceEnd,
    ProvenanceReinforcement,
    ProvenanceSettling,
    ProvenanceSource,
    ProvenanceVerification,
)
from projections.state.rows import EpisodeRow, MemoryRow, SettledRow, VerificationRow
from projections.state.view import StateView
from queries.items import seen_by
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
    proofs = state.verifications(memory_id)
    found = state.episodes({**roles, **{proof.episode_id: "" for proof in proofs}}, now=now)
    shown = {id_: one for id_, one in found.items() if may_read(caller, one.namespace)}
    sources = [_source(episode, row) for id_, episode in shown.items() if id_ in roles]
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
        evidence=seen_by(caller, row, found).evidence,
        reinforcements=[
            ProvenanceReinforcement(
                episode_id=seen.episode_id,
                match=seen.match,
                delta=seen.delta,
                at=seen.seen_at,
                position=seen.position,
            )
            for seen in state.observations(memory_id)
            if seen.episode_id in shown
        ],
        verifications=[_verification(proof) for proof in proofs if proof.episode_id in shown],
        settled=_settling(state.settled(memory_id)),
    )


def _verification(proof: VerificationRow) -> ProvenanceVerification:
    return ProvenanceVerification(
        episode_id=proof.episode_id,
        session_id=proof.session_id,
        rule=proof.rule,
        delta=proof.delta,
        faint=proof.faint,
        at=proof.seen_at,
        position=proof.position,
    )


def _settling(row: SettledRow | None) -> ProvenanceSettling | None:
    if row is None:
        return None
    return ProvenanceSettling(by=row.by, at=row.at, position=row.position)


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
