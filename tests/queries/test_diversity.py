"""Maximal marginal relevance: the formula, its ends, and what counts as a repetition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from bench.real_stack import RealStack
from inference.calibration import pair_of
from inference.nano_e5 import calibration
from memoryweave.contract import Recall
from queries.diversity import ALIKE, MOST, Comparable, repetition, selected, stretched
from queries.near_identical import values
from queries.stages import EVERY_STAGE
from tests.commands.speaking import Speaker
from tests.queries.asking import settle

scores = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8)


def similar(data: st.DataObject, size: int) -> np.ndarray:
    found = np.eye(size)
    for i in range(size):
        for j in range(i):
            found[i, j] = found[j, i] = data.draw(st.floats(0.0, 1.0))
    return found


@settings(max_examples=60)
@given(st.data(), scores, st.floats(0.0, 1.0))
def test_each_choice_has_the_most_of_the_formula(
    data: st.DataObject, relevance: list[float], diversity: float
) -> None:
    similarity = similar(data, len(relevance))
    order = selected(relevance, similarity, diversity)
    assert sorted(order) == list(range(len(relevance)))
    scaled = stretched(relevance)
    for step, chosen in enumerate(order):
        before = order[:step]

        def marginal(one: int, before: list[int] = before) -> float:
            most = max((similarity[one, other] for other in before), default=0.0)
            return (1 - diversity) * scaled[one] + diversity * (1 - most)

        assert marginal(chosen) == pytest.approx(max(marginal(one) for one in order[step:]))


@given(st.data(), scores)
def test_without_diversity_it_is_the_order_of_relevance(
    data: st.DataObject, relevance: list[float]
) -> None:
    order = selected(relevance, similar(data, len(relevance)), 0.0)
    assert order == sorted(range(len(relevance)), key=lambda one: -stretched(relevance)[one])


@given(scores, st.floats(0.0, 0.99))
def test_where_nothing_repeats_relevance_decides(relevance: list[float], diversity: float) -> None:
    order = selected(relevance, np.zeros((len(relevance),) * 2), diversity)
    shown = [relevance[one] for one in order]
    assert shown == pytest.approx(sorted(relevance, reverse=True), abs=1e-9)


@given(scores)
def test_relevance_is_stretched_to_the_whole_range_in_its_order(relevance: list[float]) -> None:
    scaled = stretched(relevance)
    assert ((scaled >= 0) & (scaled <= 1)).all()
    assert scaled.max() == 1.0
    for one, at in zip(relevance, scaled, strict=True):
        for other, there in zip(relevance, scaled, strict=True):
            assert (one > other) <= (at >= there)


def text(direction: float | None, words: str = "some words") -> Comparable:
    vector = None
    if direction is not None:
        vector = np.array([np.cos(direction), np.sin(direction)], dtype=np.float32)
    return Comparable(text=words, vector=vector)


def test_only_what_is_more_than_alike_repeats() -> None:
    texts = [text(0.0), text(np.arccos(0.9)), text(np.arccos(0.7)), text(np.arccos(0.7))]
    found = repetition(texts, lambda cosine, pair: cosine)
    assert found[0] == pytest.approx([MOST, 0.9 - ALIKE, 0.0, 0.0], abs=1e-6)
    assert found[2, 3] == pytest.approx(MOST, abs=1e-6)
    assert np.array_equal(found, found.T)


_WORDS = ["port 80", "port 81", "not port 80", "端口是八十", "端口 port 是 80", "some words"]
_TURNS = st.lists(st.tuples(st.none() | st.floats(0.0, 1.6), st.sampled_from(_WORDS)), max_size=12)


@settings(max_examples=100)
@given(_TURNS)
def test_leaving_out_pairs_that_cannot_be_alike_changes_nothing(
    turns: list[tuple[float | None, str]],
) -> None:
    texts = [text(direction, words) for direction, words in turns]
    found = repetition(texts, calibration())
    for i, one in enumerate(texts):
        for j, other in enumerate(texts):
            if i == j:
                assert found[i, j] == MOST
            elif values(one.text) != values(other.text):
                assert found[i, j] == 0.0
            elif one.vector is not None and other.vector is not None:
                pair = pair_of("document", one.text, other.text)
                alike = calibration()(float(one.vector @ other.vector), pair)
                assert found[i, j] == pytest.approx(max(0.0, alike - ALIKE), abs=1e-9)


def test_another_value_is_no_repetition() -> None:
    texts = [text(0.0, "port 80"), text(0.0, "port 81"), text(0.0, "not port 80")]
    found = repetition(texts, lambda cosine, pair: cosine)
    assert found[np.triu_indices(3, 1)].tolist() == [0.0, 0.0, 0.0]


def test_rows_without_a_vector_are_compared_by_their_words() -> None:
    texts = [text(None, "a b c d"), text(None, "a b c d"), text(0.0, "a b c d"), text(None, "a x")]
    found = repetition(texts, lambda cosine, pair: cosine)
    assert found[0, 1] == found[0, 2] == pytest.approx(MOST)
    assert found[0, 3] == 0.0


def test_a_rewording_makes_room_as_far_as_it_is_asked_to(stack: RealStack, hermes: Speaker) -> None:
    for said in (
        "The staging database runs on port 5433",
        "Port 5433 is where the staging database runs",
        "The staging database is wiped every Sunday",
    ):
        hermes.remember(said)
    settle(stack)
    query = "staging database port"

    def found(diversity: float) -> list[str]:
        request = Recall(query=query, top_k=3, diversity=diversity)
        results = stack.recall(request, hermes.caller).results
        shown = [result.score for result in results]
        assert shown == sorted(shown, reverse=True)
        return [result.content for result in results]

    assert {"5433" in one for one in found(0.0)[:2]} == {True}
    assert "wiped" in found(1.0)[1]
    stack.stages = structs.replace(EVERY_STAGE, diversity=False)
    assert found(1.0) == found(0.0)
