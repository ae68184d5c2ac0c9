"""The five scores and the hard rules, on utterances labelled by hand and on any others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.scoring_fit import accuracy, fitted
from domain.distillation.gate import judged
from domain.distillation.hard_rules import skip_reason
from domain.policies import scoring_cues, scoring_weights
from domain.policies.scoring import (
    WEIGHTS,
    Scores,
    density,
    is_worth_distilling,
    scores,
    scores_of,
)
from domain.policies.scoring_features import FEATURES, OPPOSING, SUPPORTING, features
from domain.settings import PolicySettings
from tests.domain.worth import KEPT, TARGETS, halves, utterances

_SAID = utterances()
_texts = st.sampled_from([one.text for one in _SAID]) | st.text(max_size=80)
_share = st.floats(0, 1)


def test_at_least_150_utterances_of_each_language_are_labelled_none_twice() -> None:
    for language in ("en", "zh"):
        texts = [one.text for one in _SAID if one.language == language]
        assert len(texts) == len(set(texts)) >= 250
    assert {one.kind for one in _SAID} == TARGETS.keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nine_in_ten_are_let_through_or_stopped_as_labelled(language: str) -> None:
    fitting, judging = halves()
    assert accuracy([one for one in fitting if one.language == language]) >= 0.93
    assert accuracy([one for one in judging if one.language == language]) >= 0.9


def test_sentences_of_both_languages_at_once_are_judged_like_others() -> None:
    assert accuracy([one for one in _SAID if one.language == "mixed"]) >= 0.9


def test_small_talk_and_questions_to_the_world_are_stopped_by_a_hard_rule() -> None:
    for kind in ("small_talk", "world_question"):
        said = [one for one in _SAID if one.kind == kind]
        reasons = [judged(one.talk(), task_status=None).skip_reason for one in said]
        assert reasons.count("chit_chat") >= 0.9 * len(said)


def test_no_hard_rule_stops_what_is_worth_keeping() -> None:
    kept = [one for one in _SAID if one.is_kept]
    stopped = [one.text for one in kept if skip_reason(one.talk(), task_status=None)]
    assert len(stopped) <= 0.02 * len(kept), stopped


def test_what_says_little_is_stopped_by_its_density_if_it_is_not_small_talk() -> None:
    said = [one for one in _SAID if one.kind == "low_density"]
    reasons = [judged(one.talk(), task_status=None).skip_reason for one in said]
    assert set(reasons) == {"low_density", "chit_chat"}
    assert reasons.count("low_density") >= 0.7 * len(said)


def test_the_weights_are_those_that_the_labels_give() -> None:
    bias, weights = fitted(halves()[0])
    written = np.array([scoring_weights.WEIGHTS[name] for name in FEATURES]).T
    np.testing.assert_allclose(np.array(scoring_weights.BIAS), bias, atol=0.02)
    np.testing.assert_allclose(written, weights, atol=0.02)


def test_no_weight_goes_against_its_feature() -> None:
    for name, row in scoring_weights.WEIGHTS.items():
        assert all(weight >= 0 if name in SUPPORTING else weight <= 0 for weight in row), name


@given(st.lists(_share, min_size=len(FEATURES), max_size=len(FEATURES)), st.data())
def test_no_score_falls_when_more_speaks_for_a_sentence(
    read: list[float], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(FEATURES))
    place = FEATURES.index(name)
    more = [*read]
    more[place] = data.draw(st.floats(read[place], 1))
    low, high = (scores_of(read), scores_of(more))
    if name in OPPOSING:
        low, high = high, low
    before, after = low.as_dict(), high.as_dict()
    assert all(before[score] <= after[score] for score in before)
    assert is_worth_distilling(high) or not is_worth_distilling(low)


@given(st.lists(_share, min_size=5, max_size=5), st.integers(0, 4), _share)
def test_overall_is_the_weighted_sum_and_rises_with_each_score(
    five: list[float], place: int, by: float
) -> None:
    rated = Scores(*five)
    counted = sum(weight * score for weight, score in zip(WEIGHTS.values(), five, strict=True))
    assert rated.overall == pytest.approx(counted)
    assert list(WEIGHTS.values()) == [0.20, 0.20, 0.15, 0.25, 0.20]
    raised = Scores(*(min(1.0, s + by) if i == place else s for i, s in enumerate(five)))
    assert raised.overall >= rated.overall
    assert list(rated.as_dict()) == [*WEIGHTS, "overall"]


@pytest.mark.parametrize(
    ("five", "worth"),
    [
        ((0.7, 0.7, 0.7, 0.7, 0.7), False),
        ((0.71, 0.71, 0.71, 0.71, 0.71), True),
        ((0.0, 0.0, 0.0, 0.8, 0.0), False),
        ((0.0, 0.0, 0.0, 0.81, 0.0), True),
    ],
)
def test_an_episode_is_distilled_above_either_bound(
    five: tuple[float, float, float, float, float], worth: bool
) -> None:
    assert is_worth_distilling(Scores(*five)) is worth


def test_the_bounds_are_the_owners_to_set() -> None:
    rated = scores("My sister Nadia is a nurse in Leeds.")
    assert is_worth_distilling(rated)
    strict = PolicySettings(distil_overall_above=1.0, distil_durability_above=1.0)
    assert not is_worth_distilling(rated, strict)


@given(_texts)
@settings(max_examples=100)
def test_every_score_feature_and_density_lies_in_0_to_1(text: str) -> None:
    assert all(0 <= score <= 1 for score in scores(text).as_dict().values())
    assert all(0 <= value <= 1 for value in features(text))
    assert 0 <= density(text) <= 1


@given(st.sampled_from(_SAID), st.sampled_from(_SAID))
@settings(max_examples=100)
def test_nothing_that_is_said_beside_it_takes_from_a_text(one: object, other: object) -> None:
    first, second = getattr(one, "text", ""), getattr(other, "text", "")
    both = f"{first}\n\n{second}"
    for alone in (first, second):
        assert density(both) >= density(alone)
        assert is_worth_distilling(scores(both)) or not is_worth_distilling(scores(alone))


def test_an_answer_is_worth_more_than_the_same_words_unasked() -> None:
    asked = [one for one in _SAID if one.asked]
    for one in asked:
        unasked = features(one.text)
        assert scores_of(features(one.text, answers=True)).overall > scores_of(unasked).overall
    assert len(asked) == sum(one.kind == "answer" for one in _SAID)


@pytest.mark.parametrize(
    "name", [name for name in dir(scoring_cues) if name.isupper()], ids=str.casefold
)
def test_no_cue_is_found_in_nothing(name: str) -> None:
    assert getattr(scoring_cues, name).search("") is None
    assert getattr(scoring_cues, name).search("xyzzy") is None


def test_the_kinds_that_are_kept_are_meant_to_score_enough() -> None:
    for kind, five in TARGETS.items():
        assert is_worth_distilling(Scores(*five)) is (kind in KEPT), kind
