"""Which log a log goes on from: the epochs before its own, each with the position it was left at.

An epoch names a history. A restore, or an operator who takes a log as it is after a loss, begins a
new one and says in the log's ``meta`` from which it comes. A node that has followed one of these
knows by that that somebody has decided, and builds its views anew; where there is no such word,
it refuses.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from domain.errors import MemoryWeaveError
from eventlog.connection import Argument
from eventlog.redis_log import RedisLog
from eventlog.scripts import BEGIN_EPOCH


class EpochChanged(MemoryWeaveError):
    """The log has another epoch than the one that was to be left."""

    name = "epoch-changed"
    title = "The log has another epoch by now"


class Branch(Struct, frozen=True, kw_only=True):
    """``epoch`` goes on from ``parent``, of which it holds the positions up to ``position``."""

    epoch: str
    parent: str
    position: int


def read_lineage(log: RedisLog) -> tuple[Branch, ...]:
    """Give where the log's epoch comes from, the oldest branch first; () for one that began.

    Raises `LogUnavailable`.
    """
    stored = log.call("HGET", log.keys.meta, "lineage")
    return () if stored is None else msgspec.json.decode(stored, type=tuple[Branch, ...])


def encode_lineage(lineage: Sequence[Branch]) -> bytes:
    """Write a lineage as it stands in ``meta``."""
    return msgspec.json.encode(lineage)


def comes_from(lineage: Sequence[Branch], epoch: str, earlier: str) -> bool:
    """Tell whether ``epoch`` goes on from ``earlier``, directly or by epochs in between."""
    parents = {branch.epoch: branch.parent for branch in lineage}
    seen = set[str]()
    while epoch in parents and epoch not in seen:
        seen.add(epoch)
        epoch = parents[epoch]
        if epoch == earlier:
            return True
    return False


def begin_epoch(log: RedisLog, lineage: Sequence[Branch], before: str) -> None:
    """Begin the epoch that ``lineage`` ends with, if the log still has the epoch ``before``.

    Raises `EpochChanged` if somebody else has begun another, `LogUnavailable`.
    """
    arguments: list[Argument] = [before, lineage[-1].epoch, encode_lineage(lineage)]
    found = log.run(BEGIN_EPOCH, [log.keys.meta], arguments).decode()
    if found not in (before, lineage[-1].epoch):
        raise EpochChanged(f"the log has epoch {found or '(none)'} by now, it had {before}")
