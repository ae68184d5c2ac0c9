"""How words, meaning, neighbours and cues become one order."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.fusion import NARROWEST_SPREAD, fuse
from queries.stages import EVERY_STAGE, NO_STAGE, Stages
from tests.queries.pools import QUERY, pool, turns, zeros

Turns = list[tuple[str, float | None]]

stages = st.builds(Stages, **{name: st.booleans() for name in Stages.__struct_fields__})
cues = st.lists(st.floats(0, 1, allow_nan=False), min_size=8, max_size=8)


@given(turns, stages, cues, cues, st.frozensets(st.integers(0, 7), max_size=3))
def test_every_candidate_has_a_score_between_0_and_1_and_context_has_none(
    said: Turns, switched: Stages, named: list[float], near: list[float], context: frozenset[int]
) -> None:
    rows = pool([text for text, _ in said], [cosine for _, cosine in said], context=context)
    size = len(said)
    fused = fuse(rows, QUERY, np.array(named[:size]), np.array(near[:size]), switched)
    assert 0.0 <= fused.lexical_weight <= 1.0
    for row, is_candidate in enumerate(rows.candidates):
        if is_candidate:
            assert 0.0 <= fused.scores[row] <= 1.0
            assert 0.0 <= fused.words[row] <= 1.0
        else:
            assert np.isnan(fused.scores[row])


@given(turns, stages, st.randoms(use_true_random=False))
def test_the_order_in_which_rows_arrive_does_not_matter(
    said: Turns, switched: Stages, chance: random.Random
) -> None:
    texts, cosines = [text for text, _ in said], [cosine for _, cosine in said]
    order = list(range(len(said)))
    chance.shuffle(order)
    one, other = pool(texts, cosines), pool(texts, cosines, order=order)
    expected = fuse(one, QUERY, zeros(one), zeros(one), switched).scores
    found = fuse(other, QUERY, zeros(other), zeros(other), switched).scores
    np.testing.assert_allclose(found, expected[order], atol=1e-9)


@given(turns, st.integers(0, 7), st.floats(0, 1, allow_nan=False), st.booleans())
def test_a_cue_raises_whom_it_names_above_equals_and_never_lowers_its_place(
    said: Turns, chosen: int, amount: float, of_time: bool
) -> None:
    rows = pool([text for text, _ in said], [cosine for _, cosine in said])
    chosen %= len(said)
    cue = zeros(rows)
    cue[chosen] = amount
    without = fuse(rows, QUERY, zeros(rows), zeros(rows), EVERY_STAGE).scores
    given_cues = (zeros(rows), cue) if of_time else (cue, zeros(rows))
    with_it = fuse(rows, QUERY, *given_cues, EVERY_STAGE).scores
    for row in range(len(said)):
        if without[chosen] >= without[row]:
            assert with_it[chosen] >= with_it[row] - 1e-12


@given(turns)
def test_without_windows_a_row_that_is_at_least_as_good_on_both_sides_is_not_behind(
    said: Turns,
) -> None:
    rows = pool([text for text, _ in said], [cosine for _, cosine in said])
    fused = fuse(rows, QUERY, zeros(rows), zeros(rows), NO_STAGE)
    for better in range(len(said)):
        for worse in range(len(said)):
            if (
                fused.words[better] >= fused.words[worse]
                and fused.meaning[better] >= fused.meaning[worse]
            ):
                assert fused.scores[better] >= fused.scores[worse] - 1e-12


def test_a_side_without_candidates_leaves_the_decision_to_the_other() -> None:
    words = pool(["the harbour pilot", "harbour", "tea"], [None, None, None])
    fused = fuse(words, QUERY, zeros(words), zeros(words), NO_STAGE)
    assert fused.lexical_weight == 1.0
    assert fused.scores[0] == 1.0
    assert fused.scores[0] > fused.scores[1] > fused.scores[2] == 0.0
    meaning = pool(["tea", "lantern"], [0.9, 0.8])
    fused = fuse(meaning, QUERY, zeros(meaning), zeros(meaning), NO_STAGE)
    assert list(fused.scores) == [1.0, 0.0]


def test_a_row_that_has_no_vector_yet_is_judged_by_its_words_alone() -> None:
    rows = pool(["tea", "lantern", "harbour pilot moor"], [0.9, 0.7, None])
    fused = fuse(rows, QUERY, zeros(rows), zeros(rows), NO_STAGE)
    assert fused.scores[2] == 1.0
    assert np.isnan(fused.meaning[2])


def test_near_equal_cosines_are_not_torn_apart() -> None:
    rows = pool(["tea", "tea"], [0.90, 0.90 - NARROWEST_SPREAD / 5])
    fused = fuse(rows, QUERY, zeros(rows), zeros(rows), NO_STAGE)
    assert fused.scores[1] == pytest.approx(0.8)


def test_an_answer_that_repeats_no_word_is_found_beside_its_question() -> None:
    said = ["tea", "where did the harbour pilot moor", "at the old quay", "lantern", "tea"]
    rows = pool(said, [0.80, 0.90, 0.82, 0.82, 0.80])
    alone = fuse(rows, QUERY, zeros(rows), zeros(rows), NO_STAGE).scores
    beside = fuse(rows, QUERY, zeros(rows), zeros(rows), EVERY_STAGE).scores
    assert alone[2] == pytest.approx(alone[3])
    assert beside[2] > beside[3]


def test_a_bare_word_that_is_there_is_not_led_astray_by_what_stands_beside_it() -> None:
    rows = pool(["tea", "lantern", "tea tea tea"], [0.9, 0.8, 0.85], query="lantern")
    fused = fuse(rows, "lantern", zeros(rows), zeros(rows), EVERY_STAGE)
    assert int(np.argmax(fused.scores)) == 1
    assert fused.lexical_weight >= 0.7
