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
    found = step.execute(
        f"SELECT namespace FROM {table} WHERE id = ?",  # noqa: S608  # constants, here and below
        (thing_id,),
    ).fetchone()
    if found is not None:
        step.changed(found[0], event)
        step.add("removed", {"id": thing_id, "kind": kind, "namespace": found[0]})
    step.execute(f"DELETE FROM {kind}_history WHERE id = ?", (thing_id,))  # noqa: S608
    step.execute(f"DELETE FROM {table} WHERE id = ?", (thing_id,))  # noqa: S608
    step.execute("DELETE FROM parked WHERE key = ?", (thing_id,))
