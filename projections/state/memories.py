"""Events of memories: texts, votes, tags, and how a memory ends and comes back."""

from __future__ import annotations

from collections.abc import Mapping

from domain.caller import DISTILLER_ACTOR
from domain.events import (
    Event,
    FeedbackGiven,
    MemoryCorrected,
    MemoryCreated,
    MemoryDeleted,
    MemoryDeprecated,
    MemoryProposed,
    MemoryReinforced,
    MemoryRestored,
    MemorySuperseded,
    MemoryTagged,
    NewMemory,
    QualityDropped,
    TagLevel,
    TierChanged,
)
from projections.state.episodes import went_with_its_session
from projections.state.history import changing
from projections.state.rows import EndedBy, MemoryState
from projections.state.step import Step, as_json, microseconds


def memory_created(step: Step, event: Event, body: MemoryCreated) -> None:
    """Add the memory with its first text."""
    _begin(step, event, body, "live")


def memory_proposed(step: Step, event: Event, body: MemoryProposed) -> None:
    """Add a candidate: all that a memory has, but nobody recalls it."""
    if _begin(step, event, body, "candidate"):
        candidate = {"memory_id": event.aggregate_id, "proposed_position": event.position}
        step.add("settling", candidate)


def _begin(step: Step, event: Event, body: NewMemory, state: MemoryState) -> bool:
    """Add the memory with its first text; tell whether it was not there, and is to be."""
    if went_with_its_session(step, "memory", event, body.namespace, body.session_id):
        return False
    at = microseconds(event.occurred_at)
    added = step.add(
        "memories",
        {
            "id": event.aggregate_id,
            "namespace": body.namespace,
            "agent_id": body.agent_id,
            "session_id": body.session_id,
            "content": body.content,
            "version": 1,
            "category": body.category,
            "decay_class": body.decay_class,
            "tier": body.tier,
            "source": body.source,
            "distilled_by": body.distilled_by,
            "trigger": body.trigger,
            "clarity": body.clarity,
            "confidence": body.confidence,
            "derived_from": as_json(body.derived_from),
            "depends_on": as_json(body.depends_on),
            "refers_to": as_json(body.references),
            "entities": as_json(body.entities),
            "relations": as_json(body.relations),
            "evidence": body.evidence,
            "tags": as_json(body.tags),
            "metadata": as_json(body.metadata),
            "observed_at": microseconds(body.observed_at),
            "recorded_at": at,
            "created_at": at,
            "expires_at": microseconds(body.expires_at),
            "observations": 1,
            "useful": 0,
            "not_useful": 0,
            "corrections": 0,
            "state": state,
            "created_position": event.position,
            "version_position": event.position,
            "position": event.position,
        },
    )
    if not added:
        return False
    step.add(
        "versions",
        {
            "memory_id": event.aggregate_id,
            "version": 1,
            "content": body.content,
            "updated_by": body.agent_id,
            "source": body.source,
            "trigger": body.trigger,
            "reason": None,
            "recorded_at": at,
            "position": event.position,
        },
    )
    _set_tags(step, event.aggregate_id, body.tags, {})
    step.changed(body.namespace, event)
    return True


def memory_corrected(step: Step, event: Event, body: MemoryCorrected) -> None:
    """Give it its next text; the earlier ones stay in ``versions``."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    reword(step, event, body)
    step.changed(namespace, event)


def reword(step: Step, event: Event, body: MemoryCorrected) -> None:
    """Give a memory that is changing its next text."""
    at = microseconds(event.occurred_at)
    step.execute(
        "UPDATE memories SET content = ?, version = version + 1, corrections = corrections + 1, "
        'source = ?, "trigger" = ?, recorded_at = ?, version_position = ?, position = ? '
        "WHERE id = ?",
        (
            body.content,
            body.source,
            body.trigger,
            at,
            event.position,
            event.position,
            event.aggregate_id,
        ),
    )
    step.execute(
        "INSERT INTO versions (memory_id, version, content, updated_by, source, "
        '"trigger", reason, recorded_at, position) '
        "SELECT id, version, ?, ?, source, ?, ?, ?, ? FROM memories WHERE id = ?",
        (
            body.content,
            body.agent_id,
            body.trigger,
            body.reason,
            at,
            event.position,
            event.aggregate_id,
        ),
    )


def memory_reinforced(step: Step, event: Event, body: MemoryReinforced) -> None:
    """Count one more observation of the same statement."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    at = microseconds(event.occurred_at)
    step.execute(
        "UPDATE memories SET confidence = confidence + ?, observations = observations + 1, "
        "last_reinforced_at = ?, position = ? WHERE id = ?",
        (body.delta, at, event.position, event.aggregate_id),
    )
    step.add(
        "observations",
        {
            "position": event.position,
            "memory_id": event.aggregate_id,
            "episode_id": body.episode_id,
            "match": body.match,
            "delta": body.delta,
            "seen_at": at,
        },
    )
    step.changed(namespace, event)


