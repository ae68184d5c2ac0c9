"""What rows said at an earlier position, and which moment a position or a time stands for.

The tables hold what is now. What a change replaces is kept beside them with the stretch of
positions ``[from_position, to_position)`` in which it was so; a row that never changed has no
history. What goes with an ephemeral session takes its history along.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal, NamedTuple, cast

from msgspec import Struct

from domain.events import Event
from projections.parking import ParkedEvent
from projections.state.schema import SCHEMA
from projections.state.step import Kind, Step, microseconds, moment

Table = Literal["memories", "episodes"]

CHANGING: Final[Mapping[Table, tuple[str, ...]]] = {
    "memories": (
        "version", "tier", "confidence", "observations", "last_reinforced_at", "useful",
        "not_useful", "tags", "state", "ended_by", "ended_at", "ended_reason", "superseded_by",
        "quality_dropped_at",
    ),
    "episodes": (
        "status", "reason", "distiller", "status_before", "reason_before", "memory_ids",
        "reinforced_ids", "distilled_position", "deleted_at",
    ),
}  # fmt: skip
"""The columns that events change. What belongs to a memory's text follows from its version."""

_OF_THE_TEXT: Final = {
    "content": "text.content",
    "source": "text.source",
    "trigger": 'text."trigger"',
    "recorded_at": "text.recorded_at",
    "version_position": "text.position",
    "corrections": "past.version - 1",
}
_TEXT: Final = "JOIN versions AS text ON text.memory_id = past.id AND text.version = past.version "


class Moment(Struct, frozen=True, kw_only=True):
    """A position of the log, and the latest time that an event up to it gives as its own.

    That time is the clock by which rows age and expire as of that position.
    """

    position: int
    time: datetime


class AsOf(NamedTuple):
    """What to put before a query on memories or episodes, and its arguments."""

    sql: str
    bound: tuple[int, ...]


def changing(step: Step, kind: Kind, event: Event) -> str | None:
    """Give the namespace of the row that the event is to change, after keeping what it says.

    None if there is nothing to do; raises as `Step.namespace_of` does.
    """
    namespace = step.namespace_of(kind, event)
    if namespace is not None:
        table: Table = "episodes" if kind == "episode" else "memories"
        names = ", ".join(CHANGING[table])
        step.execute(
            f"INSERT INTO {kind}_history (id, from_position, to_position, {names}) "  # noqa: S608  # our names
            f"SELECT id, position, ?, {names} FROM {table} WHERE id = ?",
            (event.position, event.aggregate_id),
        )
    return namespace


def as_of(table: Table, position: int | None) -> AsOf:
    """Let a query that names ``table`` read it as it was at ``position``; None is as it is."""
    if position is None:
        return AsOf("", ())
    return AsOf(_shadow(table), (position, position, position))


def moment_at(connection: sqlite3.Connection, position: int) -> Moment:
    """Give the moment of a position that the view has reached."""
    row = connection.execute(
        "SELECT latest FROM moments WHERE position <= ? ORDER BY position DESC LIMIT 1",
        (position,),
    ).fetchone()
    time = moment(0 if row is None else row[0])
    return Moment(position=position, time=cast("datetime", time))


def position_passed(connection: sqlite3.Connection, time: datetime) -> int | None:
    """Give the largest position whose running maximum of times is ≤ ``time``.

    None if no later time was seen yet: then it is the end of the log, wherever that is.
    """
    row = connection.execute(
        "SELECT position FROM moments WHERE latest > ? ORDER BY latest LIMIT 1",
        (microseconds(time),),
    ).fetchone()
    return None if row is None else int(row[0]) - 1


def note_moments(
    connection: sqlite3.Connection,
    after: int,
    events: Sequence[Event],
    parked: Sequence[ParkedEvent],
) -> None:
    """Note at which positions behind ``after`` the running maximum of times rose.

    Parked events count with the time that they were stored at: nothing of them need be readable.
    """
    times = {event.position: microseconds(event.occurred_at) or 0 for event in events}
    times.update((event.position, event.occurred_at_us) for event in parked)
    row = connection.execute("SELECT max(latest) FROM moments").fetchone()
    latest = row[0]
    risen = []
    for position in sorted(times):
        if position > after and (latest is None or times[position] > latest):
            latest = times[position]
            risen.append((position, latest))
    connection.executemany("INSERT INTO moments (position, latest) VALUES (?, ?)", risen)


@cache
def _shadow(table: Table) -> str:
    """Give the common table expression that stands in for a table: the unchanged and the past."""
    kind = "episode" if table == "episodes" else "memory"
    kept = ("id", *CHANGING[table])
    names, past = [], []
    for name in _columns(table):
        names.append(f'now."{name}"')
        if table == "memories" and name in _OF_THE_TEXT:
            past.append(_OF_THE_TEXT[name])
        elif name == "position":
            past.append("past.from_position")
        else:
            past.append(f'past."{name}"' if name in kept else f'now."{name}"')
    return (
        f"WITH {table} AS (SELECT {', '.join(names)} FROM main.{table} AS now "  # noqa: S608  # our names
        f"WHERE now.position <= ? UNION ALL SELECT {', '.join(past)} FROM main.{table} AS now "
        f"JOIN {kind}_history AS past ON past.id = now.id "
        f"{_TEXT if table == 'memories' else ''}"
        "WHERE past.from_position <= ? AND past.to_position > ?) "
    )


def _columns(table: Table) -> list[str]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(SCHEMA)
        found: list[Any] = connection.execute(f"PRAGMA table_info({table})").fetchall()
    finally:
        connection.close()
    return [row[1] for row in found]
