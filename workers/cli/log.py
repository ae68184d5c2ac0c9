"""`memoryweave log`: the log itself, sealed texts opened. Needs the data directory or REDIS_URL."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

from domain.errors import MemoryWeaveError
from domain.events import Event, body_fields
from eventlog.codec import Codec, Undecodable, UnknownEventType
from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from workers.archive import open_archive
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.cli.output import print_json
from workers.log_server import log_url
from workers.settings import resolve

_PAGE = 500


def run(arguments: argparse.Namespace) -> None:
    """Show a stretch of the log, or follow it until Ctrl-C."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    try:
        with RedisLog(log_url(settings), settings.log, archive=open_archive(settings)) as log:
            codec = Codec(KeyRing(log.subject_keys))
            entries = _tail(log, arguments) if arguments.action == "tail" else _show(log, arguments)
            for page in entries:
                for entry, opened in zip(page, codec.open_batch(page), strict=True):
                    _print(arguments, entry, opened)
    except MemoryWeaveError as error:
        raise Failure(str(error)) from error
    except KeyboardInterrupt:
        if arguments.action != "tail":
            raise


def _show(log: RedisLog, arguments: argparse.Namespace) -> Iterator[list[RawEntry]]:
    position = max(1, arguments.first)
    if arguments.last is not None and arguments.last < position:
        raise Failure(f"--last {arguments.last} lies before --first {position}")
    while page := log.read(position, arguments.last, _PAGE):
        yield [entry for entry in page if _wanted(entry, arguments)]
        position = page[-1].position + 1


def _wanted(entry: RawEntry, arguments: argparse.Namespace) -> bool:
    return arguments.type in {None, entry.type} and arguments.aggregate in {
        None,
        entry.aggregate_id,
    }


def _tail(log: RedisLog, arguments: argparse.Namespace) -> Iterator[list[RawEntry]]:
    begin = max(0, log.head().position - arguments.lines)
    before = log.read(begin, begin) if begin else []
    checkpoint = Checkpoint(begin, "", before[0].event_id) if before else Checkpoint()
    with Subscription(log.url, log.name, checkpoint, log.archive) as subscription:
        while True:
            if page := subscription.read(_PAGE, wait_s=1.0):
                yield page


def _print(
    arguments: argparse.Namespace,
    entry: RawEntry,
    opened: Event | Undecodable | UnknownEventType,
) -> None:
    if isinstance(opened, Event):
        body: dict[str, Any] = body_fields(opened.body)
        time = f"{opened.occurred_at:%Y-%m-%dT%H:%M:%S.%fZ}"
    else:
        body, time = {"cannot be opened": str(opened)}, "-"
    if arguments.json:
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