def feedback_given(step: Step, event: Event, body: FeedbackGiven) -> None:
    """Add one vote with its weight."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    useful = body.weight if body.verdict == "useful" else 0
    step.execute(
        "UPDATE memories SET useful = useful + ?, not_useful = not_useful + ?, position = ? "
        "WHERE id = ?",
        (useful, body.weight - useful, event.position, event.aggregate_id),
    )
    step.add(
        "votes",
        {
            "position": event.position,
            "memory_id": event.aggregate_id,
            "agent_id": body.agent_id,
            "verdict": body.verdict,
            "weight": body.weight,
            "recall_id": body.recall_id,
            "reason": body.reason,
            "given_at": microseconds(event.occurred_at),
        },
    )
    step.changed(namespace, event)


def quality_dropped(step: Step, event: Event, body: QualityDropped) -> None:  # noqa: ARG001  # the score follows from the votes
    """Note when its quality fell under the bound."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    step.execute(
        "UPDATE memories SET quality_dropped_at = ?, position = ? WHERE id = ?",
        (microseconds(event.occurred_at), event.position, event.aggregate_id),
    )
    step.changed(namespace, event)


def tier_changed(step: Step, event: Event, body: TierChanged) -> None:
    """Pin or unpin it."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    step.execute(
        "UPDATE memories SET tier = ?, position = ? WHERE id = ?",
        (body.tier, event.position, event.aggregate_id),
    )
    step.changed(namespace, event)


def memory_tagged(step: Step, event: Event, body: MemoryTagged) -> None:
    """Replace its tags."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    step.execute(
        "UPDATE memories SET tags = ?, position = ? WHERE id = ?",
        (as_json(body.tags), event.position, event.aggregate_id),
    )
    _set_tags(step, event.aggregate_id, body.tags, body.levels)
    step.changed(namespace, event)


def memory_superseded(step: Step, event: Event, body: MemorySuperseded) -> None:
    """End it in favour of another."""
    end(step, event, "superseded", body.reason, by=body.by)


def memory_deprecated(step: Step, event: Event, body: MemoryDeprecated) -> None:
    """End it by its author's or the owner's word."""
    end(step, event, "deprecated", body.reason)


def memory_deleted(step: Step, event: Event, body: MemoryDeleted) -> None:
    """End it softly."""
    end(step, event, "deleted", body.reason)


def memory_restored(step: Step, event: Event, body: MemoryRestored) -> None:  # noqa: ARG001  # who restored it stays in the log
    """Let it be again what it was, with the text it had: live, or a candidate."""
    if (namespace := changing(step, "memory", event)) is None:
        return
    step.execute(
        "UPDATE memories SET state = CASE WHEN EXISTS (SELECT 1 FROM settling "
        "WHERE memory_id = memories.id AND settled_position IS NULL) "
        "THEN 'candidate' ELSE 'live' END, ended_by = NULL, ended_at = NULL, "
        "ended_reason = NULL, superseded_by = NULL, position = ? WHERE id = ?",
        (event.position, event.aggregate_id),
    )
    step.changed(namespace, event)


def end(
    step: Step, event: Event, ended_by: EndedBy, reason: str | None, by: str | None = None
) -> None:
    """Make it a tombstone. What the distiller ends came out otherwise, or not again."""
    if event.actor == DISTILLER_ACTOR:
        ended_by = "redistilled"
    if (namespace := changing(step, "memory", event)) is None:
        return
    step.execute(
        "UPDATE memories SET state = 'tombstone', ended_by = ?, ended_at = ?, ended_reason = ?, "
        "superseded_by = ?, position = ? WHERE id = ?",
        (
            ended_by,
            microseconds(event.occurred_at),
            reason,
            by,
            event.position,
            event.aggregate_id,
        ),
    )
    step.changed(namespace, event)


def _set_tags(step: Step, memory_id: str, tags: list[str], levels: Mapping[str, TagLevel]) -> None:
    step.execute("DELETE FROM memory_tags WHERE memory_id = ?", (memory_id,))
    step.executemany(
        "INSERT OR IGNORE INTO memory_tags (memory_id, tag) VALUES (?, ?)",
        [(memory_id, tag) for tag in tags],
    )
    step.execute("DELETE FROM tag_levels WHERE memory_id = ?", (memory_id,))
    step.executemany(
        "INSERT INTO tag_levels (memory_id, tag, level) VALUES (?, ?, ?)",
        [(memory_id, tag, level) for tag, level in levels.items()],
    )
