"""Relations by pattern: every sentence of the tables, exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.distillation.relations import relations
from tests.domain.relation_cases import CHINESE, ENGLISH

NAMES = {
    "IS", "USES", "DEPENDS_ON", "LISTENS_ON", "RUNS_ON", "PROVIDES", "PART_OF", "LOCATED_IN",
    "PREFERS", "HAS",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [*ENGLISH, *CHINESE])
def test_a_sentence_states_exactly_these(text: str, expected: tuple[str, ...]) -> None:
    found = tuple(f"{one.subject} {one.relation} {one.object}" for one in relations(text))
    assert found == expected


def test_the_tables_hold_sixty_sentences_a_language() -> None:
    for table in (ENGLISH, CHINESE):
        assert len({text for text, _ in table}) >= 60


@settings(max_examples=100)
@given(st.one_of(st.text(max_size=120), st.sampled_from([t for t, _ in (*ENGLISH, *CHINESE)])))
def test_any_text_gives_named_relations_between_two_things(text: str) -> None:
    for one in relations(text):
        assert one.relation in NAMES
        assert "" not in (one.subject.strip(), one.object.strip())


def test_sentences_one_after_the_other_state_what_each_states() -> None:
    text = " ".join(text for text, _ in ENGLISH[:12])
    expected = [line for _, lines in ENGLISH[:12] for line in lines]
    found = [f"{one.subject} {one.relation} {one.object}" for one in relations(text)]
    assert found == list(dict.fromkeys(expected))
