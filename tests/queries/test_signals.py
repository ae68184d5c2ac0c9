"""What is known of a memory moves its score: bounded, the right way, and never by itself."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from bench.real_stack import RealStack
from domain.settings import DEFAULT_POLICY, PolicySettings
from queries.signals import Signals, bound, nudge
from queries.stages import EVERY_STAGE
from tests.commands.speaking import Hand, Speaker
from tests.queries.asking import ask, settle

bounds = st.floats(0.0, 0.1)
policies = st.builds(
    PolicySettings,
    nudge_confidence=bounds,
    nudge_importance=bounds,
    nudge_quality=bounds,
    nudge_freshness=bounds,
)
worth = st.builds(
    Signals,
    confidence=st.floats(0.0, 50.0),
    importance=st.floats(0.0, 50.0),
    useful=st.integers(0, 1000),
    not_useful=st.integers(0, 1000),
    freshness=st.sampled_from(["fresh", "stale", "verified"]),
)


@given(worth, policies)
def test_a_score_moves_within_the_bounds(signals: Signals, policy: PolicySettings) -> None:
    assert abs(nudge(signals, policy) - 1.0) <= bound(policy) + 1e-12


@given(worth, worth, policies, st.floats(0.01, 1.0))
def test_no_result_passes_one_that_is_farther_ahead_than_the_bounds(
    one: Signals, other: Signals, policy: PolicySettings, score: float
) -> None:
    behind = score * (1 - bound(policy)) / (1 + bound(policy))
    assert behind * nudge(one, policy) <= score * nudge(other, policy) + 1e-9


@given(worth, policies)
def test_more_of_any_good_sign_never_lowers_a_score(
    signals: Signals, policy: PolicySettings
) -> None:
    now = nudge(signals, policy)
    for better in (
        structs.replace(signals, confidence=signals.confidence + 0.1),
        structs.replace(signals, importance=signals.importance * 1.1 + 0.01),
        structs.replace(signals, useful=signals.useful + 1),
        structs.replace(signals, freshness="verified"),
    ):
        assert nudge(better, policy) >= now - 1e-12
    for worse in (
        structs.replace(signals, not_useful=signals.not_useful + 1),
        structs.replace(signals, freshness="stale"),
    ):
        assert nudge(worse, policy) <= now + 1e-12


def test_what_nobody_has_judged_keeps_its_score() -> None:
    assert nudge(Signals()) == 1.0
    assert bound(DEFAULT_POLICY) == pytest.approx(0.12)


def test_votes_decide_between_memories_that_answer_alike(stack: RealStack, hermes: Speaker) -> None:
    good = hermes.remember("restart the relay with systemctl restart relay").memory_id
    poor = hermes.remember("restart the relay by pulling its plug").memory_id
    settle(stack)
    before = {one.id: one.score for one in ask(stack, hermes, "restart the relay").results}
    for _ in range(4):
        hermes.useful(good)
        hermes.not_useful(poor)
    settle(stack)
    after = {one.id: one.score for one in ask(stack, hermes, "restart the relay").results}
    assert after[good] / after[poor] > before[good] / before[poor]
    stack.stages = structs.replace(EVERY_STAGE, signals=False)
    alone = {one.id: one.score for one in ask(stack, hermes, "restart the relay").results}
    assert alone == pytest.approx(before)


def test_a_memory_just_stated_and_an_episode_keep_the_scores_of_their_texts(
    stack: RealStack, hermes: Speaker, clock: Hand
) -> None:
    hermes.remember("the relay stands in rack 4")
    hermes.commit("somebody looked after the relay", observed_at=clock.now - timedelta(days=900))
    settle(stack)
    asked = {one.id: one.score for one in ask(stack, hermes, "where is the relay").results}
    stack.stages = structs.replace(EVERY_STAGE, signals=False)
    alone = {one.id: one.score for one in ask(stack, hermes, "where is the relay").results}
    assert asked == pytest.approx(alone)
