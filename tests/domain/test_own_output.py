"""What was served and comes back is taken out; what says anything else stays word for word."""

from __future__ import annotations

import html
import random
import textwrap
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.policies.context_block import CLOSING, PREFIX, line
from domain.policies.own_output import without_own_output
from domain.policies.quoted_block import without_blocks
from domain.policies.restatement import KnownTexts, known_texts
from domain.policies.served_text import Served
from tests.domain.own_output_cases import (
    CHINESE,
    ENGLISH,
    FURTHER_CHINESE,
    FURTHER_ENGLISH,
    TURNED_ROUND,
    Case,
)

AT = datetime(2026, 5, 1, tzinfo=UTC)
NEWS = {
    "english": "By the way, we moved the office to the fourth floor of the Harbour House.",
    "chinese": "对了，我们把办公室搬到了海港大厦四楼。",
}
LANGUAGES = {"english": ENGLISH, "chinese": CHINESE}
FURTHER = {"english": FURTHER_ENGLISH, "chinese": FURTHER_CHINESE}
LEAST_KNOWN = {"english": 0.9, "chinese": 0.88}
LEAST_KNOWN_OF_FURTHER = {"english": 0.7, "chinese": 0.6}
"""Share of the table's restatements that must be known. None of the others may be."""


def texts_of(cases: list[Case]) -> list[Served]:
    return [Served(case.served, f"memory-{at}") for at, case in enumerate(cases)]


def served(cases: list[Case]) -> KnownTexts:
    return known_texts(texts_of(cases))


def block(texts: list[str]) -> str:
    lines = "\n".join(line(text, 0.5 + at / 100, AT) for at, text in enumerate(texts))
    return f"{PREFIX}[memory]\n{lines}\n{CLOSING}"


def quoted(text: str) -> str:
    return "\n".join(f"> {part}" for part in text.splitlines())


FORMS = {
    "as it was": lambda texts: block(texts),
    "quoted": lambda texts: quoted(block(texts)),
    "quoted twice": lambda texts: quoted(quoted(block(texts))),
    "escaped": lambda texts: html.escape(block(texts)),
    "cut off": lambda texts: block(texts).removesuffix(CLOSING),
    "its lines alone": lambda texts: "\n".join(block(texts).splitlines()[3:-1]),
    "its lines, turned round": lambda texts: "\n".join(block(texts).splitlines()[-2:2:-1]),
    "indented": lambda texts: "\n".join(f"    {part}" for part in block(texts).splitlines()),
    "spaced out": lambda texts: block(texts).replace("\n", "\n\n"),
    "translated": lambda texts: block(texts).replace("confidence", "置信度"),
}
PLAIN_FORMS = {
    "sentences": lambda texts: " ".join(f"{text}." for text in texts),
    "a list": lambda texts: "\n".join(f"- {text}" for text in texts),
    "numbered": lambda texts: "\n".join(f"{at}. {text}" for at, text in enumerate(texts, 1)),
    "bold": lambda texts: "\n".join(f"**{text}**" for text in texts),
    "with a speaker": lambda texts: "\n".join(f"assistant: {text}" for text in texts),
    "wrapped": lambda texts: "\n".join(textwrap.wrap(" ".join(f"{t}." for t in texts), 50)),
    "upper case": lambda texts: "\n".join(text.upper() for text in texts),
}


