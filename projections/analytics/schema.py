"""The one table of the analytics view: a row per event of the log, opened.

`docs/audit.md` describes the columns for those who query them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import pyarrow as pa

from domain.events import Event
from eventlog.sealing import subject_of
from projections.analytics.opening import UnreadableBody

SCHEMA_VERSION: Final = 1
"""Raised when the columns, or what stands in them, change: the view is then built anew."""
PROJECTOR_VERSION: Final = 1
"""Raised when the same events shall give other rows: the view is then built anew."""

SCHEMA: Final = pa.schema(
    [
        pa.field("position", pa.int64(), nullable=False),
        pa.field("event_id", pa.string(), nullable=False),
        pa.field("aggregate_type", pa.string(), nullable=False),
        pa.field("aggregate_id", pa.string(), nullable=False),
        pa.field("version", pa.int64()),
        pa.field("type", pa.string(), nullable=False),
        pa.field("schema", pa.int64()),
        pa.field("occurred_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("command_id", pa.string(), nullable=False),
        pa.field("fingerprint", pa.string(), nullable=False),
        pa.field("actor", pa.string(), nullable=False),
        pa.field("correlation_id", pa.string(), nullable=False),
        pa.field("causation_position", pa.int64()),
        pa.field("namespace", pa.string()),
        pa.field("agent_id", pa.string()),
        pa.field("subject", pa.string()),
        pa.field("body", pa.string()),
        pa.field("raw", pa.binary()),
        pa.field("problem", pa.string()),
    ]
)

NO_EVENTS: Final = SCHEMA.empty_table()

_INT64: Final = 1 << 63
_encode: Final = msgspec.json.Encoder().encode


def table_of(events: Sequence[Event]) -> pa.Table:
    """Give events as rows of `SCHEMA`, in their order."""
    return pa.Table.from_pylist([_row(event) for event in events], schema=SCHEMA)


def day_of(occurred_at: datetime) -> str:
    """Give the UTC date under which an event is kept, as in ``2026-03-01``."""
    return occurred_at.astimezone(UTC).date().isoformat()


def _row(event: Event) -> dict[str, Any]:
    body = event.body
    row = {
        "position": event.position,
        "event_id": event.event_id,
        "aggregate_type": event.aggregate_type,
        "aggregate_id": event.aggregate_id,
        "version": _int64(event.version),
        "occurred_at": event.occurred_at,
        "command_id": event.command_id,
        "fingerprint": event.fingerprint,
        "actor": event.actor,
        "correlation_id": event.correlation_id,
        "causation_position": _int64(event.causation_position),
    }
    if isinstance(body, UnreadableBody):
        return row | {
            "type": body.type,
            "schema": _int64(body.schema),
            "raw": body.raw,
            "problem": body.problem,
        }
    row |= {"type": event.type, "schema": event.schema}
    try:
        text = _encode(body).decode()
    except UnicodeEncodeError:
        # Half a surrogate pair: legal in JSON, but no text in any file.
        return row | {"problem": "its text is not Unicode"}
    return row | {
        "namespace": getattr(body, "namespace", None),
        "agent_id": getattr(body, "agent_id", None),
        "subject": subject_of(event),
        "body": text,
    }


def _int64(value: int | None) -> int | None:
    """Give the number, or None for one that nobody but a vandal can have written."""
    return value if value is not None and -_INT64 <= value < _INT64 else None
