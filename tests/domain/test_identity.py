"""Ids are UUIDs as the standard library makes them; the command's time can be read back."""

from __future__ import annotations

from uuid import NAMESPACE_URL, RFC_4122, UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.identity import (
    command_id,
    command_time_ms,
    event_id,
    id_from_command,
    id_from_key,
    uuid7,
)

ROOT = uuid5(NAMESPACE_URL, "https://memoryweave.dev/ids")
TIMES = st.integers(0, 2**48 - 1)
TEN_BYTES = st.binary(min_size=10, max_size=10)


@given(st.text(), st.integers(0, 1000))
def test_an_id_is_the_version_5_uuid_of_what_it_names(text, index):
    assert id_from_command(text, index) == str(uuid5(ROOT, f"command\x1f{text}\x1f{index}"))
    assert event_id(text, index) == str(uuid5(ROOT, f"event\x1f{text}\x1f{index}"))
    assert id_from_key("main", "Agent", text) == str(uuid5(ROOT, f"key\x1fmain\x1fAgent\x1f{text}"))


@given(st.text(), st.text())
def test_a_key_that_is_no_uuid_of_version_7_gives_a_version_5_uuid_without_a_time(actor, key):
    made = command_id(actor, "POST /commit", f"{key}!")
    assert made == str(uuid5(ROOT, f"{actor}\x1fPOST /commit\x1f{key}!"))
    assert command_time_ms(made) is None


@given(TIMES, TEN_BYTES, st.text())
def test_a_version_7_key_keeps_its_time_in_a_version_8_uuid(now_ms, randomness, actor):
    key = uuid7(now_ms, randomness)
    assert str(UUID(key)) == key
    assert (UUID(key).version, UUID(key).variant) == (7, RFC_4122)
    made = UUID(command_id(actor, "POST /commit", key))
    assert (made.version, made.variant) == (8, RFC_4122)
    assert command_time_ms(str(made)) == command_time_ms(key) == now_ms


@pytest.mark.parametrize(
    ("given", "made"),
    [
        # Written down from the first version of this module: an id must never become another.
        ("018f2f4e-7a00-7abc-8def-0123456789ab", "018f2f4e-7a00-8b87-ae85-0a2610f84fca"),
        ("order-17", "71ef6484-b415-508d-a973-d9d064a03934"),
    ],
)
def test_an_id_stays_what_it_was(given, made):
    assert command_id("hermes-1", "POST /api/v1/commit", given) == made
