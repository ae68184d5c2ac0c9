"""Events of candidates, and of what bears a memory out."""

from __future__ import annotations

from domain.events import (
    CandidateDismissed,
    CandidateSettled,
    Event,
    MemoryCorrected,
    MemoryVerified,
)
from projections.state.history import changing
from projections.state.memories import end, reword
from projections.state.step import Step, microseconds


def candidate_settled(step: Step, event: Event, body: CandidateSettled) -> None:
    """Let a candidate live; note when the owner first stood by it, perhaps with another text."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    if body.content is not None:
        [source] = step.execute(
            "SELECT source FROM memories WHERE id = ?", (event.aggregate_id,)
        ).fetchone()
        corrected = MemoryCorrected(
            content=body.content, source=body.source or source, agent_id=body.agent_id
        )
        reword(step, event, corrected)
    step.execute(
        "UPDATE memories SET state = CASE state WHEN 'candidate' THEN 'live' ELSE state END, "
        "position = ? WHERE id = ?",
        (event.position, event.aggregate_id),
    )
    step.execute(
        "INSERT INTO settling (memory_id, settled_at, settled_by, settled_position) "
        "VALUES (?, ?, ?, ?) ON CONFLICT (memory_id) DO UPDATE SET "
        "settled_at = excluded.settled_at, settled_by = excluded.settled_by, "
        "settled_position = excluded.settled_position WHERE settled_position IS NULL",
        (event.aggregate_id, microseconds(event.occurred_at), body.agent_id, event.position),
    )
    step.changed(namespace, event)


def candidate_dismissed(step: Step, event: Event, body: CandidateDismissed) -> None:
    """End it by the owner's word before it ever lived."""
    end(step, event, "dismissed", body.reason)


def memory_verified(step: Step, event: Event, body: MemoryVerified) -> None:
    """Add what its confidence gains, and note what bore it out."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    step.execute(
        "UPDATE memories SET confidence = confidence + ?, position = ? WHERE id = ?",
        (body.delta, event.position, event.aggregate_id),
    )
    step.add(
        "verifications",
        {
            "position": event.position,
            "memory_id": event.aggregate_id,
            "episode_id": body.episode_id,
            "session_id": body.session_id,
            "rule": body.rule,
            "delta": body.delta,
            "faint": body.faint,
            "seen_at": microseconds(event.occurred_at),
        },
    )
    step.changed(namespace, event)
