"""How far a memory's confidence may rise: by seeing it again without end, by proofs up to 1.0."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import memory as memories
from domain import verification
from domain.memory import Memory
from tests.domain.building import created, event_of

STEP = 0.1
starts = st.floats(0.5, 1.0)
proofs = st.tuples(
    st.sampled_from([("P1", 0.15), ("P2", 0.15), ("P3", 0.15), ("P3", 0.0)]), st.integers(0, 30)
)


def begun(confidence: float) -> Memory:
    return memories.fold(None, event_of("Memory", 1, created(confidence=confidence)))


def after(memory: Memory, bodies: list) -> Memory:
    for body in bodies:
        memory = memories.fold(memory, event_of("Memory", memory.version + 1, body))
    return memory


def borne_out(memory: Memory, rule: str, delta: float, session: int) -> Memory:
    told = verification.verify(
        memory, rule, delta, episode_id=f"episode-{session}", session_id=f"s-{session}"
    )
    return after(memory, told)


@given(starts, st.lists(proofs, max_size=40))
@settings(max_examples=60)
def test_no_row_of_proofs_lifts_confidence_above_one_or_lowers_it(start, given_proofs):
    memory = begun(start)
    for (rule, delta), session in given_proofs:
        lifted = borne_out(memory, rule, delta, session)
        assert memory.confidence <= lifted.confidence <= 1.0 + 1e-12
        memory = lifted


@given(starts, st.integers(0, 60))
@settings(max_examples=30)
def test_seeing_it_again_lifts_confidence_by_a_tenth_each_time_without_end(start, times):
    memory = begun(start)
    for number in range(times):
        memory = after(memory, memories.reinforce(memory, f"again-{number}", STEP))
    assert memory.confidence == pytest.approx(start + STEP * times)


@given(st.integers(6, 60), st.lists(proofs, max_size=12))
@settings(max_examples=30)
def test_a_proof_neither_adds_to_nor_takes_from_what_is_above_one(times, given_proofs):
    memory = begun(0.5)
    for number in range(times):
        memory = after(memory, memories.reinforce(memory, f"again-{number}", STEP))
    seen = memory.confidence
    assert seen > 1.0
    for (rule, delta), session in given_proofs:
        memory = borne_out(memory, rule, delta, session)
    assert memory.confidence == seen


@given(starts, proofs)
@settings(max_examples=30)
def test_one_session_bears_a_memory_out_once(start, proof):
    (rule, delta), session = proof
    once = borne_out(begun(start), rule, delta, session)
    assert borne_out(once, rule, delta, session) == once
