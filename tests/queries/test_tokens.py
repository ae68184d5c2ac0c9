"""The length estimate that budgets go by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.tokens import token_count


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("乌龙茶", 3), ("喝tea", 2), ("端口 8188", 4)],
)
def test_chinese_characters_count_one_and_three_others_one(text: str, tokens: int) -> None:
    assert token_count(text) == tokens


@given(st.text(max_size=60), st.text(max_size=60))
def test_joining_texts_never_costs_more_than_both(one: str, other: str) -> None:
    assert token_count(one + other) <= token_count(one) + token_count(other)
    assert token_count(one + other) >= max(token_count(one), token_count(other))
