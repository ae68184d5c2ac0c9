"""Events of erasures: rows go, with all that they ever said."""

from __future__ import annotations

from domain.events import ErasureFinished, Event, SubjectErased
from projections.state.evaluations import forget_questions
from projections.state.schema import ERASED_SUBJECTS, OF_A_MEMORY
from projections.state.step import Kind, Step


def subject_erased(step: Step, event: Event, body: SubjectErased) -> None:
    """Remove what was erased from every table, and what was set aside of it."""
    for memory_id in body.memory_ids:
        _remove(step, event, "memory", "memories", memory_id)
        for dependent in OF_A_MEMORY:
            step.execute(f"DELETE FROM {dependent} WHERE memory_id = ?", (memory_id,))  # noqa: S608  # constants
    for episode_id in body.episode_ids:
        _remove(step, event, "episode", "episodes", episode_id)
    forget_questions(step, [*body.memory_ids, *body.episode_ids])
    step.execute(
        "INSERT INTO erasures (id, target, target_id, position, complete) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET position = excluded.position, "
        "complete = excluded.complete, finished_position = NULL "
        "WHERE excluded.position > position",
        (event.aggregate_id, body.target, body.target_id, event.position, body.last),
    )
    step.execute(
        f"INSERT INTO meta (name, value) VALUES ('{ERASED_SUBJECTS}', ?) "  # noqa: S608  # a constant
        "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
        (len(body.subjects),),
    )
    step.execute(
        "INSERT INTO meta (name, value) VALUES ('erased', ?) "
        "ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
        (event.position,),
    )


def erasure_finished(step: Step, event: Event, _body: ErasureFinished) -> None:
    """Note that the files were cleared, or what still holds it."""
    step.execute(
        "UPDATE erasures SET finished_position = ? WHERE id = ? AND position < ?",
        (event.position, event.aggregate_id, event.position),
    )


def _remove(step: Step, event: Event, kind: Kind, table: str, thing_id: str) -> None:
    """Remove a thing, also one whose creation is parked: other nodes have shown it, or will.

    Its namespace changes also where it went with its session before. Otherwise it would matter
    whether the session's close came first, and a close that was parked comes late.
    """
    [namespace] = step.execute(
        f"SELECT coalesce((SELECT namespace FROM {table} WHERE id = :id), "  # noqa: S608  # constants, here and below
        "(SELECT namespace FROM removed WHERE id = :id), "
        "(SELECT namespace FROM parked WHERE key = :id AND namespace != ''))",
        {"id": thing_id},
    ).fetchone()
    if namespace is not None:
        step.changed(namespace, event)
        step.add("removed", {"id": thing_id, "kind": kind, "namespace": namespace})
    step.execute(f"DELETE FROM {kind}_history WHERE id = ?", (thing_id,))  # noqa: S608
    step.execute(f"DELETE FROM {table} WHERE id = ?", (thing_id,))  # noqa: S608
    step.execute("DELETE FROM parked WHERE key = ?", (thing_id,))
