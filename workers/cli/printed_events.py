"""Events of the log as the terminal shows them: lines for people, or a JSON document each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.events import Event, body_fields
from eventlog.codec import Codec, Undecodable, UnknownEventType
from eventlog.entry import RawEntry
from workers.cli.output import print_json


def print_entries(entries: Sequence[RawEntry], codec: Codec, *, as_json: bool) -> None:
    """Print entries with their texts opened; what cannot be opened says why."""
    for entry, opened in zip(entries, codec.open_batch(entries), strict=True):
        _print(entry, opened, as_json=as_json)


def _print(
    entry: RawEntry, opened: Event | Undecodable | UnknownEventType, *, as_json: bool
) -> None:
    if isinstance(opened, Event):
        body: dict[str, Any] = body_fields(opened.body)
        time = f"{opened.occurred_at:%Y-%m-%dT%H:%M:%S.%fZ}"
    else:
        body, time = {"cannot be opened": str(opened)}, "-"
    if as_json:
        print_json(
            {
                "position": entry.position,
                "event_id": entry.event_id,
                "type": entry.type,
                "schema": entry.schema,
                "aggregate_type": entry.aggregate_type,
                "aggregate_id": entry.aggregate_id,
                "version": entry.version,
                "occurred_at": time,
                "actor": entry.actor,
                "command_id": entry.command_id,
                "correlation_id": entry.correlation_id,
                "causation_position": entry.causation_position,
                "body": body,
            }
        )
        return
    print(f"{entry.position:>8}  {time}  {entry.type}  {entry.aggregate_id} v{entry.version}")
    print(f"          by {entry.actor}, command {entry.command_id}")
    for name, value in body.items():
        if value not in (None, [], {}):
            print(f"          {name}: {value}", flush=True)
