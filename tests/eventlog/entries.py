"""Entries and command ids for tests of the log."""

from __future__ import annotations

import uuid
from typing import TypedDict

from eventlog.entry import RawEntry


class CommandKeywords(TypedDict):
    command_id: str
    fingerprint: str


def an_entry(aggregate_id: str, version: int, body: bytes = b"{}") -> RawEntry:
    return RawEntry(
        position=0,
        event_id=str(uuid.uuid4()),
        aggregate_type="Test",
        aggregate_id=aggregate_id,
        version=version,
        type="TestHappened",
        schema=1,
        occurred_at_us=1_700_000_000_000_000,
        command_id="",
        fingerprint="",
        actor="tester",
        correlation_id="",
        causation_position=None,
        body=body,
    )


def new_command(fingerprint: str = "f1") -> CommandKeywords:
    """A command id without a time, as a text key gives."""
    return {"command_id": str(uuid.uuid4()), "fingerprint": fingerprint}
