"""Events of evaluation: sets of questions, and runs. They change no answer of any namespace."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from domain.events import EvaluationFinished, Event, GoldenQuestionWritten, GoldenSetGenerated
from projections.state.step import Step, as_json, microseconds


def golden_set_generated(step: Step, event: Event, body: GoldenSetGenerated) -> None:
    """Begin the set anew: the questions it had before are gone."""
    if _generated(step, body.set) >= event.position:
        return
    step.execute('DELETE FROM golden_questions WHERE "set" = ?', (body.set,))
    step.execute(
        'INSERT INTO golden_sets ("set", seed, generator, model, questions, generated_at, '
        "position) VALUES (?, ?, ?, ?, ?, ?, ?) "
        'ON CONFLICT ("set") DO UPDATE SET seed = excluded.seed, generator = excluded.generator, '
        "model = excluded.model, questions = excluded.questions, "
        "generated_at = excluded.generated_at, position = excluded.position",
        (
            body.set,
            body.seed,
            body.generator,
            body.model,
            body.questions,
            microseconds(event.occurred_at),
            event.position,
        ),
    )


def golden_question_written(step: Step, event: Event, body: GoldenQuestionWritten) -> None:
    """Add a question to its set, unless what it asks for was erased."""
    gone = step.execute(
        "SELECT count(*) FROM removed WHERE id IN (SELECT value FROM json_each(?))",
        (as_json(body.expected_ids),),
    ).fetchone()[0]
    if gone or _generated(step, body.set) > event.position:
        return
    step.add(
        "golden_questions",
        {
            "set": body.set,
            "number": body.number,
            "query": body.query,
            "expected_ids": as_json(body.expected_ids),
            "question_class": body.question_class,
            "level": body.level,
            "namespace": body.namespace,
            "position": event.position,
        },
    )


def evaluation_finished(step: Step, event: Event, body: EvaluationFinished) -> None:
    """Add a run to the history."""
    step.add(
        "evaluations",
        {
            "position": event.position,
            "set": body.set,
            "actor": event.actor,
            "finished_at": microseconds(event.occurred_at),
            "figures": msgspec.json.encode(body, order="sorted").decode(),
            "regressed": body.regressed,
        },
    )


def forget_questions(step: Step, erased: Collection[str]) -> None:
    """Remove the questions that ask for what was erased: they are made of its words."""
    step.execute(
        "DELETE FROM golden_questions WHERE EXISTS (SELECT 1 FROM json_each(expected_ids) "
        "WHERE value IN (SELECT value FROM json_each(?)))",
        (as_json(list(erased)),),
    )


def _generated(step: Step, name: str) -> int:
    found = step.execute('SELECT position FROM golden_sets WHERE "set" = ?', (name,)).fetchone()
    return 0 if found is None else int(found[0])
