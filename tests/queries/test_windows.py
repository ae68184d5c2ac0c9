"""Neighbours as context: what they add, and where they add nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from projections.vector.hits import Hit
from projections.vector.search_filter import SearchFilter
from queries.neighbours import beside, passes, wanted_around
from queries.windows import (
    MEANING_WINDOW,
    WORD_WINDOW,
    length_gate,
    weights,
    window_bm25,
    window_mean,
)
from tests.queries.pools import MOMENT, hit, pool, turns

Turns = list[tuple[str, float | None]]


@given(st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=6))
def test_the_longer_a_row_the_less_its_neighbours_count(sizes: list[float]) -> None:
    gate = length_gate(np.array(sorted(sizes)))
    assert ((gate > 0) & (gate <= 1)).all()
    assert (np.diff(gate) <= 0).all()


@given(turns)
def test_without_weights_windows_are_the_rows_themselves(said: Turns) -> None:
    rows = pool([text for text, _ in said], [cosine for _, cosine in said])
    none = weights(WORD_WINDOW, rows.neighbours, np.zeros(len(said)))
    asked = (rows.frequencies, rows.lengths, rows.idf, rows.mean_length, rows.neighbours)
    np.testing.assert_allclose(window_bm25(*asked, none), window_bm25(*asked, {}))
    mean = window_mean(rows.cosines, rows.neighbours, none)
    np.testing.assert_allclose(mean, rows.cosines)


@given(turns)
def test_a_mean_lies_between_the_known_cosines_and_is_unknown_where_the_rows_own_is(
    said: Turns,
) -> None:
    rows = pool([text for text, _ in said], [cosine for _, cosine in said])
    gate = np.ones(len(said))
    mean = window_mean(
        rows.cosines, rows.neighbours, weights(MEANING_WINDOW, rows.neighbours, gate)
    )
    known = rows.cosines[~np.isnan(rows.cosines)]
    assert (np.isnan(mean) == np.isnan(rows.cosines)).all()
    for value in mean[~np.isnan(mean)]:
        assert known.min() - 1e-12 <= value <= known.max() + 1e-12


@given(turns, st.integers(0, 7))
def test_a_neighbour_that_holds_more_never_lowers_a_rows_words(said: Turns, place: int) -> None:
    texts = [text for text, _ in said]
    rows = pool(texts, [None] * len(said))
    place %= len(said)
    more = rows.frequencies.copy()
    more[:, place] += 1
    window = weights(WORD_WINDOW, rows.neighbours, np.ones(len(said)))

    def scored(frequencies: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]  # float64
        return window_bm25(
            frequencies, rows.lengths, rows.idf, rows.mean_length, rows.neighbours, window
        )

    before, after = scored(rows.frequencies), scored(more)
    assert (before >= 0).all()
    assert (after >= before - 1e-12).all()


def test_neighbours_are_of_one_session_and_namespace_and_step_through_chunks() -> None:
    rows = [
        hit(0),
        hit(1, row_id="e1:1:0", source_id="e1", chunk_index=0, chunk_of=2),
        hit(1, row_id="e1:1:1", source_id="e1", chunk_index=1, chunk_of=2),
        hit(2),
        hit(3, namespace="other"),
        hit(3, row_id="e9:9:0", session_id="another"),
        hit(5, session_id=None, session_seq=None),
    ]
    found = {offset: list(rows_at) for offset, rows_at in beside(rows).items()}
    assert found[1] == [1, 2, 3, -1, -1, -1, -1]
    assert found[-1] == [-1, 0, 1, 2, -1, -1, -1]
    assert found[2] == [2, 3, -1, -1, -1, -1, -1]
    assert found[-2] == [-1, -1, 0, 1, -1, -1, -1]


def test_of_two_rows_for_one_chunk_the_last_is_the_neighbour() -> None:
    rows = [hit(0), hit(1, row_id="e1:1:0", chunk_of=5), hit(1, row_id="e1:2:0"), hit(2)]
    found = {offset: list(rows_at) for offset, rows_at in beside(rows).items()}
    assert found[1] == [2, -1, 3, -1]
    assert found[-1] == [-1, -1, 0, 2]


def test_a_memory_stands_where_the_first_of_its_episodes_does() -> None:
    def memory(number: int, *episodes: str, **more: str) -> Hit:
        name = f"m{number}"
        return hit(
            0, row_id=name, source_id=name, layer="memory", session_seq=None,
            derived_from=episodes, **more,
        )  # fmt: skip

    rows = [
        hit(0),
        hit(1, row_id="e1:1:0", source_id="e1", chunk_index=0, chunk_of=2),
        hit(1, row_id="e1:1:1", source_id="e1", chunk_index=1, chunk_of=2),
        hit(2),
        memory(1, "e1", "e0"),
        memory(2, "e2", session_id="another"),
        memory(3, "unknown"),
        memory(4, "e1", namespace="other"),
    ]
    found = {offset: list(rows_at) for offset, rows_at in beside(rows).items()}
    assert found[-1] == [-1, 0, 1, 2, 0, 2, -1, -1]
    assert found[1] == [1, 2, 3, -1, 3, -1, -1, -1]
    assert found[-2][4] == found[-2][1] == -1
    assert found[2][4] == found[2][2] == -1
    assert not {4, 5, 6, 7} & {row for rows_at in found.values() for row in rows_at}


def test_only_what_is_not_there_is_fetched() -> None:
    rows = [hit(4), hit(5)]
    around = wanted_around(rows[:1], rows, reach=2)
    assert around.turns == {("shared", "talk", number) for number in (2, 3, 6)}
    assert around.keys == {f"6:sharedtalk:{number}" for number in (2, 3, 6)}
    assert [number for number in range(9) if around.holds(hit(number))] == [2, 3, 6]
    assert not around.chunks
    long = hit(7, row_id="e7:7:1", chunk_index=1, chunk_of=4)
    assert wanted_around([long], [long], reach=1).chunks == {"e7:7:0", "e7:7:2"}
    assert wanted_around([hit(0, session_seq=None)], []).turns == frozenset()


def test_a_neighbour_is_a_result_only_under_the_whole_filter() -> None:
    row = hit(
        1,
        category="fact",
        tags=("a", "b"),
        metadata_pairs=('"room"=12',),
        observed_at=MOMENT,
    )
    for passing in (
        {},
        {"categories": frozenset({"fact"})},
        {"tags": frozenset({"a"})},
        {"metadata": {"room": 12}},
        {"session_id": "talk"},
        {"observed_after": MOMENT, "observed_before": MOMENT},
    ):
        assert passes(row, SearchFilter(namespaces=None, **passing))  # type: ignore[arg-type]
    for failing in (
        {"namespaces": frozenset({"other"})},
        {"layers": frozenset({"memory"})},
        {"categories": frozenset({"event"})},
        {"agents": frozenset({"h-2"})},
        {"sources": frozenset({"web"})},
        {"tags": frozenset({"a", "c"})},
        {"metadata": {"room": 13}},
        {"session_id": "other"},
        {"observed_after": MOMENT.replace(year=2027)},
        {"observed_before": MOMENT.replace(year=2025)},
    ):
        assert not passes(row, SearchFilter(**{"namespaces": None} | failing))  # type: ignore[arg-type]
