"""How fast rows enter the vector view with cached vectors (≥ 1,500 /s), and how fast it answers.

The same run measures the floor that storage sets: the same rows, built beforehand, added in
batches of the same size to a bare table with the same indices. The upkeep that a running worker
does between batches is done here too.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.ratio import Ratio
from projections.generation import ViewDirectory
from projections.vector.cache import VectorCache
from projections.vector.indices import create_indices
from projections.vector.maintenance import Maintenance, dataset_of
from projections.vector.projector import VectorProjector
from projections.vector.schema import TABLE, arrow_schema, from_arrow, text_sha, to_arrow
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from tests.projections.vector.histories import History
from tests.projections.vector.places import checkpoint_after

FLOOR_PER_S = 1_500
ROWS = 10_000
BATCH = 500
DIMENSION = 384
QUERIES = 60
SEED = 11


def main() -> list[Ratio]:
    chance = np.random.default_rng(SEED)
    words = [f"word{number}" for number in range(4_000)]
    texts = [" ".join(chance.choice(words, 14)) for _ in range(ROWS)]
    vectors = chance.normal(size=(ROWS, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    history = History()
    for text in texts:
        history.create(text)
    with tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch:
        directory = ViewDirectory(Path(scratch) / "views" / "vector")
        cache = VectorCache(Path(scratch) / "cache", "bench", DIMENSION)
        cache.put(dict(zip(map(text_sha, texts), vectors, strict=True)))
        projector = VectorProjector(directory.live, cache)
        projected = _projected_per_s(projector, history)
        added = _added_per_s(projector, Path(scratch) / "bare")
        view = VectorView(directory.path)
        dense, lexical = _queries_ms(view, texts, vectors)
    rate = f"{ROWS} rows of {DIMENSION} numbers; bare appends of the same rows: {added:.0f}/s"
    return [
        Ratio("rows/s into the vector view", projected, FLOOR_PER_S, detail=rate),
        Ratio("dense query p50 ms at 10,000 rows", dense, ceiling=100, detail="limit 50, filtered"),
        Ratio(
            "lexical query p50 ms at 10,000 rows", lexical, ceiling=100, detail="6 terms, ranked"
        ),
    ]


def _projected_per_s(projector: VectorProjector, history: History) -> float:
    upkeep = Maintenance(projector, report=_fail, monotonic=time.monotonic)
    begun = time.perf_counter()
    for start in range(0, ROWS, BATCH):
        part = history.events[start : start + BATCH]
        projector.apply(part, checkpoint_after(part[-1]))
        upkeep.step()
    rate = ROWS / (time.perf_counter() - begun)
    while upkeep.step():
        pass
    upkeep.close()
    return rate


def _added_per_s(projector: VectorProjector, folder: Path) -> float:
    import lancedb

    rows = from_arrow(projector.table.search().where("to_position IS NULL").to_arrow())
    parts = [to_arrow(rows[start : start + BATCH], DIMENSION) for start in range(0, ROWS, BATCH)]
    table: Any = lancedb.connect(folder).create_table(TABLE, schema=arrow_schema(DIMENSION))
    create_indices(dataset_of(folder))
    table.checkout_latest()
    begun = time.perf_counter()
    for part in parts:
        table.add(part)
    return ROWS / (time.perf_counter() - begun)


def _queries_ms(
    view: VectorView, texts: list[str], vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]
) -> tuple[float, float]:
    search = SearchFilter(namespaces=frozenset({"shared", "h-main"}))
    view.checkpoint()
    took: tuple[list[float], list[float]] = ([], [])
    for number in range(QUERIES):
        begun = time.perf_counter()
        view.dense(vectors[number], search, 50, with_vectors=True)
        between = time.perf_counter()
        view.lexical(" ".join(texts[number].split()[:6]), search, 50, with_vectors=True)
        took[0].append((between - begun) * 1e3)
        took[1].append((time.perf_counter() - between) * 1e3)
    return statistics.median(took[0]), statistics.median(took[1])


def _fail(error: Exception) -> None:
    raise error
