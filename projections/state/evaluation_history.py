"""Reading the sets of questions and the runs that the view shows."""

from __future__ import annotations

import sqlite3

from projections.state.decoding import select
from projections.state.rows import EvaluationRow, GoldenQuestionRow, GoldenSetRow


def golden_set(connection: sqlite3.Connection, name: str) -> GoldenSetRow | None:
    """Give the set of that name, None if none was generated."""
    rows = select(connection, GoldenSetRow, 'FROM golden_sets WHERE "set" = ?', (name,))
    return rows[0] if rows else None


def golden_questions(connection: sqlite3.Connection, name: str) -> list[GoldenQuestionRow]:
    """Give a set's questions by number."""
    return select(
        connection,
        GoldenQuestionRow,
        'FROM golden_questions WHERE "set" = ? ORDER BY number',
        (name,),
    )


def evaluations(
    connection: sqlite3.Connection, name: str | None, limit: int
) -> list[EvaluationRow]:
    """Give the last runs, of one set or of all, the newest first."""
    return select(
        connection,
        EvaluationRow,
        'FROM evaluations WHERE "set" = coalesce(?, "set") ORDER BY position DESC LIMIT ?',
        (name, limit),
    )


def fallen(connection: sqlite3.Connection) -> list[EvaluationRow]:
    """Give the last run of every set whose last run fell below the earlier ones, by name."""
    return select(
        connection,
        EvaluationRow,
        "FROM evaluations WHERE regressed AND position IN (SELECT max(position) FROM evaluations "
        'GROUP BY "set") ORDER BY "set"',
    )
