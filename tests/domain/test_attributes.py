"""Which attribute of what a statement tells, and when two tell another value of the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.distillation.attributes import Attribute, attribute_of, has_other_value
from tests.domain.attribute_cases import CHINESE, ENGLISH


@pytest.mark.parametrize(("text", "expected"), [*ENGLISH, *CHINESE])
def test_a_statement_tells_exactly_this(
    text: str, expected: tuple[str, str, str, str] | None
) -> None:
    assert attribute_of(text) == (None if expected is None else Attribute(*expected))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gateway listens on port 8080.", "The gateway's port is 9090."),
        ("Ingrid lives in Lisbon.", "Ingrid lives in Porto."),
        ("Redis runs version 6.2.", "We upgraded Redis to 7.2."),
        ("The API uses Redis for caching.", "The API uses Valkey for caching."),
        ("网关监听8080端口。", "网关端口改成了9091。"),
        ("小满住在杭州。", "小满住在南京。"),
    ],
)
def test_two_values_of_one_attribute_exclude_each_other(one: str, other: str) -> None:
    assert has_other_value(attribute_of(one), attribute_of(other))
    assert has_other_value(attribute_of(other), attribute_of(one))
    assert not has_other_value(attribute_of(one), attribute_of(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gateway listens on port 8080.", "The broker listens on port 9090."),
        ("Ingrid lives in Lisbon.", "Bruno lives in Porto."),
        ("The gateway's port is 8080.", "The gateway's timeout is 30 seconds."),
        ("The API uses Redis for caching.", "The API uses Kafka for events."),
        ("网关监听8080端口。", "代理监听9090端口。"),
        ("Ingrid lives in Lisbon.", "Ingrid likes tea."),
    ],
)
def test_other_things_or_attributes_leave_each_other_alone(one: str, other: str) -> None:
    assert not has_other_value(attribute_of(one), attribute_of(other))


@settings(max_examples=80)
@given(st.text(max_size=120))
def test_any_text_is_read_without_error(text: str) -> None:
    found = attribute_of(text)
    assert not has_other_value(found, found)
