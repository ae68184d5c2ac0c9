"""What an answer kept for later rests on: how far the view is, and when its rows change by time."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from projections.state.listing import Scope
from projections.state.step import microseconds, moment

EVERYWHERE: Final = "*"
"""Stands for all namespaces together where the scope is not a set of names."""


class Standing(Struct, frozen=True):
    """How far the view has come, how many events it has set aside, and what changed last.

    ``epoch`` is that of the log, "" before its first event. ``changed_at`` gives, per namespace of
    a scope, the last position that can have changed an answer; 0 if none has.
    """

    epoch: str
    position: int
    parked: int
    changed_at: dict[str, int]


def standing(connection: sqlite3.Connection, scope: Scope) -> Standing:
    """Look, in one read transaction."""
    row = connection.execute("SELECT epoch, position FROM checkpoint").fetchone()
    epoch, position = row or ("", 0)
    parked = connection.execute("SELECT count(*) FROM parked").fetchone()[0]
    if scope is None:
        latest = connection.execute("SELECT coalesce(max(changed_at), 0) FROM namespaces")
        return Standing(epoch, position, parked, {EVERYWHERE: latest.fetchone()[0]})
    rows = connection.execute(
        "SELECT namespace, changed_at FROM namespaces "
        "WHERE namespace IN (SELECT value FROM json_each(?))",
        (_names(scope),),
    )
    changed_at = dict.fromkeys(sorted(scope), 0) | dict(rows.fetchall())
    return Standing(epoch, position, parked, changed_at)


def next_expiry(connection: sqlite3.Connection, scope: Scope, now: datetime) -> datetime | None:
    """Give when the next memory or episode of the scope expires, None if none will."""
    names = "SELECT namespace AS value FROM namespaces"
    bound: tuple[object, ...] = (microseconds(now), microseconds(now))
    if scope is not None:
        names, bound = "SELECT value FROM json_each(?)", (*bound, _names(scope))
    first = [
        f"(SELECT min(expires_at) FROM {table} WHERE namespace = value AND expires_at > ?)"  # noqa: S608  # two constants
        for table in ("memories", "episodes")
    ]
    row = connection.execute(
        f"SELECT min({first[0]}), min({first[1]}) FROM ({names})",  # noqa: S608  # ours
        bound,
    ).fetchone()
    return moment(min((at for at in row if at is not None), default=None))


def _names(scope: frozenset[str]) -> str:
    return msgspec.json.encode(sorted(scope)).decode()
