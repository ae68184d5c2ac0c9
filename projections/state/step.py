"""One batch on its way into the tables: what every event's function is given."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, Literal

import msgspec

from domain.events import Event
from projections.projector import PoisonEvent

Kind = Literal["episode", "memory"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_encode: Final = msgspec.json.Encoder().encode


class Step:
    """The open transaction, and the namespaces whose answers it changes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.execute = connection.execute
        self.executemany = connection.executemany
        self._changed: dict[str, int] = {}

    def add(self, table: str, row: Mapping[str, Any]) -> bool:
        """Add a row unless its key is there already; tell whether it was added."""
        return self.execute(_insert(table, tuple(row)), tuple(row.values())).rowcount == 1

    def changed(self, namespace: str, event: Event) -> None:
        """Note that the event can change an answer in ``namespace``."""
        self._changed[namespace] = max(event.position, self._changed.get(namespace, 0))

    def mention(self, namespace: str) -> None:
        """Note that ``namespace`` exists, without saying that anything in it changed."""
        self._changed.setdefault(namespace, 0)

    def namespace_of(self, kind: Kind, event: Event) -> str | None:
        """Give the namespace of the row that the event is to change.

        None if there is nothing to do: the row shows the event already, or went with its session.
        Raises `PoisonEvent` if there never was such a row.
        """
        table = "episodes" if kind == "episode" else "memories"
        row = self.execute(
            f"SELECT namespace, position FROM {table} WHERE id = ?",  # noqa: S608  # two constants
            (event.aggregate_id,),
        ).fetchone()
        if row is not None:
            return None if row[1] >= event.position else str(row[0])
        gone = self.execute("SELECT namespace FROM removed WHERE id = ?", (event.aggregate_id,))
        if (removed := gone.fetchone()) is None:
            raise PoisonEvent(event.position, f"{event.type} of a {kind} that was never created")
        # Counted all the same: had the event come before the close, it would have been.
        self.changed(removed[0], event)
        return None

    def finish(self) -> None:
        """Write what was noted about namespaces."""
        self.executemany(
            "INSERT INTO namespaces (namespace, changed_at) VALUES (?, ?) ON CONFLICT (namespace) "
            "DO UPDATE SET changed_at = max(changed_at, excluded.changed_at)",
            self._changed.items(),
        )


@cache
def _insert(table: str, names: tuple[str, ...]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO {table} ({quoted}) VALUES ({marks}) ON CONFLICT DO NOTHING"  # noqa: S608  # our names


def microseconds(moment: datetime | None) -> int | None:
    """Give an aware time as microseconds since 1970, or None."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment(value: int | None) -> datetime | None:
    """Give microseconds since 1970 as an aware UTC time, or None."""
    return None if value is None else _EPOCH + value * _MICROSECOND


def as_json(value: Any) -> str:
    """Give a list or object as the JSON text that the tables hold."""
    return _encode(value).decode()
