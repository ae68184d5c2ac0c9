"""`memoryweave log`: the log itself, sealed texts opened. Needs the data directory or REDIS_URL."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from domain.errors import MemoryWeaveError
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from workers.archive import open_archive
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure, Misused
from workers.cli.printed_events import print_entries
from workers.log_server import log_url
from workers.settings import resolve

_PAGE = 500


def run(arguments: argparse.Namespace) -> None:
    """Show a stretch of the log, or follow it until Ctrl-C."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    try:
        with RedisLog(
            log_url(settings, "reader"), settings.log, archive=open_archive(settings)
        ) as log:
            codec = Codec(KeyRing(log.subject_keys))
            entries = _tail(log, arguments) if arguments.action == "tail" else _show(log, arguments)
            for page in entries:
                print_entries(page, codec, as_json=arguments.json)
    except MemoryWeaveError as error:
        raise Failure(str(error)) from error
    except KeyboardInterrupt:
        if arguments.action != "tail":
            raise


def _show(log: RedisLog, arguments: argparse.Namespace) -> Iterator[list[RawEntry]]:
    position = max(1, arguments.first)
    if arguments.last is not None and arguments.last < position:
        raise Misused(f"--last {arguments.last} lies before --first {position}")
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