def samples(cases: list[Case], count: int) -> list[list[str]]:
    chance = random.Random(7)
    return [chance.sample([case.served for case in cases], 1 + at % 4) for at in range(count)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_are_long_enough(language: str) -> None:
    cases = LANGUAGES[language]
    assert len(cases) * len(FORMS) + sum(len(case.again) for case in cases) >= 100
    assert sum(len(case.otherwise) for case in cases) >= 90


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", FORMS)
def test_a_block_is_taken_out_in_any_form_whether_or_not_it_is_known_what_was_served(
    form: str, language: str
) -> None:
    cases, news = LANGUAGES[language], NEWS[language]
    for texts in samples(cases, 12):
        came_back = FORMS[form](texts)
        for known in (served(cases), known_texts([])):
            alone = without_own_output(came_back, known)
            assert alone.rest == "", (form, alone.rest)
            for around in (f"{came_back}\n\n{news}", f"{news}\n\n{came_back}"):
                assert without_own_output(around, known).rest == news


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", PLAIN_FORMS)
def test_served_texts_are_taken_out_without_any_marks(form: str, language: str) -> None:
    cases, news = LANGUAGES[language], NEWS[language]
    for texts in samples(cases, 12):
        came_back = PLAIN_FORMS[form](texts)
        found = without_own_output(f"{came_back}\n{news}", served(cases))
        assert found.rest == news
        assert len(found.memories) == len(texts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_restatements_in_other_words_are_known(language: str) -> None:
    cases = LANGUAGES[language]
    again = [text for case in cases for text in case.again]
    missed = [text for text in again if without_own_output(text, served(cases)).rest]
    assert 1 - len(missed) / len(again) >= LEAST_KNOWN[language], missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_restatements_that_the_rules_were_not_made_from_are_known(language: str) -> None:
    cases = FURTHER[language]
    again = [text for case in cases for text in case.again]
    missed = [text for text in again if without_own_output(text, served(cases)).rest]
    assert 1 - len(missed) / len(again) >= LEAST_KNOWN_OF_FURTHER[language], missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_says_something_else_is_never_taken_out(language: str) -> None:
    cases = [*LANGUAGES[language], *FURTHER[language]]
    for text in [text for case in cases for text in case.otherwise]:
        for said in (text, f"{text}.", f"user: {text}", f"- {text}"):
            assert without_own_output(said, served(cases)).rest == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_other_number_is_news_wherever_it_stands(language: str) -> None:
    cases = [case for case in LANGUAGES[language] if any(map(str.isdigit, case.served))]
    assert len(cases) >= 12
    for case in cases:
        for at, character in enumerate(case.served):
            if character.isdigit():
                other = str((int(character) + 1) % 10)
                changed = case.served[:at] + other + case.served[at + 1 :]
                assert without_own_output(changed, served(cases)).rest == changed


def test_a_line_of_a_block_whose_number_was_changed_stays() -> None:
    text = "ComfyUI listens on port 8188 on the workstation"
    changed = block([text, "The owner likes tea"]).replace("8188", "8189")
    rest = without_own_output(changed, known_texts([Served(text, "m")])).rest
    assert "8189" in rest
    assert "tea" not in rest


def test_a_question_is_not_what_was_served() -> None:
    known = known_texts([Served("ComfyUI listens on port 8188", "m")])
    for question in ("Does ComfyUI listen on port 8188?", "ComfyUI监听8188端口吗？"):
        assert without_own_output(question, known).rest == question


def test_of_two_texts_no_third_is_made() -> None:
    known = known_texts(
        [
            Served("ComfyUI listens on port 8188", "a"),
            Served("Grafana listens on port 3000", "b"),
            Served("The standup is on Mondays at 9:00", "c"),
            Served("Deployments to production happen on Fridays", "d"),
        ]
    )
    for text in (
        "Grafana listens on port 8188",
        "ComfyUI listens on port 3000, Grafana on 8188",
        "Deployments to production: on Mondays at 9:00",
    ):
        assert without_own_output(text, known).rest == text


@pytest.mark.parametrize(("told", "said"), TURNED_ROUND)
def test_the_same_words_turned_round_are_news(told: str, said: str) -> None:
    assert without_own_output(said, known_texts([Served(told, "m")])).rest == said


def test_the_message_of_a_context_request_is_read_without_the_block_in_it() -> None:
    message = f"{block(['The owner likes tea'])}\nWhat do I like?"
    assert without_blocks(message) == "What do I like?"


_ANY_SERVED = texts_of([*ENGLISH, *CHINESE])


@given(st.text(max_size=300))
@settings(max_examples=80)
def test_a_text_that_was_never_served_stays_as_it_is(text: str) -> None:
    assert without_own_output(text, known_texts([])).rest == text
    found = without_own_output(text, known_texts(_ANY_SERVED))
    assert (found.rest, found.taken_out) == (text, 0)


_said = st.lists(
    st.sampled_from(
        [
            *NEWS.values(),
            *(case.served for case in (*ENGLISH, *CHINESE)),
            *(text for case in (*ENGLISH, *CHINESE) for text in (*case.again, *case.otherwise)),
        ]
    ),
    min_size=1,
    max_size=6,
)


@given(_said, st.sampled_from(["\n", " ", "\n\n"]), st.integers(0, 60))
@settings(max_examples=80)
def test_what_is_left_holds_all_news_in_order_and_nothing_more_is_taken_out_of_it(
    said: list[str], between: str, seed: int
) -> None:
    known = known_texts(random.Random(seed).sample(_ANY_SERVED, 20))
    text = between.join(said)
    rest = without_own_output(text, known).rest
    assert without_own_output(rest, known).rest == rest
    words = text.split()
    kept = rest.split()
    at = 0
    for word in kept:
        at = words.index(word, at) + 1
