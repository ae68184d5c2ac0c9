"""Evidence, speakers and times that a query names."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.evidence import (
    BARE_WORD_WEIGHT,
    LEAST_WEIGHT,
    MOST_WEIGHT,
    bareness,
    evidence_of,
    lexical_weight,
    word_sought,
)
from queries.relative_times import Span, relative_spans
from queries.speaker_cue import named_speakers
from queries.time_cue import TimeCue, nearness, searched_spans, time_cues

TODAY = date(2026, 3, 4)  # a Wednesday
amounts = st.floats(0, 100, allow_nan=False)
shares = st.floats(0, 1, allow_nan=False)
days = st.dates(date(2000, 1, 1), date(2100, 1, 1))


@given(amounts, amounts, shares, shares)
def test_the_weight_of_words_never_falls_with_the_evidence(
    less: float, more: float, sought: float, also: float
) -> None:
    less, more = sorted((less, more))
    sought, also = sorted((sought, also))
    low, high = lexical_weight(less, sought), lexical_weight(more, also)
    assert LEAST_WEIGHT <= low <= high <= MOST_WEIGHT
    assert lexical_weight(less, 1.0) >= BARE_WORD_WEIGHT


def test_evidence_is_the_most_that_one_row_holds_a_chinese_bigram_counting_half() -> None:
    held = np.array([[True, False], [True, False], [False, True]])
    idf = np.array([2.0, 3.0, 4.0])
    assert evidence_of(("harbour", "pilot", "moor"), idf, held) == 5.0
    assert evidence_of(("港口", "pilot", "moor"), idf, held) == 4.0
    assert evidence_of((), np.zeros(0), np.zeros((0, 2), dtype=bool)) == 0.0


@pytest.mark.parametrize(
    "query", ["乌龙", "乌龙茶", "冻顶乌龙", "oolong", "oolong tea", "8188", "!"]
)
def test_one_or_two_words_are_bare(query: str) -> None:
    assert bareness(query) == 1.0


def test_the_longer_a_query_the_less_bare_until_it_is_a_sentence() -> None:
    spoken = ["which", "oolong", "tea", "did", "he", "buy"]
    found = [bareness(" ".join(spoken[:length])) for length in range(1, 7)]
    assert found == sorted(found, reverse=True)
    assert found[-1] == 0.0


def test_a_bare_word_is_sought_only_where_a_row_holds_all_of_it() -> None:
    assert word_sought("oolong tea", np.array([[True, False], [False, True]])) == 0.0
    assert word_sought("oolong tea", np.array([[True, False], [True, True]])) == 1.0


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("when did Anna leave", {"Anna"}),
        ("when did ANNA's brother leave", {"Anna"}),
        ("when did Annabel leave", set()),
        ("李雷喜欢什么", {"李雷"}),
        ("what did Maria say", {"Maria Lopez"}),
        ("what does x mean", set()),
    ],
)
def test_a_speaker_is_named_by_a_whole_word(query: str, named: set[str]) -> None:
    assert named_speakers(query, {"Anna", "李雷", "Maria Lopez", "X", ""}) == named


@pytest.mark.parametrize(
    ("query", "cue"),
    [
        ("what happened on 2 May, 2023?", TimeCue(2023, 5, 2)),
        ("what happened on May 2nd", TimeCue(None, 5, 2)),
        ("what happened in March 2025", TimeCue(2025, 3)),
        ("what happened in June", TimeCue(None, 6)),
        ("what happened in 2024", TimeCue(2024)),
        ("the log of 2024-07-03", TimeCue(2024, 7, 3)),
        ("2025年3月做了什么", TimeCue(2025, 3)),
        ("五月2日的会议", TimeCue(None, 5, 2)),
        ("十二月去了哪里", TimeCue(None, 12)),
    ],
)
def test_a_time_is_read_in_both_languages(query: str, cue: TimeCue) -> None:
    assert time_cues(query, TODAY) == [cue]


@pytest.mark.parametrize(
    "query", ["may I come in", "port 8188", "version 2.14", "she will march on", "$1999 a month"]
)
def test_what_only_looks_like_a_time_is_none(query: str) -> None:
    assert time_cues(query, TODAY) == []


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("what did we do yesterday", date(2026, 3, 3), date(2026, 3, 3)),
        ("昨天说了什么", date(2026, 3, 3), date(2026, 3, 3)),
        ("the day before yesterday", date(2026, 3, 2), date(2026, 3, 2)),
        ("前天", date(2026, 3, 2), date(2026, 3, 2)),
        ("last week", date(2026, 2, 23), date(2026, 3, 1)),
        ("上周的会议", date(2026, 2, 23), date(2026, 3, 1)),
        ("last month", date(2026, 2, 1), date(2026, 2, 28)),
        ("上个月", date(2026, 2, 1), date(2026, 2, 28)),
        ("three months ago", date(2025, 12, 1), date(2025, 12, 31)),
        ("两周前", date(2026, 2, 16), date(2026, 2, 22)),
        ("5天前", date(2026, 2, 27), date(2026, 2, 27)),
        ("去年的旅行", date(2025, 1, 1), date(2025, 12, 31)),
        ("two years ago", date(2024, 1, 1), date(2024, 12, 31)),
    ],
)
def test_a_time_relative_to_today_is_a_span_of_days(query: str, first: date, last: date) -> None:
    assert relative_spans(query, TODAY) == [Span(first, last)]
    assert time_cues(query, TODAY) == [Span(first, last)]


@given(days, st.text(max_size=30))
def test_no_text_is_too_odd_to_be_read(today: date, text: str) -> None:
    cues = time_cues(text, today)
    assert all(first <= last for first, last in searched_spans(cues, today))
    assert 0.0 <= nearness(today, cues) <= 1.0


@given(days, st.integers(0, 400), st.integers(0, 400), st.integers(0, 40))
def test_nearness_is_1_within_and_falls_with_distance(
    first: date, near: int, far: int, length: int
) -> None:
    near, far = sorted((near, far))
    cue = Span(first, first + timedelta(days=length))
    assert nearness(first, [cue]) == nearness(cue.last, [cue]) == 1.0
    after = [nearness(cue.last + timedelta(days=gap), [cue]) for gap in (near, far)]
    assert 1.0 >= after[0] >= after[1] >= 0.0
    assert nearness(first, []) == 0.0


def test_a_time_without_a_year_is_searched_in_each_of_the_last_years() -> None:
    spans = searched_spans([TimeCue(None, 2, 29)], TODAY)
    assert [first.year for first, _ in spans] == [2016, 2020, 2024]
    [(first, last)] = searched_spans([TimeCue(2025, 3)], TODAY)
    assert (first.date(), last.date()) == (date(2025, 3, 1), date(2025, 3, 31))
