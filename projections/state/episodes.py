"""Events of episodes, and of the sessions whose ephemeral rows go."""

from __future__ import annotations

from typing import Final

import msgspec

from domain.events import (
    DistillationFailed,
    EpisodeCommitted,
    EpisodeDeleted,
    EpisodeDistilled,
    EpisodeRestored,
    EpisodeSkipped,
    Event,
    RedistillationRequested,
    SessionClosed,
)
from eventlog.sealing import EPHEMERAL_SUFFIX
from projections.state.history import changing
from projections.state.rows import EpisodeStatus
from projections.state.schema import OF_A_MEMORY
from projections.state.step import Kind, Step, as_json, microseconds

NO_SESSION: Final = ""


def episode_committed(step: Step, event: Event, body: EpisodeCommitted) -> None:
    """Add the episode, waiting for distillation."""
    if went_with_its_session(step, "episode", event, body.namespace, body.session_id):
        return
    step.add(
        "episodes",
        {
            "id": event.aggregate_id,
            "namespace": body.namespace,
            "agent_id": body.agent_id,
            "session_id": body.session_id,
            "content": body.content,
            "speaker": body.speaker,
            "source": body.source,
            "trigger": body.trigger,
            "category": body.category,
            "decay_class": body.decay_class,
            "task_status": body.task_status,
            "urgent": body.urgent,
            "distill": body.distill,
            "tags": as_json(body.tags),
            "metadata": as_json(body.metadata),
            "observed_at": microseconds(body.observed_at),
            "recorded_at": microseconds(event.occurred_at),
            "expires_at": microseconds(body.expires_at),
            "status": "pending",
            "memory_ids": "[]",
            "reinforced_ids": "[]",
            "created_position": event.position,
            "position": event.position,
        },
    )
    step.changed(body.namespace, event)


def episode_skipped(step: Step, event: Event, body: EpisodeSkipped) -> None:
    """Note why nothing was taken from it."""
    if (namespace := changing(step, "episode", event)) is None:
        return
    step.execute(
        "UPDATE episodes SET status = 'skipped', reason = ?, position = ? WHERE id = ?",
        (body.reason, event.position, event.aggregate_id),
    )
    step.changed(namespace, event)


def episode_distilled(step: Step, event: Event, body: EpisodeDistilled) -> None:
    """Note what it became."""
    if (namespace := changing(step, "episode", event)) is None:
        return
    # What an earlier distillation made stays its own: it may be corrected or deleted still.
    before = step.execute(
        "SELECT memory_ids, reinforced_ids FROM episodes WHERE id = ?", (event.aggregate_id,)
    ).fetchone()
    made, seen = (msgspec.json.decode(ids, type=list[str]) for ids in before)
    step.execute(
        "UPDATE episodes SET status = 'distilled', reason = NULL, distiller = ?, memory_ids = ?, "
        "reinforced_ids = ?, distilled_position = ?, position = ? WHERE id = ?",
        (
            body.distiller,
            as_json(list(dict.fromkeys([*made, *body.memory_ids]))),
            as_json(list(dict.fromkeys([*seen, *body.reinforced_ids]))),
            event.position,
            event.position,
            event.aggregate_id,
        ),
    )
    step.changed(namespace, event)


def distillation_failed(step: Step, event: Event, body: DistillationFailed) -> None:
    """Note why; it is tried again."""
    _waits(step, event, "failed", body.error)


def redistillation_requested(step: Step, event: Event, body: RedistillationRequested) -> None:
    """Let it wait once more. What was made of it stays until then."""
    _waits(step, event, "pending", body.reason)


def episode_deleted(step: Step, event: Event, body: EpisodeDeleted) -> None:
    """Make it a tombstone."""
    if (namespace := changing(step, "episode", event)) is None:
        return
    changed = step.execute(
        "UPDATE episodes SET status_before = status, status = 'deleted', reason_before = reason, "
        "reason = ?, deleted_at = ?, position = ? WHERE id = ? AND status != 'deleted'",
        (body.reason, microseconds(event.occurred_at), event.position, event.aggregate_id),
    )
    if not changed.rowcount:
        _only_seen(step, event)
    step.changed(namespace, event)


