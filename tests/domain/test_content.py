"""What may be stored: sizes, times, and texts that no store behind can hold."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import InvalidCommand, TooLarge
from domain.policies.content import (
    require_content,
    require_metadata,
    require_tags,
    require_text,
    utc,
)


def test_content_is_limited_in_bytes_not_in_characters():
    assert require_content("content", "a" * 65_536)
    assert require_content("content", "织" * 21_845)
    with pytest.raises(TooLarge, match="65538 bytes"):
        require_content("content", "织" * 21_846)


@pytest.mark.parametrize("blank", ["", " ", "\n\t　"])
def test_content_must_say_something(blank):
    with pytest.raises(InvalidCommand, match="content"):
        require_content("content", blank)


@pytest.mark.parametrize("text", ["a\x00b", "\ud83d", "\udc00x"])
def test_nul_and_half_characters_are_refused(text):
    for refused in (
        lambda: require_content("content", text),
        lambda: require_text("reason", text),
        lambda: require_tags("tags", ["fine", text]),
        lambda: require_metadata("metadata", {"a": [{"b": text}]}),
        lambda: require_metadata("metadata", {text: 1}),
    ):
        with pytest.raises(InvalidCommand):
            refused()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_every_other_text_is_kept_verbatim(text):
    assert require_text("reason", text) == text
    if text.strip():
        assert require_content("content", text) == text


def test_tags_are_trimmed_and_each_kept_once_in_order():
    assert require_tags("tags", [" b", "a", "b "]) == ["a", "b"]
    with pytest.raises(InvalidCommand, match="tags"):
        require_tags("tags", ["  "])


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=5,
)


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


@given(st.dictionaries(st.sampled_from("abc"), json_values))
def test_plain_json_of_bounded_depth_is_kept(metadata):
    if depth(metadata) <= 8:
        assert require_metadata("metadata", metadata) == metadata
    else:
        with pytest.raises(InvalidCommand, match="deeply"):
            require_metadata("metadata", metadata)


@pytest.mark.parametrize(
    "value", [2**63, -(2**63) - 1, float("nan"), float("inf"), b"bytes", {1: "key"}, {3, 4}]
)
def test_metadata_that_json_readers_may_not_know_is_refused(value):
    with pytest.raises(InvalidCommand, match="metadata"):
        require_metadata("metadata", {"a": value})


def test_metadata_is_limited_in_bytes_of_json():
    assert require_metadata("metadata", {"a": "x" * (16_384 - 8)})
    with pytest.raises(TooLarge, match="16385 bytes"):
        require_metadata("metadata", {"a": "x" * (16_384 - 7)})


def test_a_time_is_turned_to_utc_and_must_name_its_zone():
    berlin = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert utc("observed_at", berlin) == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert utc("observed_at", berlin).tzinfo is UTC
    assert utc("observed_at", None) is None
    with pytest.raises(InvalidCommand, match="time zone"):
        utc("observed_at", datetime(2026, 5, 1, 12))  # noqa: DTZ001  # a naive time is the point
    edge = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    with pytest.raises(InvalidCommand, match="observed_at"):
        utc("observed_at", edge)
