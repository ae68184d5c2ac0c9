"""Versions of one statement stand newest first, and nothing else moves."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.revisions import LOOKED_AT, Statement, newest_first, one_value_apart, units_of

HELD = frozenset({"capit", "ruritania"})
TEXTS = (
    "The capital of Ruritania is Strelsau.",
    "The capital of Ruritania is Zenda.",
    "Ruritania has a capital and a king",
    "卢里塔尼亚的首都是斯特雷绍",
)


def said(text: str, age: int, **more: object) -> Statement:
    fields = {"speaker": None, "held": HELD} | more
    return Statement(text=text, age=(float(age), age), **fields)  # type: ignore[arg-type]


statements = st.lists(
    st.builds(
        said,
        st.sampled_from(TEXTS),
        st.integers(0, 9),
        speaker=st.sampled_from([None, "Anna"]),
        held=st.sampled_from([HELD, frozenset[str]()]),
    ),
    max_size=25,
)


def ordered(ranked: list[Statement], terms: int = 3) -> list[Statement]:
    return newest_first(ranked, lambda one: one, terms)


def test_the_newer_of_two_values_comes_first() -> None:
    old, new, other = said(TEXTS[0], 1), said(TEXTS[1], 2), said(TEXTS[2], 3)
    assert ordered([old, other, new]) == [new, other, old]


@pytest.mark.parametrize(
    "new",
    [
        said(TEXTS[1], 2, speaker="Anna"),
        said(TEXTS[1], 2, held=frozenset({"capit"})),
        said("The capital of Graustark is Edelweiss, and its king is Yetive.", 2),
    ],
)
def test_what_only_sounds_alike_stays_where_it_is(new: Statement) -> None:
    ranked = [said(TEXTS[0], 1), new]
    assert ordered(ranked) == ranked


def test_versions_that_hold_little_of_the_query_stay() -> None:
    ranked = [said(TEXTS[0], 1), said(TEXTS[1], 2)]
    assert ordered(ranked, terms=6) == ranked
    assert ordered(ranked, terms=0) == ranked


@given(statements)
def test_nothing_is_lost_and_what_is_far_down_stays(ranked: list[Statement]) -> None:
    found = ordered(ranked)
    assert sorted(map(repr, found)) == sorted(map(repr, ranked))
    assert found[LOOKED_AT:] == ranked[LOOKED_AT:]


@given(st.lists(st.integers(0, 99), unique=True, max_size=LOOKED_AT), st.randoms())
def test_versions_of_one_statement_are_newest_first_however_they_came(
    ages: list[int], chance: random.Random
) -> None:
    ranked = [said(f"The port of the gateway is {age}.", age) for age in ages]
    chance.shuffle(ranked)
    assert [one.age[1] for one in ordered(ranked)] == sorted(ages, reverse=True)


@given(
    st.lists(st.sampled_from("abcdef"), max_size=8), st.lists(st.sampled_from("abcdef"), max_size=8)
)
def test_being_one_value_apart_goes_both_ways(one: list[str], other: list[str]) -> None:
    assert one_value_apart(one, other) == one_value_apart(other, one)
    assert one_value_apart(one, one)


def test_chinese_is_compared_by_characters() -> None:
    assert units_of("首都是A城") == ["首", "都", "是", "a", "城"]
    assert one_value_apart(units_of("端口是三千"), units_of("端口是四千"))
