"""Which texts are one result, and which stay two whatever they look like."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from bench.real_stack import RealStack
from memoryweave.contract import Recall
from projections.vector.lexical import document_tokens
from queries.near_identical import once, values, wording
from queries.stages import EVERY_STAGE
from tests.commands.speaking import Speaker
from tests.queries.asking import ask, settle

SAME = [
    ("The gateway listens on port 8188.", "the gateway listens on port 8188"),
    ("Use the config at /etc/mw.toml!", "use config at /etc/mw.toml"),
    ("网关监听 8188 端口。", "网关监听8188端口"),
    ("网关监听８１８８端口", "网关监听8188端口"),
    ('He said "no".', "He said no"),
    ("Restart the node…", "restart node"),
]
DIFFERENT = [
    ("port 8188", "port 8189"),
    ("port 8188", "port 818"),
    ("version 1.2", "version 12"),
    ("version 1.2", "version 1.2.1"),
    ("it costs -5", "it costs 5"),
    ("set MAX_RETRIES", "set max_retries"),
    ("open /etc/mw.toml", "open /etc/mw.tom"),
    ("copy .env", "copy env"),
    ("written in C++", "written in C"),
    ("from A to B", "from B to A"),
    ("the alarm is on", "the alarm is not on"),
    ("it is done", "it is done?"),
    ("take vitamin A", "take vitamin"),
    ("dose 0.5", "dose .5"),
    ("10%", "10"),
    ("网关监听 8188 端口", "网关监听 8189 端口"),
    ("他来了", "他没来"),
    ("请求失败", "求失败"),
    ("user-id 7", "user id 7"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_dress_makes_no_difference(one: str, other: str) -> None:
    assert wording(one) == wording(other)
    assert len(grouped(one, other)) == 1


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_whatever_says_another_thing_stays_another(one: str, other: str) -> None:
    assert wording(one) != wording(other)
    assert len(grouped(one, other)) == 2


def test_numbers_names_and_negations_are_values() -> None:
    assert values("MAX_RETRIES is 5, not 6; see /etc/mw.toml") == {
        "MAX_RETRIES",
        "5",
        "6",
        "not",
        "/etc/mw.toml",
    }
    assert values("he doesn't like it") == values("他不喜欢") == {"not"}
    assert values("we like tea") == frozenset()


texts = st.lists(
    st.sampled_from(
        ["The", "port", "Port", "8188", "8189", "a", "端口", "not", "?", "…", "v1.2", "."]
    ),
    max_size=5,
).map(" ".join)


@given(st.lists(texts, max_size=8))
def test_groups_are_exactly_the_equal_wordings_in_order(said: list[str]) -> None:
    groups = grouped(*said)
    members = [text for first, others in groups for text in (first, *others)]
    assert sorted(members) == sorted(said)
    for first, others in groups:
        assert all(wording(other) == wording(first) for other in others)
    assert len({wording(text) for text in said}) == len(groups)
    assert [first for first, _ in groups] == list(dict.fromkeys(first for first, _ in groups))


@given(texts)
def test_values_do_not_depend_on_dress(text: str) -> None:
    assert values(f"({text})") == values(text)


def test_equal_texts_come_once_with_a_count_and_a_changed_port_does_not_count(
    stack: RealStack, hermes: Speaker
) -> None:
    said = ["the relay uses port 7001", "The relay uses port 7001.", "the relay uses port 7002"]
    first, again, changed = (hermes.commit(text).episode_id for text in said)
    remembered = hermes.remember("relay uses port 7001").memory_id
    settle(stack)
    answer = ask(stack, hermes, "which port does the relay use")
    by_id = {result.id: result for result in answer.results}
    assert by_id.keys() - {first, again, remembered} == {changed}
    assert by_id[changed].copies == 0
    [kept] = by_id.keys() - {changed}
    assert by_id[kept].copies == 2
    assert {kept, *by_id[kept].copy_ids} == {first, again, remembered}
    stack.stages = structs.replace(EVERY_STAGE, once=False)
    assert len(ask(stack, hermes, "which port does the relay use").results) == 4


def test_the_same_words_of_another_speaker_or_day_are_another_event(
    stack: RealStack, hermes: Speaker
) -> None:
    may, june = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
    for speaker, day in (("Ada", may), ("Ada", june), ("Ben", may), ("Ada", may)):
        hermes.commit("we had pancakes", speaker=speaker, observed_at=day)
    settle(stack)
    results = stack.recall(Recall(query="pancakes"), hermes.caller).results
    assert sorted(result.copies for result in results) == [0, 0, 1]


def test_lines_that_were_imported_under_ids_of_their_own_are_shown_by_these(
    stack: RealStack, hermes: Speaker
) -> None:
    for line in ("line 1", "line 2"):
        hermes.commit("the bakery opens at seven", metadata={"external_id": line})
    settle(stack)
    results = ask(stack, hermes, "when does the bakery open").results
    assert {result.metadata["external_id"] for result in results} == {"line 1", "line 2"}


def grouped(*said: str) -> list[tuple[str, list[str]]]:
    return once(said, lambda text: text, lambda text: "".join(document_tokens(text)))
