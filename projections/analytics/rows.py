"""What the analytics view answers with."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class EventRow(Struct, frozen=True):
    """One event of the log. ``body`` is JSON text.

    Where it could not be opened ``body`` is None, ``problem`` says why and ``raw`` is what is
    stored.
    """

    position: int
    event_id: str
    aggregate_type: str
    aggregate_id: str
    version: int | None
    type: str
    schema: int | None
    occurred_at: datetime
    command_id: str
    fingerprint: str
    actor: str
    correlation_id: str
    causation_position: int | None
    namespace: str | None
    agent_id: str | None
    body: str | None
    raw: bytes | None
    problem: str | None
