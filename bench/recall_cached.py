"""What a recall costs that is answered from what was kept, and how many a node answers at once.

A node as its users start it, 10,000 memories in one namespace, the last of them said one by one,
spoken to over HTTP with the admin's key, which no rate limit holds back. Processor time is that of
the API process, from the operating system. The clients run on the same processor. What is not kept
is asked for twice: while the indices are still being made, and when they are.
"""

from __future__ import annotations

import http.client
import random
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final

import msgspec
import psutil

from bench.ratio import Ratio
from bench.rebuild import MEMORIES, seed_vectors, store
from bench.recall_latency import statement
from projections.vector.indices import TEXT_INDEX, VECTOR_INDEX
from projections.vector.live_table import LiveTable
from tests.nodes import NodeProcess
from tests.servers import eventually

CLIENTS: Final = 32
RECALLS: Final = 1_500
REPEATED: Final = 0.5
KEPT_ASKED: Final = 400
UNCACHED_ASKED: Final = 150
SAID_LAST: Final = 20


def main() -> list[Ratio]:
    """Measure one node."""
    with tempfile.TemporaryDirectory(prefix="mw-") as place:
        data = Path(place) / "data"
        chance = random.Random(7)
        texts = [statement(chance) for _ in range(MEMORIES)]
        seed_vectors(data, texts)
        with NodeProcess(data) as node, node.client() as client:
            store(client, texts[:-SAID_LAST])
            store(client, texts[-SAID_LAST:], at_once=1)  # which no index knows at first
            questions = Questions(random.Random(11))
            return [*cost_of_one(node, questions), throughput(node, questions)]


class Questions:
    """Gives questions that nobody has asked yet, or some that were. Thread-safe."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._lock = threading.Lock()
        self._asked: list[str] = []

    def new(self) -> str:
        """Give one that was not asked."""
        with self._lock:
            self._asked.append(statement(self._chance, words=6))
            return self._asked[-1]

    def any(self, repeated: float) -> str:
        """Give one of the last fifty that were asked, with that probability."""
        with self._lock:
            if self._chance.random() < repeated and self._asked:
                return self._chance.choice(self._asked[-50:])
        return self.new()


class Asker:
    """One client on one connection."""

    def __init__(self, node: NodeProcess) -> None:
        self._headers = {"X-API-Key": node.key, "Content-Type": "application/json"}
        self._connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=60)

    def ask(self, question: str) -> dict[str, Any]:
        """Recall among all of them."""
        body = msgspec.json.encode({"query": question, "namespaces": ["load", "shared"]})
        self._connection.request("POST", "/api/v1/recall", body, self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        found: dict[str, Any] = msgspec.json.decode(content)
        return found

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def cost_of_one(node: NodeProcess, questions: Questions) -> list[Ratio]:
    """Give the processor time of the API process for one answer, kept and searched, in ms."""
    asker = Asker(node)
    process = node.children()["api"]
    for _ in range(10):
        asker.ask(questions.new())
    behind = _searched_ms(process, asker, [questions.new() for _ in range(UNCACHED_ASKED)])
    eventually(lambda: _is_indexed(node.data), within_s=60, every_s=0.2)
    fresh = [questions.new() for _ in range(UNCACHED_ASKED)]
    searched = _searched_ms(process, asker, fresh)
    again = [fresh[number % len(fresh)] for number in range(KEPT_ASKED)]
    answers: list[dict[str, Any]] = []
    kept = _cpu_ms(process, lambda: answers.extend(asker.ask(question) for question in again))
    assert all(answer["cached"] for answer in answers)
    asker.close()
    return [
        Ratio(
            "CPU of a cached recall, ms",
            kept / KEPT_ASKED,
            ceiling=5.0,
            detail=f"of the API process, {KEPT_ASKED} asked at {MEMORIES} memories",
        ),
        Ratio(
            "CPU of an uncached recall right after storing, ms",
            behind,
            ceiling=40.0,
            detail=f"of the API process, {UNCACHED_ASKED} asked at {MEMORIES} memories",
        ),
        Ratio(
            "CPU of an uncached recall once all is indexed, ms",
            searched,
            ceiling=40.0,
            detail=f"of the API process, {UNCACHED_ASKED} asked at {MEMORIES} memories",
        ),
    ]


def _searched_ms(process: psutil.Process, asker: Asker, asked: list[str]) -> float:
    return _cpu_ms(process, lambda: [asker.ask(question) for question in asked]) / len(asked)


def _is_indexed(data: Path) -> bool:
    opened = LiveTable(data / "views" / "vector").now()
    indices = TEXT_INDEX, VECTOR_INDEX
    return opened is not None and all(opened.covered_by(index) for index in indices)


def throughput(node: NodeProcess, questions: Questions) -> Ratio:
    """Give the recalls a second that 32 clients get out of the node, half of them repeats."""
    left = iter(range(RECALLS))
    lock = threading.Lock()
    cached = 0

    def ask_on() -> None:
        nonlocal cached
        asker = Asker(node)
        while True:
            with lock:
                if next(left, None) is None:
                    break
            found = asker.ask(questions.any(REPEATED))
            with lock:
                cached += found["cached"]
        asker.close()

    clients = [threading.Thread(target=ask_on) for _ in range(CLIENTS)]
    began = time.monotonic()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    took = time.monotonic() - began
    return Ratio(
        "recalls/s, 32 clients, half of them repeats",
        RECALLS / took,
        floor=60.0,
        detail=f"{RECALLS} in {took:.1f} s, {cached / RECALLS:.0%} cached",
    )


def _cpu_ms(process: psutil.Process, work: Any) -> float:
    before = process.cpu_times()
    work()
    after = process.cpu_times()
    return 1000 * (after.user + after.system - before.user - before.system)


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
