"""Which sources are nearest depends on their rows alone, not on how the table's files lie."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from projections.vector.best_sources import cosines_of, nearest_sources
from projections.vector.hits import Hit

DIMENSION = 384


def row(number: int, vector: NDArray[np.float32]) -> Hit:
    return Hit(
        row_id=f"e{number:03}:1:0",
        source_id=f"e{number:03}",
        layer="episode",
        version=1,
        content="",
        score=0.0,
        namespace="shared",
        recorded_at=datetime(2026, 3, 1, tzinfo=UTC),
        vector=vector,
    )


def unit(chance: np.random.Generator) -> NDArray[np.float32]:
    vector = chance.normal(size=DIMENSION).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@given(seed=st.integers(0, 99), count=st.integers(2, 60), texts=st.integers(1, 9), data=st.data())
def test_the_same_rows_in_another_order_are_measured_and_put_in_order_alike(
    seed: int, count: int, texts: int, data: st.DataObject
) -> None:
    chance = np.random.default_rng(seed)
    asked, vectors = unit(chance), [unit(chance) for _ in range(texts)]
    hits = {number: row(number, vectors[number % texts]) for number in range(count)}
    order = data.draw(st.permutations(range(count)))
    near = nearest_sources(order, hits, asked)
    told = [(hit.source_id, near.cosines[hit.row_id]) for hit in near.hits]
    again = nearest_sources(range(count), hits, asked)
    assert told == [(hit.source_id, again.cosines[hit.row_id]) for hit in again.hits]
    assert told == sorted(told, key=lambda one: (-one[1], one[0]))


@given(seed=st.integers(0, 99), count=st.integers(1, 60))
def test_copies_of_a_text_are_equally_near(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    asked, vector = unit(chance), unit(chance)
    cosines = cosines_of([row(number, vector) for number in range(count)], asked)
    assert len(set(cosines.tolist())) == 1
    assert abs(float(cosines[0]) - float(np.dot(vector.astype(float), asked))) < 1e-6
