"""Opening entries for a view that shows every one: what cannot be opened is shown as it is stored.

Bytes that are no event, and events of a newer program, would park or stop another view. An audit
must show that they are there (spec: architecture.md, "Log", F16).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from domain.events import Event, EventBody
from eventlog.codec import Codec, Undecodable, UnknownEventType
from eventlog.entry import RawEntry

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class UnreadableBody(EventBody, frozen=True, kw_only=True):
    """What stands in for a body that could not be opened. Never in the log."""

    type: str
    schema: int
    raw: bytes
    problem: str


class OpenOrShowRaw:
    """Opens like the codec, and gives an event with an `UnreadableBody` for what it cannot open."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def open_batch(
        self, entries: Sequence[RawEntry]
    ) -> list[Event | Undecodable | UnknownEventType]:
        """Open entries in order; none comes back as an error."""
        opened = self._codec.open_batch(entries)
        return [
            item if isinstance(item, Event) else _shown_raw(entry, item)
            for entry, item in zip(entries, opened, strict=True)
        ]


def _shown_raw(entry: RawEntry, error: Undecodable | UnknownEventType) -> Event:
    problem = error.reason if isinstance(error, Undecodable) else "written by a newer program"
    try:
        occurred_at = _EPOCH + timedelta(microseconds=entry.occurred_at_us)
    except OverflowError:
        occurred_at = _EPOCH
        problem += "; its time is out of range"
    return Event(
        aggregate_type=entry.aggregate_type,
        aggregate_id=entry.aggregate_id,
        version=entry.version,
        event_id=entry.event_id,
        occurred_at=occurred_at,
        actor=entry.actor,
        correlation_id=entry.correlation_id,
        body=UnreadableBody(type=entry.type, schema=entry.schema, raw=entry.body, problem=problem),
        causation_position=entry.causation_position,
        command_id=entry.command_id,
        fingerprint=entry.fingerprint,
        position=entry.position,
    )
