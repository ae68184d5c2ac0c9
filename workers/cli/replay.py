"""`memoryweave replay`: a range of the log, printed or folded into a view's scratch copy.

Needs the data directory or REDIS_URL. The log and the live view are only read.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from domain.errors import MemoryWeaveError
from eventlog.codec import Codec, UnknownEventType
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from projections.build import BuildFailed
from projections.scratch import ScratchInUse
from workers.archive import open_archive
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure, Misused
from workers.cli.output import columns, show
from workers.cli.printed_events import print_entries
from workers.log_server import log_url
from workers.settings import resolve

if TYPE_CHECKING:
    from workers.replaying import Replayed

_PAGE = 500


def run(arguments: argparse.Namespace) -> None:
    """Print or fold the range. Raises `Misused` for a bad one, `Failure`."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    try:
        with RedisLog(
            log_url(settings, "reader"), settings.log, archive=open_archive(settings)
        ) as log:
            first, last = _range(arguments, log.head().position)
            codec = Codec(KeyRing(log.subject_keys))
            if arguments.print:
                _print(log, codec, first, last, as_json=arguments.json)
                return
            # A view's libraries are heavy: who prints does not wait for them.
            from workers.replaying import replay
            from workers.view_writing import LogParts
            from workers.views import VIEW_KINDS

            if arguments.view not in VIEW_KINDS:
                raise Misused(f"no view {arguments.view}: there are {', '.join(VIEW_KINDS)}")
            began = time.monotonic()
            replayed = replay(
                VIEW_KINDS[arguments.view],
                LogParts(log, codec, settings),
                first,
                last,
                allow_parked=arguments.allow_parked,
            )
            took_s = time.monotonic() - began
    except (MemoryWeaveError, BuildFailed, ScratchInUse, UnknownEventType) as error:
        raise Failure(str(error)) from error
    show(arguments, replayed, lambda answer: _lines(answer, took_s))
    comparison = replayed.comparison
    if comparison is not None and not comparison.equal:
        raise Failure(
            f"the live {replayed.view} view is not what the log says: "
            f"`memoryweave rebuild {replayed.view}` builds it anew"
        )


def _range(arguments: argparse.Namespace, head: int) -> tuple[int, int]:
    first, last = arguments.first, arguments.last
    if first < 1:
        raise Misused(f"--from {first}: the first position is 1")
    if last is None:
        last = head
    elif last < first:
        raise Misused(f"--to {last} lies before --from {first}")
    if max(first, last) > head:
        raise Misused(f"there is no position {max(first, last)}: the log ends at {head}")
    return first, last


def _print(log: RedisLog, codec: Codec, first: int, last: int, *, as_json: bool) -> None:
    while first <= last:
        page = log.read(first, last, _PAGE)
        print_entries(page, codec, as_json=as_json)
        first = page[-1].position + 1


def _lines(replayed: Replayed, took_s: float) -> Iterable[str]:
    count = replayed.last - replayed.first + 1
    yield (
        f"{count} events, {replayed.first} to {replayed.last}, folded into a scratch copy of the "
        f"{replayed.view} view (with those before and after them: {took_s:.1f} s)"
    )
    rows: list[tuple[object, ...]] = [("table", "rows written", "rows replaced or removed")]
    rows += [(table.table, table.written, table.replaced) for table in replayed.tables]
    yield from columns(rows)
    yield f"digest at {replayed.last}: {replayed.digest.sha256}"
    if replayed.digest.parked:
        yield f"set aside: {', '.join(map(str, replayed.digest.parked))}"
    comparison = replayed.comparison
    if comparison is None:
        yield f"not compared with the live view: {replayed.not_compared}"
        return
    verdict = "equal" if comparison.equal else "different"
    yield (
        f"the live view at {comparison.live.position} and the fold up to there are {verdict}: "
        f"{comparison.standing} of the range's rows still stand, {comparison.missing} of them "
        "are not in the live view"
    )