def episode_restored(step: Step, event: Event, body: EpisodeRestored) -> None:  # noqa: ARG001  # who restored it stays in the log
    """Give it back the status it had."""
    if (namespace := changing(step, "episode", event)) is None:
        return
    changed = step.execute(
        "UPDATE episodes SET status = status_before, status_before = NULL, "
        "reason = reason_before, reason_before = NULL, deleted_at = NULL, position = ? "
        "WHERE id = ? AND status = 'deleted'",
        (event.position, event.aggregate_id),
    )
    if not changed.rowcount:
        _only_seen(step, event)
    step.changed(namespace, event)


def session_closed(step: Step, event: Event, body: SessionClosed) -> None:
    """Remove the session's rows from an ephemeral namespace; elsewhere only note the close."""
    session = body.session_id or NO_SESSION
    step.execute(
        "INSERT INTO sessions (namespace, session_id, agent_id, closed_at, position) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (namespace, session_id) DO UPDATE SET "
        "agent_id = excluded.agent_id, closed_at = excluded.closed_at, "
        "position = excluded.position WHERE excluded.position > position",
        (
            body.namespace,
            session,
            body.agent_id,
            microseconds(event.occurred_at),
            event.position,
        ),
    )
    if body.namespace.endswith(EPHEMERAL_SUFFIX):
        _remove(step, "episode", "episodes", body.namespace, session, event.position)
        _remove(step, "memory", "memories", body.namespace, session, event.position)
    step.changed(body.namespace, event)


def went_with_its_session(
    step: Step, kind: Kind, event: Event, namespace: str, session_id: str | None
) -> bool:
    """Tell whether a new row is not to appear because its session was closed after it.

    Only an event that was parked comes after its session's close; in order, the close finds the
    row and removes it. Either way the tables end the same.
    """
    if not namespace.endswith(EPHEMERAL_SUFFIX):
        return False
    closed = step.execute(
        "SELECT 1 FROM sessions WHERE namespace = ? AND session_id = ? AND position > ?",
        (namespace, session_id or NO_SESSION, event.position),
    ).fetchone()
    if closed is None:
        return False
    step.add("removed", {"id": event.aggregate_id, "kind": kind, "namespace": namespace})
    if kind == "memory":
        # Recalls are counted by events of their own, which did not wait behind the memory.
        step.execute("DELETE FROM recall_counts WHERE memory_id = ?", (event.aggregate_id,))
    step.changed(namespace, event)
    return True


def _waits(step: Step, event: Event, status: EpisodeStatus, reason: str | None) -> None:
    if (namespace := changing(step, "episode", event)) is None:
        return
    step.execute(
        "UPDATE episodes SET status = ?, reason = ?, position = ? WHERE id = ?",
        (status, reason, event.position, event.aggregate_id),
    )
    step.changed(namespace, event)


def _only_seen(step: Step, event: Event) -> None:
    """Let a new stretch of the row begin although it says the same: its history has no gap."""
    step.execute(
        "UPDATE episodes SET position = ? WHERE id = ?", (event.position, event.aggregate_id)
    )


def _remove(
    step: Step, kind: Kind, table: str, namespace: str, session: str, position: int
) -> None:
    which = "namespace = ? AND coalesce(session_id, '') = ? AND created_position < ?"
    bound = (namespace, session, position)
    chosen = f"SELECT id FROM {table} WHERE {which}"  # noqa: S608  # constants, here and below
    step.execute(
        f"INSERT INTO removed (id, kind, namespace) SELECT id, '{kind}', namespace FROM {table} "  # noqa: S608
        f"WHERE {which} ON CONFLICT DO NOTHING",
        bound,
    )
    step.execute(f"DELETE FROM {kind}_history WHERE id IN ({chosen})", bound)  # noqa: S608
    if kind == "memory":
        for dependent in OF_A_MEMORY:
            step.execute(f"DELETE FROM {dependent} WHERE memory_id IN ({chosen})", bound)  # noqa: S608
    step.execute(f"DELETE FROM {table} WHERE {which}", bound)  # noqa: S608
