"""What is taken out of the log server once it is archived: entries, then what the indices know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from domain.errors import Fenced
from eventlog.append import Fence
from eventlog.redis_log import RedisLog
from eventlog.scripts import THIN_INDEX, TRIM

_AT_ONCE: Final = 200
"""Aggregates in one call: the server serves nobody else while a script runs."""


def trim_log(log: RedisLog, fence: Fence, floor: int, chain: str) -> None:
    """Remove every entry before ``floor``; ``chain`` (hex) is the log's chain before it.

    Raises `Fenced`.
    """
    keys = [log.keys.stream, log.keys.meta, log.keys.lease(fence.lease)]
    _require_ours(log.run(TRIM, keys, [fence.token, floor, chain]), fence)


def snapshot_worthy(log: RedisLog, aggregates: Iterable[str], small_index: int) -> list[str]:
    """Give those aggregates whose index has more than ``small_index`` entries, sorted."""
    found = []
    for part in _parts(sorted(aggregates)):
        sizes = log.call_many([("ZCARD", log.keys.aggregate(one)) for one in part])
        found += [one for one, size in zip(part, sizes, strict=True) if size > small_index]
    return found


def thin_indices(
    log: RedisLog, fence: Fence, aggregates: Collection[str], small_index: int
) -> None:
    """Take trimmed positions out of the aggregates' indices, except the last. Raises `Fenced`."""
    for part in _parts(list(aggregates)):
        keys = [log.keys.meta, log.keys.lease(fence.lease)]
        for one in part:
            keys += [log.keys.aggregate(one), log.keys.snapshots(one)]
        _require_ours(log.run(THIN_INDEX, keys, [fence.token, small_index]), fence)


def _require_ours(answer: list[Any], fence: Fence) -> None:
    if answer[0] == b"fenced":
        raise Fenced(
            f"the lease {fence.lease} has token {answer[1].decode() or 'none'}, this process had "
            f"{fence.token}: stop"
        )


def _parts(names: list[str]) -> Iterator[list[str]]:
    return (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))
