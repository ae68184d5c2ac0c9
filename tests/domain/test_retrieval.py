"""Measures of rankings, and the alarm on them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policies.regression import baseline_of, has_fallen
from domain.policies.retrieval import (
    Measures,
    found_within,
    mean_of,
    measures,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
)
from domain.settings import PolicySettings

ids = st.sampled_from("abcdefgh")
rankings = st.lists(st.frozensets(ids, max_size=3), max_size=12)
expectations = st.frozensets(ids, min_size=1)


def one_each(found: str) -> list[frozenset[str]]:
    return [frozenset(name) for name in found]


def test_measures_of_a_known_ranking() -> None:
    got = measures(one_each("xayzwb"), frozenset("abc"))
    assert got.recall_at_5 == pytest.approx(1 / 3)
    assert got.recall_at_10 == pytest.approx(2 / 3)
    assert got.precision_at_5 == pytest.approx(1 / 5)
    assert got.reciprocal_rank == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert got.ndcg_at_10 == pytest.approx((1 / math.log2(3) + 1 / math.log2(7)) / ideal)


def test_nothing_found_measures_nothing() -> None:
    assert measures([], frozenset("a")) == Measures(0, 0, 0, 0, 0)


def test_a_memory_that_covers_two_episodes_finds_both_in_one_place() -> None:
    got = measures([frozenset("mab")], frozenset("ab"))
    assert (got.recall_at_5, got.precision_at_5, got.reciprocal_rank) == (1, 1 / 5, 1)
    assert got.ndcg_at_10 < 1  # two places were expected to hold something


def test_the_same_answer_twice_gains_once() -> None:
    once, twice = one_each("a"), one_each("aa")
    assert ndcg_at(10, twice, frozenset("ab")) == ndcg_at(10, once, frozenset("ab"))
    assert recall_at(10, twice, frozenset("ab")) == 0.5
    assert precision_at(5, twice, frozenset("ab")) == 2 / 5


@given(rankings, expectations)
def test_measures_lie_between_0_and_1_and_deeper_finds_no_less(
    ranking: list[frozenset[str]], expected: frozenset[str]
) -> None:
    got = measures(ranking, expected)
    assert 0 <= got.recall_at_5 <= got.recall_at_10 <= 1
    assert 0 <= got.precision_at_5 <= 1
    assert 0 <= got.reciprocal_rank <= 1
    assert 0 <= got.ndcg_at_10 <= 1 + 1e-9
    assert (got.recall_at_10 == 0) == (got.ndcg_at_10 == 0) == (got.reciprocal_rank == 0)


@given(expectations)
def test_the_perfect_ranking_has_every_measure_at_its_most(expected: frozenset[str]) -> None:
    got = measures(one_each("".join(sorted(expected))), expected)
    assert got.recall_at_5 == pytest.approx(min(5, len(expected)) / len(expected))
    assert (got.recall_at_10, got.reciprocal_rank) == (1, 1)
    assert got.ndcg_at_10 == pytest.approx(1)


@given(rankings, expectations, st.integers(0, 11))
def test_a_hit_moved_up_never_lowers_a_measure(
    ranking: list[frozenset[str]], expected: frozenset[str], place: int
) -> None:
    if place == 0 or place >= len(ranking) or not ranking[place] & expected:
        return
    if ranking[place - 1] & expected:
        return
    moved = [*ranking]
    moved[place - 1], moved[place] = moved[place], moved[place - 1]
    for name in Measures.__struct_fields__:
        before = getattr(measures(ranking, expected), name)
        assert getattr(measures(moved, expected), name) >= before - 1e-12


@given(rankings, expectations)
def test_what_is_not_expected_changes_nothing(
    ranking: list[frozenset[str]], expected: frozenset[str]
) -> None:
    noisy = [covered | {"not expected"} for covered in ranking]
    assert measures(noisy, expected) == measures(ranking, expected)
    assert found_within(5, ranking, expected) <= expected
    assert reciprocal_rank(0, ranking, expected) == 0


def test_means_are_taken_measure_by_measure() -> None:
    some = [Measures(1, 1, 0.2, 1, 1), Measures(0, 0.5, 0, 0, 0.5)]
    assert mean_of(some) == Measures(0.5, 0.75, 0.1, 0.5, 0.75)
    assert mean_of([]) == Measures(0, 0, 0, 0, 0)


def test_a_run_is_held_against_the_median_of_the_last_ones() -> None:
    policy = PolicySettings(evaluation_runs_compared=3, evaluation_drop_allowed=0.1)
    assert baseline_of([], policy) is None
    assert not has_fallen(0.0, None, policy)
    assert baseline_of([0.1, 0.9, 0.2, 0.8], policy) == 0.8
    assert has_fallen(0.69, 0.8, policy)
    assert not has_fallen(0.71, 0.8, policy)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.floats(0, 1))
def test_a_run_no_worse_than_every_earlier_one_is_no_alarm(
    earlier: list[float], value: float
) -> None:
    assert not has_fallen(max(value, *earlier), baseline_of(earlier))
