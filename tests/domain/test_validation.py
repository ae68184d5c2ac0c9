"""Passive validation: each rule and its bounds, and what bears nothing out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from domain.distillation.entities import entities
from domain.distillation.finding import Talk
from domain.distillation.known import Known
from domain.distillation.relations import relations
from domain.policies.terms import terms
from domain.policies.validation import (
    FEWEST_MEMORIES,
    TermShare,
    Validation,
    count_terms,
    overlap_coefficient,
    validations,
)
from domain.settings import DEFAULT_POLICY
from tests.domain.entity_cases import CHINESE, ENGLISH

AT = datetime(2026, 3, 1, tzinfo=UTC)
LIGHTHOUSE = "The lighthouse of Tavira is being restored."
LAMP = "The gateway listens on port 8080."
TEA = "许晴收藏冻顶乌龙茶，茶具放在木架上。"

GAIN = DEFAULT_POLICY.verification_delta
FAINT_GAIN = 0.0
MOST = DEFAULT_POLICY.verifications_per_episode
RARE = DEFAULT_POLICY.verification_rare_share
SHORTLIST = DEFAULT_POLICY.verification_shortlist


def talk(content: str, speaker: str | None = None) -> Talk:
    return Talk(
        episode_id="e", content=content, source="owner_message", said_at=AT, speaker=speaker
    )


def known(content: str, memory_id: str = "m") -> Known:
    return Known(
        memory_id=memory_id,
        content=content,
        entities=entities(content),
        relations=relations(content),
    )


def shares(memories: Sequence[str]) -> TermShare:
    counts = Counter(term for memory in memories for term in terms(memory))
    return lambda term: counts[term] / max(len(memories), FEWEST_MEMORIES)


def borne_out(said: str, memory: str, others: Sequence[str] = (), **who: str) -> list[Validation]:
    return validations(talk(said, **who), [known(memory)], shares([memory, *others]))


@pytest.mark.parametrize(
    ("said", "memory", "rule"),
    [
        ("We drove to Tavira to see the lighthouse.", LIGHTHOUSE, "P1"),
        ("As I said, the gateway listens on port 8080.", LAMP, "P1"),
        ("The cliffs by the lighthouse are crumbling.", "She paints lighthouses and cliffs.", "P2"),
        ("冻顶乌龙茶和茶具都在木架上。", TEA, "P2"),
        ("网关监听8080端口，没有变。网关监听8080端口。", "网关监听8080端口。", "P1"),
    ],
)
def test_what_is_said_of_the_same_thing_bears_a_memory_out(
    said: str, memory: str, rule: str
) -> None:
    assert [(one.rule, one.delta) for one in borne_out(said, memory)] == [(rule, GAIN)]


@pytest.mark.parametrize(
    ("said", "memory"),
    [
        ("Did we drive to Tavira to see the lighthouse?", LIGHTHOUSE),
        ("The gateway listens on port 9090 now.", LAMP),
        ("The gateway does not listen on port 8080.", LAMP),
        ("网关端口改成了9090。", "网关监听8080端口。"),
        ("网关不再监听8080端口。", "网关监听8080端口。"),
        ("Thanks, Ingrid!", "Ingrid prefers jasmine tea."),
        ("I had a great time, it was really nice.", "It was great to have a nice time."),
        ("今天真的很开心，谢谢你的建议。", "他觉得今天真的很开心。"),
        ("I prefer jasmine.", "I prefer oolong."),
        ("assistant: The lighthouse on the cliffs near Tavira is old.\nuser: I see.", LIGHTHOUSE),
        ("", LIGHTHOUSE),
    ],
)
def test_these_bear_nothing_out(said: str, memory: str) -> None:
    assert borne_out(said, memory) == []


def test_what_another_person_says_of_himself_is_not_said_of_her() -> None:
    said = "I paint lighthouses and cliffs."
    memory = "Ingrid paints lighthouses and cliffs."
    assert borne_out(said, memory, speaker="Ingrid")
    assert not borne_out(said, memory, speaker="Bruno")
    assert borne_out("Ingrid paints lighthouses and cliffs.", memory, speaker="Bruno")


def test_an_agents_words_bear_nothing_out() -> None:
    said = "We drove to Tavira to see the lighthouse."
    assert borne_out(said, LIGHTHOUSE, speaker="user")
    assert not borne_out(said, LIGHTHOUSE, speaker="assistant")
    assert not borne_out(f"[Notes] {said}", LIGHTHOUSE, speaker="assistant")


def test_what_everybody_names_is_no_sign() -> None:
    said = "We drove to Tavira to see the lighthouse."
    everybody = [f"Tavira has a lighthouse, number {n}." for n in range(60)]
    assert borne_out(said, LIGHTHOUSE, everybody[:0])
    assert not borne_out(said, LIGHTHOUSE, everybody)


@pytest.mark.parametrize(
    ("size", "holders", "rare"), [(1, 1, True), (49, 2, False), (100, 2, True)]
)
def test_a_term_is_rare_in_one_memory_or_in_two_percent(
    size: int, holders: int, rare: bool
) -> None:
    memories = ["lighthouse"] * holders + ["something else"] * (size - holders)
    assert (shares(memories)("lighthous") <= RARE) is rare


TOWNS = ("Tavira", "Faro", "Sagres", "Olhao", "Lagos", "Silves", "Loule")


def test_of_many_the_surest_five_are_borne_out_and_only_fifteen_looked_at() -> None:
    said = " ".join(f"We climbed the lighthouse of {town}." for town in TOWNS)
    memories = [f"Ingrid saw the lighthouse at {town}." for town in TOWNS]
    shortlist = [known(content, f"m{at}") for at, content in enumerate(memories)]
    found = validations(talk(said), shortlist, shares(memories))
    assert [one.memory_id for one in found] == [f"m{at}" for at in range(MOST)]
    late = [known("Nothing.", f"x{at}") for at in range(SHORTLIST)]
    assert validations(talk(said), [*late, *shortlist], shares(memories)) == []


def test_a_sentence_bears_out_the_one_memory_of_which_it_says_the_most() -> None:
    memories = [LIGHTHOUSE, "The lighthouse of Tavira.", "The lighthouse near Tavira has cliffs."]
    shortlist = [known(content, str(at)) for at, content in enumerate(memories)]
    found = validations(talk("We saw the lighthouse of Tavira."), shortlist, lambda _term: 0.01)
    assert [one.memory_id for one in found] == ["1"]


def test_a_talk_does_not_bear_itself_out() -> None:
    said, memory = "We drove to Tavira to see the lighthouse.", known(LIGHTHOUSE)
    own = structs.replace(memory, session_id="today")
    share = shares([LIGHTHOUSE])
    assert validations(talk(said), [own], share, session_id="today") == []
    for elsewhere in ("tomorrow", None):
        assert len(validations(talk(said), [own], share, session_id=elsewhere)) == 1
    assert len(validations(talk(said), [memory], share, session_id=None)) == 1


def test_the_words_of_a_memory_scattered_over_a_long_episode_bear_nothing_out() -> None:
    far = "Nothing happened on that windy morning. The harbour was empty. "
    said = f"The lighthouse is old. {far}The cliffs are steep. {far}Tavira is a town."
    assert borne_out("The cliffs of Tavira and the lighthouse.", LIGHTHOUSE)
    assert not borne_out(said, LIGHTHOUSE)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("木箱里青瓷花瓶碎裂，账本受潮。", [("P3", GAIN)]),
        ("青瓷花瓶碎裂，账本受潮。", [("P3", FAINT_GAIN)]),
        ("青瓷花瓶碎裂，窗台积满尘土。", []),
    ],
)
def test_few_chinese_pairs_only_count_and_more_of_them_gain(
    said: str, expected: list[tuple[str, float]]
) -> None:
    # Where no term is rare, P3 is the only rule.
    memory = known("阁楼木箱藏着青瓷花瓶，摆满账本。")
    found = validations(talk(said), [memory], lambda _term: 0.05)
    assert [(one.rule, one.delta) for one in found] == expected


_SETS = st.frozensets(st.sampled_from("甲乙丙丁戊己庚辛"), max_size=8)


@settings(max_examples=50)
@given(_SETS, _SETS)
def test_the_overlap_coefficient_is_the_shared_part_of_the_smaller(
    one: frozenset[str], other: frozenset[str]
) -> None:
    value = overlap_coefficient(one, other)
    assert 0.0 <= value <= 1.0
    assert value == overlap_coefficient(other, one)
    assert (value == 1.0) == (bool(one and other) and (one <= other or other <= one))
    assert (value == 0.0) == (not one & other)


@settings(max_examples=50)
@given(st.text("海边灯塔旧木船帆", min_size=1, max_size=12), st.data())
def test_pairs_that_overlap_count_as_one_word(text: str, data: st.DataObject) -> None:
    pairs = sorted(terms(text))
    shared = frozenset(data.draw(st.lists(st.sampled_from(pairs)) if pairs else st.just([])))
    count = count_terms(shared, text)
    assert count <= len(text) // 2
    assert count <= len(shared)
    assert (count == 0) == (not shared)


_TEXTS = st.lists(st.sampled_from([text for text, _ in (*ENGLISH, *CHINESE)]), max_size=2)


@settings(max_examples=25, deadline=None)
@given(_TEXTS.map(" ".join), st.lists(st.sampled_from([t for t, _ in ENGLISH]), max_size=16))
def test_any_talk_bears_out_few_of_its_shortlist_each_once_by_a_known_gain(
    said: str, memories: list[str]
) -> None:
    shortlist = [known(content, str(at)) for at, content in enumerate(memories)]
    found = validations(talk(said), shortlist, shares(memories))
    assert len(found) <= MOST
    assert len({one.memory_id for one in found}) == len(found)
    assert {one.memory_id for one in found} <= {one.memory_id for one in shortlist[:SHORTLIST]}
    assert all(one.delta in (GAIN, FAINT_GAIN) for one in found)
    assert found == sorted(found, key=lambda one: (-one.delta, one.rule))
    assert found == validations(talk(said), shortlist, shares(memories))


@settings(max_examples=25, deadline=None)
@given(_TEXTS.map(" ".join))
def test_nothing_is_borne_out_where_every_term_is_everywhere(said: str) -> None:
    plain = [known(f"xyzzy {said}")]
    found = validations(talk(said), plain, lambda _term: 1.0)
    assert all(one.rule == "P1" for one in found)


def test_terms_leave_out_the_words_of_any_talk() -> None:
    assert terms("I really don't think that it's the right time") == frozenset()
    assert terms("我真的不知道应该怎么办") == frozenset()
    assert terms("Two lighthouses on port 8080") >= {"lighthous", "8080", "port"}
    assert terms("我昨天喝了冻顶乌龙") == {"冻顶", "顶乌", "乌龙"}


def test_the_numbers_of_the_policy_are_those_that_count() -> None:
    said = "We drove to Tavira to see the lighthouse."

    def found(**changed: float) -> list[tuple[str, float]]:
        policy = structs.replace(DEFAULT_POLICY, **changed)
        shortlist, share = [known(LIGHTHOUSE)], shares([LIGHTHOUSE])
        borne = validations(talk(said), shortlist, share, policy=policy)
        return [(one.rule, one.delta) for one in borne]

    assert found() == [("P1", 0.15)]
    assert found(verification_delta=0.3) == [("P1", 0.3)]
    assert found(verification_rare_share=0.001) == []
    assert found(verification_coverage=1.0) == []
    assert found(verifications_per_episode=0) == []
