"""Age alone lowers no talk, distilled or not; what happened to a memory since counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from bench.real_stack import RealStack
from domain.policies.confidence import initial_confidence
from domain.settings import DEFAULT_POLICY
from projections.state.rows import MemoryRow
from queries.signals import nudge
from queries.stages import EVERY_STAGE
from queries.worth import worths_of
from tests.commands.speaking import Hand, Speaker
from tests.queries.asking import ask, settle
from tests.queries.distilling import distil
from tests.queries.test_items import MEMORY

NOW = datetime(2026, 3, 1, 15, tzinfo=UTC)
CLASSES = ["system_fact", "user_pref", "proj_context", "tool_usage", "code_snippet"]

ages = st.floats(0, 40_000).map(lambda days: timedelta(days=days))


@st.composite
def left_alone(draw: st.DrawFn) -> MemoryRow:
    """What was distilled at some time of something said at another, and then nobody looked at."""
    clarity = draw(st.floats(0, 1))
    return structs.replace(
        MEMORY,
        decay_class=draw(st.sampled_from(CLASSES)),
        distilled_by=draw(st.sampled_from(["rules", "a-model"])),
        clarity=clarity,
        confidence=initial_confidence(clarity, DEFAULT_POLICY),
        observed_at=draw(st.none() | ages.map(lambda age: NOW - age)),
        created_at=NOW - draw(ages),
    )


def factor(row: MemoryRow) -> float:
    [worth] = worths_of([row], NOW, DEFAULT_POLICY)
    return nudge(worth)


@given(left_alone())
def test_what_was_distilled_and_left_alone_keeps_its_score(row: MemoryRow) -> None:
    assert factor(row) == pytest.approx(1.0)


@given(left_alone(), ages, st.floats(0, 3), st.integers(0, 4))
def test_what_bears_a_memory_out_raises_it_and_what_is_held_against_it_lowers_it(
    row: MemoryRow, ago: timedelta, gained: float, votes: int
) -> None:
    attended = structs.replace(
        row, confidence=row.confidence + gained, last_reinforced_at=NOW - ago, tier="core"
    )
    if NOW - ago >= max(row.created_at, row.observed_at or row.created_at):
        assert factor(attended) >= 1.0 - 1e-9
    assert factor(structs.replace(row, useful=votes)) >= 1.0 - 1e-9
    assert factor(structs.replace(row, not_useful=votes)) <= 1.0 + 1e-9


def test_reinforced_a_month_ago_is_worth_more_than_left_for_a_year() -> None:
    old = structs.replace(MEMORY, created_at=NOW - timedelta(days=365))
    again = structs.replace(old, confidence=1.1, last_reinforced_at=NOW - timedelta(days=20))
    # The confidence is 1.1 against 1 - 12 · 0.05, and the importance more than double.
    expected = 1.0 + 0.03 * 0.7 + 0.02 * 1.0
    assert factor(again) == pytest.approx(expected)
    assert factor(old) == 1.0


def test_what_was_given_as_a_statement_ages() -> None:
    stated = structs.replace(MEMORY, distilled_by="caller")
    factors = [
        factor(structs.replace(stated, created_at=NOW - timedelta(days=days)))
        for days in (0, 40, 90, 400)
    ]
    assert factors == sorted(factors, reverse=True)
    assert factors[0] == pytest.approx(1.0, abs=1e-3)
    assert factors[-1] < 0.97


def test_old_talk_does_not_sink_for_having_been_distilled(
    stack: RealStack, hermes: Speaker, clock: Hand
) -> None:
    long_ago = clock.now - timedelta(days=900)
    said = hermes.commit("the relay hangs in rack 4", observed_at=long_ago).episode_id
    other = hermes.commit("the relay was seen to in its rack", observed_at=long_ago).episode_id
    [memory] = distil(stack, hermes, said, "the relay hangs in rack 4")
    clock.move(days=700)  # the memory is old by then too
    settle(stack)
    query = "in which rack is the relay"
    asked = {one.id: one.score for one in ask(stack, hermes, query).results}
    assert asked.keys() == {memory, other}
    stack.stages = structs.replace(EVERY_STAGE, signals=False)
    alone = {one.id: one.score for one in ask(stack, hermes, query).results}
    assert asked[memory] / asked[other] >= alone[memory] / alone[other] - 1e-9
