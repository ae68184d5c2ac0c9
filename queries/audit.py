"""What happened: events by filter, and an auditor's own SQL (for who holds the admin's key)."""

from __future__ import annotations

import base64
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.errors import InvalidCommand
from memoryweave.contract import AuditAnswer, AuditItem, AuditPage
from projections.analytics.filter import EventFilter
from projections.analytics.processes import SpareProcess
from projections.analytics.question import Answer, Limits, ask
from projections.analytics.rows import EventRow
from projections.analytics.view import AnalyticsView

_INT64: Final = 1 << 63


class AuditList(Struct, frozen=True, kw_only=True):
    """Which events to list. ``cursor`` is ``next`` of the page before."""

    wanted: EventFilter
    cursor: str | None = None
    limit: int = 50


def audit_events(asked: AuditList, view: AnalyticsView) -> AuditPage:
    """Give one page of events, by position. Raises `InvalidCommand` for a foreign cursor.

    Events that come while somebody pages are on later pages; none is left out.
    """
    found = view.events(asked.wanted, after=_position(asked.cursor), limit=asked.limit + 1)
    shown = found[: asked.limit]
    return AuditPage(
        items=[_item(row) for row in shown],
        next=str(shown[-1].position) if len(found) > len(shown) else None,
        position=view.checkpoint().position,
    )


def audit_query(sql: str, rows: int, view: AnalyticsView, processes: SpareProcess) -> AuditAnswer:
    """Answer one SELECT over the audit's views. Raises what `ask` raises."""
    answer = ask(view, sql, Limits(rows=rows), processes)
    return AuditAnswer(
        columns=answer.table.column_names, rows=plain_rows(answer), truncated=answer.truncated
    )


def plain_rows(answer: Answer) -> list[list[Any]]:
    """Give an answer's rows as values that JSON has, times as ISO 8601.

    Raises `InvalidCommand` for times that DuckDB has and ISO 8601 has not, or not as exactly.
    """
    table = answer.table
    columns = [_values(name, table.column(at)) for at, name in enumerate(table.column_names)]
    return [list(row) for row in zip(*columns, strict=True)]


def _values(name: str, column: Any) -> list[Any]:
    try:
        return [_plain(value) for value in column.to_pylist()]
    except (OverflowError, ValueError) as error:
        raise InvalidCommand(
            "sql",
            f"column {name!r} has a time outside the years 1 to 9999, or in nanoseconds: "
            "cast it to VARCHAR",
        ) from error


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise InvalidCommand("cursor", "is not one of this list: send `next` of the page before")
    return int(cursor)


def _item(row: EventRow) -> AuditItem:
    return AuditItem(
        position=row.position,
        event_id=row.event_id,
        aggregate_type=row.aggregate_type,
        aggregate_id=row.aggregate_id,
        version=row.version,
        type=row.type,
        schema=row.schema,
        occurred_at=row.occurred_at,
        command_id=row.command_id,
        fingerprint=row.fingerprint,
        actor=row.actor,
        correlation_id=row.correlation_id,
        causation_position=row.causation_position,
        body=None if row.body is None else msgspec.json.decode(row.body),
        raw=None if row.raw is None else base64.b64encode(row.raw).decode(),
        problem=row.problem,
    )


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            # A sum of integers comes as a decimal; beyond 64 bits only its digits are exact.
            whole = value == value.to_integral_value()
            if whole:
                return int(value) if abs(value) < _INT64 else str(value)
            return float(value)
        case int():
            return value if -_INT64 <= value < 2 * _INT64 else str(value)
        case dict():
            return {str(name): _plain(member) for name, member in value.items()}
        case list() | tuple():
            return [_plain(member) for member in value]
        case timedelta():
            return value.total_seconds()
        case _:
            return value
