"""A request body is decoded strictly, or refused with every fault in it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.body import CONTENT_LIMIT_BYTES, METADATA_DEPTH, METADATA_LIMIT_BYTES, decode_body
from api.problems import InvalidFields, Malformed
from domain.errors import TooLarge
from memoryweave import contract


def faults(body: bytes, target: type[msgspec.Struct] = contract.Commit) -> dict[str, str]:
    with pytest.raises(InvalidFields) as refused:
        decode_body(body, target)
    return {fault.field: fault.message for fault in refused.value.faults}


def test_a_valid_body_becomes_the_struct_with_its_defaults():
    commit = decode_body(b'{"content": "the port is 7821"}', contract.Commit)
    assert commit == contract.Commit(content="the port is 7821")


def test_every_field_at_fault_is_named_not_only_the_first():
    body = b'{"source": "hearsay", "urgent": "yes", "tags": ["", 3], "colour": "red"}'
    assert faults(body) == {
        "content": "is required",
        "source": "Invalid enum value 'hearsay'",
        "urgent": "Expected `bool`, got `str`",
        "tags[0]": "Expected `str` of length >= 1",
        "tags[1]": "Expected `str`, got `int`",
        "colour": "is not a field of this request",
    }


def test_faults_within_a_batch_name_the_entry():
    body = b'{"entries": [{"content": "a"}, {"content": ""}, {"contents": "b"}, 7]}'
    assert faults(body, contract.BatchCommit) == {
        "entries[1].content": "Expected `str` of length >= 1",
        "entries[2].content": "is required",
        "entries[2].contents": "is not a field of this request",
        "entries[3]": "Expected `object`, got `int`",
    }


def test_a_batch_over_its_number_of_entries_is_a_fault_of_the_list():
    body = msgspec.json.encode({"entries": [{"content": "a"}] * 501})
    assert faults(body, contract.BatchCommit) == {"entries": "Expected `array` of length <= 500"}


def test_faults_within_an_optional_struct_name_its_field():
    body = b'{"query": "x", "as_of": {"position": -1, "moment": 2}}'
    assert set(faults(body, contract.Recall)) == {"as_of.position", "as_of.moment"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"content": "\xff"}',
        b'{"content": "\\ud800"}',
        b'{"content": "a", "metadata": {"x": NaN}}',
        b'{"content": "a", "metadata": {"x": ' + b"9" * 5000 + b"}}",
        b'{"content": "a", "metadata": {"x": 1e999}}',
        b'{"content": "a", "metadata": ' + b'{"a":' * 90_000 + b"1" + b"}" * 90_001,
        b"[" * 200_000,
    ],
)
def test_what_is_not_json_in_utf_8_is_malformed(body: bytes):
    with pytest.raises(Malformed):
        decode_body(body, contract.Commit)


@pytest.mark.parametrize("body", [b"[]", b"7", b'"text"', b"null", b"true"])
def test_another_json_value_than_an_object_is_a_fault_of_the_body(body: bytes):
    assert list(faults(body)) == ["body"]


def test_nul_is_refused_wherever_text_may_stand():
    body = (
        b'{"content": "a\\u0000b", "tags": ["x\\u0000"], "speaker": "\\u0000",'
        b' "metadata": {"k": {"inner": "\\u0000"}, "k\\u0000": 1}}'
    )
    assert set(faults(body)) == {"content", "tags[0]", "speaker", "metadata.k.inner", "metadata"}


def test_an_escaped_backslash_before_u0000_is_no_nul():
    assert decode_body(b'{"content": "a\\\\u0000"}', contract.Commit).content == "a\\u0000"


def test_times_come_out_in_utc():
    body = b'{"content": "a", "observed_at": "2026-05-01T12:00:00+02:00"}'
    assert decode_body(body, contract.Commit).observed_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert decode_body(body, contract.Commit).observed_at.tzinfo is UTC


@pytest.mark.parametrize(
    "time", ["2026-05-01T12:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]
)
def test_a_time_without_zone_or_outside_the_calendar_is_a_fault(time: str):
    assert list(faults(b'{"content": "a", "observed_at": "%s"}' % time.encode())) == ["observed_at"]


def test_content_is_measured_in_bytes_not_in_characters():
    fits = "记" * (CONTENT_LIMIT_BYTES // 3)
    assert decode_body(msgspec.json.encode({"content": fits}), contract.Commit).content == fits
    for content in (fits + "忆", "a" * (CONTENT_LIMIT_BYTES + 1)):
        with pytest.raises(TooLarge, match="content"):
            decode_body(msgspec.json.encode({"content": content}), contract.Commit)


def test_one_content_over_the_limit_in_a_batch_names_its_entry():
    body = {"entries": [{"content": "a"}, {"content": "记" * CONTENT_LIMIT_BYTES}]}
    with pytest.raises(TooLarge, match=r"entries\[1\]\.content"):
        decode_body(msgspec.json.encode(body), contract.BatchCommit)


def test_metadata_is_bounded_in_depth_and_size_and_integers():
    nested: object = 1
    for _ in range(METADATA_DEPTH + 1):
        nested = {"a": nested}
    assert "nested" in faults(_commit(metadata={"m": nested}))["metadata"]
    assert "bytes" in faults(_commit(metadata={"m": "x" * METADATA_LIMIT_BYTES}))["metadata"]
    assert "64 bits" in faults(_commit(metadata={"m": [1, 2**63]}))["metadata.m[1]"]
    assert decode_body(_commit(metadata={"m": [1, 2**63 - 1, None, 0.5]}), contract.Commit)


def test_integers_beyond_64_bits_are_refused_before_any_store_sees_them():
    assert list(faults(b'{"query": "x", "min_position": %d}' % 2**70, contract.Recall)) == [
        "min_position"
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*contract.Commit.__struct_fields__, "other"]), json_values, max_size=6
    )
)
def test_any_object_is_decoded_or_refused_with_a_typed_error(fields: dict[str, object]):
    try:
        body = msgspec.json.encode(fields)
    except (UnicodeEncodeError, OverflowError):
        return
    try:
        commit = decode_body(body, contract.Commit)
    except (InvalidFields, Malformed, TooLarge):
        return
    assert commit.content == fields["content"]


def _commit(**fields: object) -> bytes:
    return msgspec.json.encode({"content": "a", **fields})


@pytest.mark.parametrize(
    "body",
    [
        '{"content": "one", "content": "two"}',
        '{"content": "one", "content" : "two"}',
        '{"content": "\\u0022", "c\\u006fntent": "two"}',
        '{"content": "x", "metadata": {"a": {"b": 1, "b": 1}}}',
    ],
)
def test_a_name_that_stands_twice_in_one_object_is_refused(body):
    with pytest.raises(Malformed, match="stands twice"):
        decode_body(body.encode(), contract.Commit)


printable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.dictionaries(printable, printable | st.integers(-9, 9) | st.lists(printable), max_size=5))
def test_names_that_stand_once_are_taken_however_they_are_written(metadata):
    said = {"content": "x", "metadata": metadata}
    for body in (json.dumps(said), json.dumps(said, ensure_ascii=False, indent=1)):
        assert decode_body(body.encode(), contract.Commit).metadata == metadata
