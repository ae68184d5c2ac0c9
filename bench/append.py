"""Our append against the raw command it rests on: XADD with an fsync before the answer.

Both sides run through one connection to one server, take turns, and write the same fields.
"""

from __future__ import annotations

import os
import statistics
import time
import uuid
from collections.abc import Callable
from typing import Any

import redis

from bench.ratio import Ratio
from eventlog.entry import FIELDS, RawEntry
from eventlog.redis_log import RedisLog
from tests.servers import LogServer

ROUNDS = 15
SINGLE_APPENDS = 200
BATCHES = 20
BATCH = 50
BODY_BYTES = 400


def main() -> list[Ratio]:
    with LogServer() as server, RedisLog(server.url, "bench") as log, server.client() as raw:
        return [
            _compare("append of one event / raw XADD", 0.5, SINGLE_APPENDS, 1, log, raw),
            _compare("append of 50 / MULTI of 50 raw XADD", 0.6, BATCHES, BATCH, log, raw),
        ]


def _compare(
    name: str, floor: float, repeats: int, batch: int, log: RedisLog, raw: redis.Redis
) -> Ratio:
    def ours() -> None:
        _append(log, batch)

    def theirs() -> None:
        _xadd(raw, batch)

    _rate(ours, repeats)
    _rate(theirs, repeats)
    pairs = [(_rate(ours, repeats), _rate(theirs, repeats)) for _ in range(ROUNDS)]
    ratio = statistics.median(mine / its for mine, its in pairs)
    mine, its = (statistics.median(side) * batch for side in zip(*pairs, strict=True))
    return Ratio(name, ratio, floor, detail=f"{mine:.0f} against {its:.0f} events/s")


def _rate(action: Callable[[], None], repeats: int) -> float:
    started = time.perf_counter()
    for _ in range(repeats):
        action()
    return repeats / (time.perf_counter() - started)


def _entries(count: int) -> list[RawEntry]:
    aggregate_id = str(uuid.uuid4())
    return [
        RawEntry(
            position=0,
            event_id=str(uuid.uuid4()),
            aggregate_type="Episode",
            aggregate_id=aggregate_id,
            version=version,
            type="EpisodeCommitted",
            schema=1,
            occurred_at_us=time.time_ns() // 1000,
            command_id="",
            fingerprint="",
            actor="bench",
            correlation_id="0123456789abcdef",
            causation_position=None,
            body=os.urandom(BODY_BYTES),
        )
        for version in range(1, count + 1)
    ]


def _append(log: RedisLog, count: int) -> None:
    log.append(_entries(count), command_id=str(uuid.uuid4()), fingerprint="f" * 64)


def _xadd(raw: redis.Redis, count: int) -> None:
    command_id = str(uuid.uuid4())
    pipeline = raw.pipeline(transaction=True) if count > 1 else None
    for entry in _entries(count):
        values = (
            entry.event_id,
            entry.aggregate_type,
            entry.aggregate_id,
            entry.version,
            entry.type,
            entry.schema,
            entry.occurred_at_us,
            command_id,
            "f" * 64,
            entry.actor,
            entry.correlation_id,
            "",
            entry.body,
        )
        fields = [part for pair in zip(FIELDS, values, strict=True) for part in pair]
        target: Any = pipeline or raw  # redis-py leaves this one untyped
        target.execute_command("XADD", "raw", "*", *fields)
    if pipeline is not None:
        pipeline.execute()
