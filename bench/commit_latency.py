"""What a commit over HTTP costs beyond its floor, on a node that holds 10,000 memories.

The floor of the same run: a route of the same framework and server that does nothing, in a process
of its own, plus one raw XADD that is fsynced before its answer. All three take turns, each over one
connection that stays open, with a body of the same size.
"""

from __future__ import annotations

import http.client
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from bench.ratio import Ratio
from bench.recall_latency import milliseconds, statement
from bench.seeded_cache import seed_vectors
from memoryweave import contract
from tests.nodes import NodeProcess, free_port
from tests.servers import LogServer, eventually

MEMORIES: Final = 10_000
ROUNDS: Final = 400
WARM_UP: Final = 50
_BATCH: Final = 200


def main() -> list[Ratio]:
    """Measure commits against their floor."""
    chance = random.Random(5)
    texts = [f"{statement(chance)} {number}" for number in range(MEMORIES)]
    asked = [f"{statement(chance)} said {number}" for number in range(ROUNDS + WARM_UP)]
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mw-bench-"))) / "data"
        seed_vectors(data, [*texts, *asked], seed=5)
        # What a commit costs while episodes are distilled is for bench/distillation.py.
        node = stack.enter_context(NodeProcess(data, MEMORYWEAVE_DISTILL_BY="off"))
        _remember(node, texts)
        key = _register(node)
        noop = stack.enter_context(_noop_service())
        log = stack.enter_context(LogServer())
        raw = stack.enter_context(log.client())
        service = Connection(node.port, {"X-API-Key": key})
        empty = Connection(noop, {})
        commits, noops, appends = [], [], []
        for text in asked:
            body = {"content": text, "source": "owner_message", "session_id": "s-1"}
            noops.append(milliseconds(lambda b=body: empty.post("/", b)))  # type: ignore[misc]
            fields = _entry(json.dumps(body))
            appends.append(milliseconds(lambda f=fields: raw.xadd("raw", f)))  # type: ignore[misc]
            commits.append(
                milliseconds(lambda b=body: service.post("/api/v1/commit", b))  # type: ignore[misc]
            )
    return _ratios(commits[WARM_UP:], noops[WARM_UP:], appends[WARM_UP:])


def _ratios(commits: list[float], noops: list[float], appends: list[float]) -> list[Ratio]:
    commit, noop, append = (statistics.median(times) for times in (commits, noops, appends))
    return [
        Ratio(
            "HTTP commit p50 / (no-op route + fsynced XADD)",
            commit / (noop + append),
            ceiling=2.5,
            detail=f"{commit:.2f} ms / ({noop:.2f} + {append:.2f}) ms at {MEMORIES} memories",
        ),
        Ratio(
            "HTTP commit p95, ms",
            statistics.quantiles(commits, n=20)[-1],
            ceiling=100.0,
            detail=f"at {MEMORIES} memories",
        ),
    ]


class Connection:
    """One connection to a service on loopback that stays open. Raises on any refusal."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._headers = {"Content-Type": "application/json", **headers}

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a body and give the answer's."""
        status, answer = self.ask("POST", path, body)
        if status not in (200, 201):
            raise RuntimeError(f"POST {path} answered {status}: {answer[:300]!r}")
        given: dict[str, Any] = json.loads(answer)
        return given

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, bytes]:
        """Send a request and give status and body of the answer."""
        content = None if body is None else json.dumps(body)
        self._connection.request(method, path, content, self._headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()


@contextmanager
def _noop_service() -> Iterator[int]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.noop_service", str(port)], stdin=subprocess.PIPE
    )

    def answers() -> bool:
        try:
            return bool(Connection(port, {}).post("/", {}))
        except OSError:
            return False

    try:
        eventually(answers, within_s=30)
        yield port
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(timeout=30)


def _remember(node: NodeProcess, texts: list[str]) -> None:
    with node.client() as client:
        for start in range(0, len(texts), _BATCH):
            client.batch_commit(
                [
                    contract.Commit(content=text, namespace="bench", distill=False)
                    for text in texts[start : start + _BATCH]
                ]
            )

        def caught_up() -> bool:
            views = client.health().views.values()
            return all(view.lag == 0 and view.missing_vectors == 0 for view in views)

        eventually(caught_up, within_s=600, every_s=0.2)


def _register(node: NodeProcess) -> str:
    quota = contract.Quota(
        recall_per_s=1e4, recall_burst=10_000, commit_per_s=1e4, commit_burst=10_000
    )
    with node.client() as client:
        return client.register_agent("hermes-bench", "hermes", quota=quota).api_key


def _entry(body: str) -> dict[str, str]:
    names = "ekanvtsocfurp"[:13]
    return {**dict.fromkeys(names, "0123456789abcdef" * 2), "d": body}


if __name__ == "__main__":
    began = time.perf_counter()
    for measured in main():
        print(measured.line())
    print(f"in {time.perf_counter() - began:.0f} s")
