"""What is found through the index is what looking at every text finds, among however many."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.policies.context_block import CUT
from domain.policies.own_output import without_own_output
from domain.policies.restatement import KnownTexts, known_texts
from domain.policies.served_index import JUST_SERVED, ServedIndex
from domain.policies.served_text import Served, bare, sentences_of
from domain.policies.statement import statement
from domain.settings import DEFAULT_POLICY
from queries.context_block import shortened
from tests.domain.own_output_cases import CHINESE, ENGLISH, FURTHER_CHINESE, FURTHER_ENGLISH

CASES = [*ENGLISH, *CHINESE, *FURTHER_ENGLISH, *FURTHER_CHINESE]
TEXTS = [case.served for case in CASES]
SAID = [*TEXTS, *(text for case in CASES for text in (*case.again, *case.otherwise))]
TURNS = [
    f"{speaker}: {' '.join(texts)}"
    for speaker, texts in zip(
        ["Ada", "宫晓燕", "AI"] * 20,
        [random.Random(at).sample(TEXTS, 1 + at % 5) for at in range(60)],
        strict=True,
    )
]

_texts = st.lists(st.sampled_from([*TEXTS, *TURNS]), min_size=1, max_size=25, unique=True)
_said = st.lists(st.sampled_from([*SAID, *TURNS]), min_size=1, max_size=4)
_between = st.sampled_from(["\n", " ", "\n\n", ", ", "\n- "])


class Everything(ServedIndex):
    """Leaves nothing out, so that whoever asks looks at every text."""

    def with_sentence(self, sentence: str) -> list[int]:
        return sorted(self._texts, reverse=True)

    def with_reference(self, marked: str) -> list[int]:
        return sorted(self._texts, reverse=True)

    def with_units(self, units: Iterable[str], missing: int = 0) -> list[int]:
        return sorted(self._texts, reverse=True)

    def begins_with_one_of(self, number: int, units: Iterable[str]) -> bool:
        return True


def known_by(index: ServedIndex, texts: list[str], visible: set[int]) -> KnownTexts:
    by_number = {number: Served(text, f"m{number}") for number, text in enumerate(texts)}
    for number, one in by_number.items():
        index.add(number, one.text)
    return KnownTexts(
        index,
        lambda numbers: {at: by_number[at] for at in numbers if at in visible},
        DEFAULT_POLICY,
    )


@given(_texts, _said, _between, st.sets(st.integers(0, 24)))
@settings(max_examples=80, deadline=None)
def test_the_index_leaves_out_nothing_that_decides(
    texts: list[str], said: list[str], between: str, visible: set[int]
) -> None:
    text = between.join(said)
    found = without_own_output(text, known_by(ServedIndex(1000), texts, visible))
    assert found == without_own_output(text, known_by(Everything(1000), texts, visible))


@given(_texts, _said, _between, st.sets(st.integers(0, 24)))
@settings(max_examples=80, deadline=None)
def test_what_was_served_to_others_decides_nothing(
    texts: list[str], said: list[str], between: str, visible: set[int]
) -> None:
    text = between.join(said)
    mine = [Served(one, f"m{at}") for at, one in enumerate(texts) if at in visible]
    found = without_own_output(text, known_by(ServedIndex(1000), texts, visible))
    assert found == without_own_output(text, known_texts(mine[::-1]))


@given(_texts, st.sets(st.integers(0, 24)))
@settings(max_examples=60, deadline=None)
def test_what_was_let_go_leaves_no_trace(texts: list[str], kept: set[int]) -> None:
    index, fresh = ServedIndex(1000), ServedIndex(1000)
    for number, text in enumerate(texts):
        index.add(number, text)
        if number in kept:
            fresh.add(number, text)
    index.keep_only(kept)
    assert len(index) == len(fresh)
    for text in texts:
        units = statement(text).units
        for missing in (0, 2):
            assert index.with_units(units, missing) == fresh.with_units(units, missing)
        for sentence in sentences_of(text):
            assert index.with_sentence(sentence) == fresh.with_sentence(sentence)
    index.keep_only(())
    assert len(index) == 0
    assert not index._by_feature
    assert index._held == 0


@given(st.sampled_from([*TURNS, *TEXTS]), st.integers(8, 120), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_text_that_was_cut_is_known_wherever_it_ends(
    text: str, limit: int, flattened: bool
) -> None:
    known = known_texts([Served(text, "m"), Served("Deployments happen on Fridays", "other")])
    came_back = shortened(text.replace(". ", ".\n"), limit)
    if came_back == CUT:
        return
    shown = " ".join(came_back.split()) if flattened else came_back
    assert without_own_output(shown, known).rest == ""


@pytest.mark.parametrize(
    "said",
    [
        f"The printer listens on port 91 {CUT}",
        f"The printer listens on port 9101 {CUT}",
        f"The printer lis {CUT}",
        f"The scanner listens {CUT}",
        "The printer listens on port 91",
    ],
)
def test_what_no_text_begins_with_is_news_though_it_is_marked_as_cut(said: str) -> None:
    known = known_texts([Served("The printer listens on port 9100 behind the VPN", "m")])
    assert without_own_output(said, known).rest == said


def test_an_index_holds_as_many_words_as_it_may_and_the_latest_texts() -> None:
    index = ServedIndex(10)
    texts = [f"{' '.join(f'word{at}x{i}' for i in range(60))} end" for at in range(40)]
    for number, text in enumerate(texts):
        index.add(number, text)
    assert 5 <= len(index) <= 10
    assert index._held <= 10 * 64
    assert index.with_sentence(bare(texts[-1])) == [39]
    assert index.with_sentence(bare(texts[0])) == []


COMMON = "friend walk home food music book week day morning town".split()  # noqa: SIM905


def _talk(count: int) -> list[str]:
    chance = random.Random(5)
    turns = (chance.sample(COMMON, 5) for _ in range(2 * count))
    return [" ".join(turn) for turn in turns if not set(turn).issuperset(COMMON[:4])][:count]


def test_everyday_words_tell_only_what_was_served_a_moment_ago() -> None:
    text = "Friends walk home with food"
    served = Served(f"Bob thought that {text.lower()}.", "m")
    others = list(map(Served, _talk(3000)))
    just_now = known_texts([*others[: JUST_SERVED - 1], served, *others[JUST_SERVED:]])
    long_ago = known_texts([*others[:JUST_SERVED], served, *others[JUST_SERVED:]])
    exactly = known_texts([*others, Served(f"{text}!", "m")])
    assert without_own_output(text, just_now).memories == ("m",)
    assert without_own_output(text, long_ago).rest == text
    assert without_own_output(text, exactly).memories == ("m",)


def test_rare_words_tell_whatever_was_served_since() -> None:
    served = Served("The printer of the studio listens on port 9100 behind the VPN", "m")
    known = known_texts([*map(Served, _talk(3000)), served])
    said = "As I recall, the studio printer is listening on port 9100."
    assert without_own_output(said, known).memories == ("m",)
    changed = "As I recall, the studio printer is listening on port 9101."
    assert without_own_output(changed, known).rest == changed


@pytest.mark.parametrize("units", [("zebra",), ("look", "good"), ()])
def test_the_rarer_the_words_the_longer_a_text_is_known_by_them(units: tuple[str, ...]) -> None:
    index = ServedIndex(5000)
    for number, text in enumerate(_talk(1500), 1):
        index.add(number, text)
    index.add(1501, "A zebra")
    first = index.first_not_by_chance(units)
    assert index.first_not_by_chance([*units, "good"]) <= first <= 1502 - JUST_SERVED
    assert index.first_not_by_chance([*units, "never-said"]) == 0
