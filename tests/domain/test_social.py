"""What is social is told from what is not: by labelled messages, and by what no message may do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.policies.social import MOST_CHARACTERS, is_social
from domain.policies.social_phrases import ADDITIONS, KIND_WORDS
from tests.domain import social_utterances as said

_LISTS = (said.SOCIAL_ENGLISH, said.OTHER_ENGLISH, said.SOCIAL_CHINESE, said.OTHER_CHINESE)


def test_the_labelled_lists_are_long_enough_and_name_nothing_twice() -> None:
    for utterances in _LISTS:
        assert len(set(utterances)) == len(utterances) >= 120


@pytest.mark.parametrize("utterances", [said.SOCIAL_ENGLISH, said.SOCIAL_CHINESE])
def test_greetings_thanks_and_farewells_are_social(utterances: list[str]) -> None:
    assert [text for text in utterances if not is_social(text)] == []


@pytest.mark.parametrize("utterances", [said.OTHER_ENGLISH, said.OTHER_CHINESE])
def test_what_asks_orders_or_tells_something_is_not(utterances: list[str]) -> None:
    assert [text for text in utterances if is_social(text)] == []


_KNOWN = frozenset("".join([*KIND_WORDS, *ADDITIONS]))
_social = st.sampled_from(sorted(KIND_WORDS))
_other = st.sampled_from(
    [text for text in said.OTHER_CHINESE if {c for c in text if c.isalpha()} - _KNOWN]
)


@given(_social, _other, st.sampled_from([" ", ", ", "! ", "，", "\n"]))
@settings(max_examples=100)
def test_a_kind_word_beside_a_message_does_not_make_it_social(
    kind: str, message: str, between: str
) -> None:
    assert not is_social(kind + between + message)
    assert not is_social(message + between + kind)


@given(st.sampled_from([*said.SOCIAL_ENGLISH, *said.SOCIAL_CHINESE]), st.integers(0, 99_999))
@settings(max_examples=150)
def test_a_number_or_a_name_makes_a_social_message_one_like_any_other(
    message: str, number: int
) -> None:
    assert not is_social(f"{message} port {number}")
    assert not is_social(f"Zoltan {message}")


@given(
    st.sampled_from([*said.SOCIAL_ENGLISH, *said.SOCIAL_CHINESE]),
    st.sampled_from(["", " ", "\n", "!", "！", "。", "…", "~", " 🙏", "👍🏽", "❤️"]),
)
@settings(max_examples=150)
def test_case_punctuation_blanks_and_emoji_change_nothing(message: str, tail: str) -> None:
    assert is_social(f"  {message}{tail} ")
    if message.isascii():
        assert is_social(message.upper())


@given(st.text(max_size=MOST_CHARACTERS + 20))
@settings(max_examples=60)
def test_any_text_has_an_answer_and_a_long_one_is_never_social(text: str) -> None:
    assert not is_social(text) or len(text) <= MOST_CHARACTERS
