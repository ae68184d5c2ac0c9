"""Entities by pattern: every sentence of the tables, exactly, and what must hold of any text."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.distillation.entities import entities, entity_key, named_things
from tests.domain.entity_cases import CHINESE, ENGLISH


@pytest.mark.parametrize(("text", "expected"), [*ENGLISH, *CHINESE])
def test_a_sentence_names_exactly_these(text: str, expected: tuple[str, ...]) -> None:
    assert tuple(f"{one.type} {one.name}" for one in entities(text)) == expected


def test_the_tables_hold_sixty_sentences_a_language() -> None:
    for table in (ENGLISH, CHINESE):
        assert len({text for text, _ in table}) >= 60


_TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from([text for text, _ in (*ENGLISH, *CHINESE)]), min_size=1, max_size=4
    ).map(" ".join),
)


@settings(max_examples=100)
@given(_TEXTS)
def test_what_is_found_stands_in_the_text_and_does_not_overlap(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text)
    end = 0
    for one in named_things(plain):
        assert one.start >= end
        assert one.name in plain[one.start : one.end]
        assert one.name == one.name.strip() != ""
        end = one.end


@settings(max_examples=100)
@given(_TEXTS)
def test_each_is_named_once_and_full_width_writing_changes_nothing(text: str) -> None:
    found = entities(text)
    assert len({(one.name.casefold(), one.type) for one in found}) == len(found)
    assert entities(unicodedata.normalize("NFKC", text)) == found


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["a", "a-", "a ", "Aa ", "Aa", "/a ", "1. ", "a_ ", "Ab of ", "王", "在", "叫小", ": a", "“"],
)
def test_long_runs_of_one_thing_are_read_in_linear_time(piece: str) -> None:
    short, long = (_cpu_seconds(piece * count) for count in (2_000, 16_000))
    assert long < 24 * max(short, 0.004)


def test_two_writings_of_one_name_have_one_key() -> None:
    assert entity_key("Blue  Heron") == entity_key("blue heron") == entity_key("Ｂｌｕｅ Heron")
    assert entity_key("Blue Heron") != entity_key("BlueHeron")


def _cpu_seconds(text: str) -> float:
    begun = time.process_time()
    entities(text)
    return time.process_time() - begun
