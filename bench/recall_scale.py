"""What a search of the vector view costs and finds in a table of any size.

    MEMORYWEAVE_BENCH_ROWS=1000000 python -m bench recall_scale

writes a seeded table of that many rows (3 GB and some minutes for the stated million; 20,000
without the variable), and asks it through `queries.candidates.search`, which is a recall without
the state view. The question's vector is there already: what is timed is all beside the embedding.
With MEMORYWEAVE_BENCH_CACHE, where `python -m bench recall_quality` keeps vectors, the index is
also held against a scan of those.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import lance
import numpy as np

from bench._seeded_table import DIMENSION, MODEL, SMALL, Asked, Floats, Seeded, write_table
from bench.ratio import Ratio
from bench.recall_quality import cache_from_environment
from inference.calibration import TextPair
from inference.embedder import EmbedderState
from projections.vector.indices import build_vector_index, cells_to_look_at
from projections.vector.maintenance import VECTOR_INDEX_FROM
from projections.vector.schema import TABLE
from projections.vector.search_filter import SearchFilter, where
from projections.vector.view import VectorView
from queries.candidates import search

ROWS: Final = "MEMORYWEAVE_BENCH_ROWS"
_FEW: Final = 20_000
_QUESTIONS: Final = 60
_SEED: Final = 5
_NOW: Final = datetime(2026, 11, 30, tzinfo=UTC)

SCOPES: Final = {
    "the whole": SearchFilter(namespaces=None),
    "three of twenty namespaces": SearchFilter(
        namespaces=frozenset({"team-1", "team-2", "team-3"})
    ),
    "a thousandth": SearchFilter(namespaces=frozenset({SMALL})),
}


class Known:
    """An embedder that has the question's vector already."""

    name, dimension = MODEL.rpartition("/")[0], DIMENSION
    state: EmbedderState = "ready"

    def __init__(self) -> None:
        self.vectors: dict[str, Floats] = {}

    def embed_documents(self, texts: list[str]) -> Floats:
        return np.stack([self.vectors[text] for text in texts])

    def embed_query(self, text: str) -> Floats:
        return self.vectors[text]

    def calibrate(self, cosine: float, pair: TextPair | None = None) -> float:  # noqa: ARG002  # the protocol's
        return max(0.0, cosine)


def main() -> list[Ratio]:
    """Measure a table of as many rows as the environment says."""
    rows = int(os.environ.get(ROWS, _FEW))
    with tempfile.TemporaryDirectory(prefix="mw-") as place:
        folder = write_table(Path(place) / "vector", rows, _SEED)
        began = time.perf_counter()
        build_vector_index(folder)
        print(f"index of {rows} vectors built in {time.perf_counter() - began:.1f} s", flush=True)
        return [*measured(Path(place) / "vector", folder, rows), *_on_real_vectors(Path(place))]


def measured(path: Path, folder: Path, rows: int) -> list[Ratio]:
    """Measure the table of a view."""
    questions = Seeded(_SEED + 1).questions(_QUESTIONS)
    medians = _search_ms(VectorView(path), questions)
    whole = medians["the whole"]
    return [
        Ratio("search p50 beside the embedding, ms", whole, ceiling=60.0, detail=f"{rows} rows"),
        *(
            Ratio(
                f"search p50 in {scope} / in the whole",
                median / whole,
                ceiling=2.0,
                detail=f"{median:.1f} ms / {whole:.1f} ms",
            )
            for scope, median in medians.items()
            if median is not whole
        ),
        *(
            Ratio(
                f"recall@10 of the index in {scope}",
                _index_recall(folder, [asked.vector for asked in questions], filter_),
                floor=0.95,
                detail="against a scan",
            )
            for scope, filter_ in SCOPES.items()
        ),
    ]


def _search_ms(view: VectorView, questions: Sequence[Asked]) -> dict[str, float]:
    """Ask every question in every scope, in turn; give the medians."""
    known = Known()
    known.vectors = {asked.text: asked.vector for asked in questions}
    taken: dict[str, list[float]] = {scope: [] for scope in SCOPES}
    with ThreadPoolExecutor(2) as pool:
        for asked in [*questions[:5], *questions]:  # the first five warm it up
            for scope, wanted in SCOPES.items():
                began = time.perf_counter()
                found = search(
                    asked.text, wanted, 50, vector=view, embedder=known, pool=pool, now=_NOW
                )
                taken[scope].append(1000 * (time.perf_counter() - began))
                assert not found.degraded, found.degraded
    return {scope: statistics.median(times[5:]) for scope, times in taken.items()}


def _index_recall(folder: Path, vectors: Sequence[Floats], wanted: SearchFilter) -> float:
    """Give the share of the ten nearest by a scan that the view's way finds."""
    dataset = lance.dataset(str(folder / f"{TABLE}.lance"))
    condition = where(wanted)
    cells = cells_to_look_at(dataset.count_rows(), dataset.count_rows(condition))
    if cells is None:
        return 1.0  # it is a scan

    def nearest(vector: Floats, **how: Any) -> set[int]:
        asked = {"column": "vector", "q": vector, "k": 50, "metric": "cosine", **how}
        found = dataset.to_table(
            columns=["_distance"], filter=condition, prefilter=True, with_row_id=True, nearest=asked
        )
        return set(found["_rowid"].to_pylist()[:10])

    return _share(
        vectors,
        lambda vector: nearest(vector, use_index=False),
        lambda vector: nearest(vector, nprobes=cells, refine_factor=2),
    )


def _on_real_vectors(place: Path) -> list[Ratio]:
    """Hold the index against a scan on vectors of texts; 200 of them are the questions."""
    kept = cache_from_environment()
    vectors = _vectors_in(kept) if kept else np.empty((0, DIMENSION), np.float32)
    if len(vectors) < VECTOR_INDEX_FROM:
        return []
    asked = np.zeros(len(vectors), dtype=bool)
    asked[np.random.default_rng(_SEED).choice(len(vectors), 200, replace=False)] = True
    folder = write_table(place / "real", int((~asked).sum()), _SEED, vectors[~asked])
    build_vector_index(folder)
    found = _index_recall(folder, list(vectors[asked]), SCOPES["the whole"])
    detail = f"{len(vectors) - 200} vectors of real texts, 200 others asked"
    return [Ratio("recall@10 of the index, real vectors", found, floor=0.98, detail=detail)]


def _vectors_in(folder: Path) -> Floats:
    found: list[Floats] = []
    for file in sorted(folder.glob("vectors-*.sqlite")):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            rows = connection.execute("select vector from vectors order by text_sha")
            found += [np.frombuffer(raw, "<f4") for (raw,) in rows if len(raw) == 4 * DIMENSION]
    return np.stack(found) if found else np.empty((0, DIMENSION), np.float32)


def _share(
    vectors: Sequence[Floats],
    exact: Callable[[Floats], set[int]],
    found: Callable[[Floats], set[int]],
) -> float:
    shares = [len((known := exact(v)) & found(v)) / len(known) for v in vectors]
    return statistics.mean(shares)
