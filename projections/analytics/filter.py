"""Which events an audit asks for, as SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct


class EventFilter(Struct, frozen=True, kw_only=True):
    """What an event must be; None asks for nothing. Positions and times are both ends included.

    ``namespace``: the event's body names it, or an event of the same aggregate does. Each of
    ``mentions`` is an id: of the aggregate, or one that the body names (the memories of an episode,
    the episodes of a memory).
    """

    type: str | None = None
    actor: str | None = None
    aggregate_id: str | None = None
    mentions: tuple[str, ...] = ()
    namespace: str | None = None
    first: int | None = None
    last: int | None = None
    since: datetime | None = None
    until: datetime | None = None


def where(wanted: EventFilter, after: int) -> tuple[str, list[Any]]:
    """Give the condition on ``events`` with its parameters, for events after a position."""
    conditions = ['"position" > ?']
    parameters: list[Any] = [after]
    for condition, value in (
        ('"type" = ?', wanted.type),
        ("actor = ?", wanted.actor),
        ("aggregate_id = ?", wanted.aggregate_id),
        ('"position" >= ?', wanted.first),
        ('"position" <= ?', wanted.last),
        ("occurred_at >= ?", wanted.since),
        ("occurred_at <= ?", wanted.until),
    ):
        if value is not None:
            conditions.append(condition)
            parameters.append(value)
    for mentioned in wanted.mentions:
        conditions.append("(aggregate_id = ? OR contains(CAST(body AS VARCHAR), ?))")
        parameters += [mentioned, f'"{mentioned}"']
    if wanted.namespace is not None:
        conditions.append(
            "(namespace = ? OR aggregate_id IN "
            "(SELECT aggregate_id FROM events WHERE namespace = ?))"
        )
        parameters += [wanted.namespace, wanted.namespace]
    return " AND ".join(conditions), parameters
