"""How fast the state view is built from the log: read, open, apply, commit (spec: ≥ 3,000 /s).

The detail names the floor of the same run: the rate at which the same entries are read and opened
without any view, so that a slow log or codec is not taken for a slow projection.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path

from bench.ratio import Ratio
from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from projections.generation import ViewDirectory
from projections.runner import BATCH, ProjectionRunner
from projections.state.projector import StateProjector
from tests.histories import Historian
from tests.servers import LogServer

FLOOR_PER_S = 3_000
STEPS = 4_000
ROUNDS = 5


def main() -> list[Ratio]:
    with LogServer() as server, RedisLog(server.url, "bench") as log:
        historian = Historian(log, seed=7)
        historian.live_on(STEPS)
        pairs = [
            (_projected_per_s(log, historian.position), _opened_per_s(log, historian.position))
            for _ in range(ROUNDS)
        ]
    projected, opened = (statistics.median(side) for side in zip(*pairs, strict=True))
    detail = f"{historian.position} events; reading and opening alone: {opened:.0f} events/s"
    return [Ratio("events/s into the state view", projected, FLOOR_PER_S, detail=detail)]


def _projected_per_s(log: RedisLog, last: int) -> float:
    with tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch:
        directory = ViewDirectory(Path(scratch) / "views" / "state")
        projector = StateProjector(directory.live)
        stop = threading.Event()

        def stop_at_the_end() -> bool:
            if projector.checkpoint().position >= last:
                stop.set()
            return False

        with Subscription(log.url, log.name, projector.checkpoint()) as source:
            runner = ProjectionRunner(
                directory,
                projector,
                source,
                log,
                Codec(KeyRing(log.subject_keys)),
                between_batches=stop_at_the_end,
            )
            started = time.perf_counter()
            runner.run(stop)
            took = time.perf_counter() - started
            assert projector.parked() == []
            runner.close()
        projector.close()
        directory.close()
    return last / took


def _opened_per_s(log: RedisLog, last: int) -> float:
    codec = Codec(KeyRing(log.subject_keys))
    seen = 0
    started = time.perf_counter()
    with Subscription(log.url, log.name, Checkpoint()) as source:
        while seen < last:
            seen += len(codec.open_batch(source.read(BATCH)))
    return last / (time.perf_counter() - started)
