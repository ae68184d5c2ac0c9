"""A steady load on a running node: commands and recalls at fixed rates, each one accounted for."""

from __future__ import annotations

import itertools
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memoryweave.client import Client
from memoryweave.exchange import NO_RETRIES
from tests.nodes import NodeProcess

SENDERS = 4
"""Threads for each kind of request, so that a slow answer does not hold up the next question."""


@dataclass
class Load:
    """What was asked and how it went. Thread-safe.

    ``recalls`` are (when it was sent, seconds it took, level of the answer); ``last`` is the newest
    position that a command was told.
    """

    recalls: list[tuple[float, float, str]] = field(default_factory=list)
    commits: list[tuple[float, float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    last: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def recalled_between(self, begin: float, end: float) -> list[float]:
        """Give the seconds that recalls took which were sent in that time (monotonic clock)."""
        with self.lock:
            return [took for sent, took, _ in self.recalls if begin <= sent < end]


def p95(seconds: list[float]) -> float:
    """Give the 95th percentile of at least twenty values."""
    assert len(seconds) >= 20, f"only {len(seconds)} values"
    return statistics.quantiles(seconds, n=20)[-1]


@contextmanager
def live_load(
    node: NodeProcess,
    statement: Callable[[random.Random], str],
    question: Callable[[random.Random], str],
    *,
    commits_per_s: float = 4.0,
    recalls_per_s: float = 8.0,
    seed: int = 0,
) -> Iterator[Load]:
    """Send commands and recalls at these rates until the block ends; nothing is sent twice.

    What fails is in ``failures``, in words. Requests are due at fixed times, whatever became of
    the ones before: a service that is slow for a while gets no rest for it.
    """
    load, stop = Load(), threading.Event()

    def commit(client: Client, chance: random.Random) -> None:
        began = time.monotonic()
        receipt = client.remember(statement(chance), namespace="load")
        with load.lock:
            load.commits.append((began, time.monotonic() - began))
            load.last = max(load.last, receipt.position)

    def recall(client: Client, chance: random.Random) -> None:
        began = time.monotonic()
        answer = client.recall(question(chance))
        with load.lock:
            load.recalls.append((began, time.monotonic() - began, answer.level))

    threads = []
    for number, (send, rate) in enumerate(((commit, commits_per_s), (recall, recalls_per_s))):
        due = _Due(1.0 / rate)
        threads += [
            threading.Thread(
                target=_send_when_due,
                args=(node, send, due, random.Random(f"{seed}-{number}-{one}"), load, stop),
            )
            for one in range(SENDERS)
        ]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        stop.set()
        for thread in threads:
            thread.join()


class _Due:
    """Hands out the times at which requests are due, one to each who asks."""

    def __init__(self, every_s: float) -> None:
        began = time.monotonic()
        self._times = (began + number * every_s for number in itertools.count(1))
        self._lock = threading.Lock()

    def take(self) -> float:
        with self._lock:
            return next(self._times)


def _send_when_due(
    node: NodeProcess,
    send: Callable[[Client, random.Random], None],
    due: _Due,
    chance: random.Random,
    load: Load,
    stop: threading.Event,
) -> None:
    with node.client(retries=NO_RETRIES) as client:
        while not stop.wait(max(0.0, due.take() - time.monotonic())):
            try:
                send(client, chance)
            except Exception as error:  # noqa: BLE001  # every failure counts, of whatever kind
                with load.lock:
                    load.failures.append(f"{send.__name__}: {type(error).__name__}: {error}")
