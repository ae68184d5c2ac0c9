"""`memoryweave readers`: who reads the log, and taking off who will not come back."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import Struct

from domain.errors import MemoryWeaveError
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure, Misused
from workers.cli.output import columns, print_json, show
from workers.log_server import log_url
from workers.settings import resolve


class ShownReader(Struct, frozen=True, kw_only=True):
    """One registered reader; ``behind`` counts events, ``seen_s_ago`` seconds."""

    name: str
    position: int
    behind: int
    seen_s_ago: float
    same_epoch: bool


def run(arguments: argparse.Namespace) -> None:
    """List the readers, or forget one. Raises `Failure`, `Misused`."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    try:
        forget = arguments.action == "forget"
        with RedisLog(log_url(settings, "admin" if forget else "reader"), settings.log) as log:
            if forget:
                _forget(arguments, log)
            else:
                show(arguments, _shown(log, datetime.now(UTC)), _lines)
    except MemoryWeaveError as error:
        raise Failure(str(error)) from error


def _forget(arguments: argparse.Namespace, log: RedisLog) -> None:
    readers = {reader.name: reader for reader in _shown(log, datetime.now(UTC))}
    reader = readers.get(arguments.name)
    if reader is None:
        known = ", ".join(readers) or "nobody"
        raise Failure(f"no reader is called {arguments.name!r}; registered: {known}")
    if not arguments.yes and not _confirmed(reader):
        raise Failure(f"{reader.name} was not forgotten")
    Readers(log).forget(reader.name)
    if arguments.json:
        print_json({"forgotten": reader})
    else:
        print(f"{reader.name} is forgotten: the log is trimmed without waiting for it")


def _confirmed(reader: ShownReader) -> bool:
    if not sys.stdin.isatty():
        raise Misused("there is nobody to ask: say --yes to forget a reader")
    print(f"{_line(reader)}. Should it come back, what was trimmed is read from the archive.")
    return input("Forget it? [y/N] ").strip().lower() in ("y", "yes")


def _shown(log: RedisLog, now: datetime) -> list[ShownReader]:
    head = log.head()
    return [
        ShownReader(
            name=reader.name,
            position=reader.checkpoint.position,
            behind=max(0, head.position - reader.checkpoint.position),
            seen_s_ago=max(0.0, round(reader.age_s(now), 1)),
            same_epoch=reader.checkpoint.epoch in ("", head.epoch),
        )
        for reader in Readers(log).all()
    ]


def _line(reader: ShownReader) -> str:
    return (
        f"{reader.name} has read up to {reader.position}, {reader.behind} events behind, and was "
        f"seen {reader.seen_s_ago:.0f} s ago"
    )


def _lines(readers: list[ShownReader]) -> Iterable[str]:
    rows: list[tuple[object, ...]] = [("reader", "position", "behind", "seen", "")]
    rows += [
        (
            reader.name,
            reader.position,
            reader.behind,
            f"{reader.seen_s_ago:.0f} s ago",
            "" if reader.same_epoch else "of another epoch",
        )
        for reader in readers
    ]
    yield from columns(rows)
