"""An event as it lies in the log: envelope in the clear, body as sealed JSON bytes."""

from __future__ import annotations

from msgspec import Struct


class RawEntry(Struct, frozen=True):
    """One stream entry, its body still closed (spec: events.md, "Envelope").

    ``position`` is 0 until the log has assigned one. ``occurred_at_us`` counts microseconds since
    1970 in UTC. ``body`` is a JSON object; its sealed fields are base64 strings.
    """

    position: int
    event_id: str
    aggregate_type: str
    aggregate_id: str
    version: int
    type: str
    schema: int
    occurred_at_us: int
    command_id: str
    fingerprint: str
    actor: str
    correlation_id: str
    causation_position: int | None
    body: bytes
