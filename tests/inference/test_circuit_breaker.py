"""The circuit breaker, against a clock that the test turns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.circuit_breaker import CircuitBreaker


class TurnedClock:
    """A monotonic clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_opens_after_failures_in_a_row_and_refuses_until_the_cooldown_ends() -> None:
    clock = TurnedClock()
    breaker = CircuitBreaker(clock, failures=3, cooldown_s=10)
    for _ in range(3):
        assert breaker.allow()
        breaker.failed()
    assert breaker.state == "open"
    clock.now += 9.9
    assert not breaker.allow()
    clock.now += 0.1
    assert breaker.state == "half_open"
    assert breaker.allow()


def test_a_success_in_between_starts_the_count_anew() -> None:
    breaker = CircuitBreaker(TurnedClock(), failures=2)
    breaker.failed()
    breaker.succeeded()
    breaker.failed()
    assert breaker.state == "closed"


def test_half_open_lets_one_call_through_and_its_success_closes() -> None:
    clock = TurnedClock()
    breaker = CircuitBreaker(clock, failures=1, cooldown_s=5)
    breaker.failed()
    clock.now += 5
    assert breaker.allow()
    assert not breaker.allow()
    breaker.succeeded()
    assert breaker.state == "closed"
    assert breaker.allow()
    assert breaker.allow()


def test_a_failed_try_opens_again_for_a_whole_cooldown() -> None:
    clock = TurnedClock()
    breaker = CircuitBreaker(clock, failures=1, cooldown_s=5)
    breaker.failed()
    clock.now += 5
    assert breaker.allow()
    breaker.failed()
    clock.now += 4.9
    assert not breaker.allow()
    clock.now += 0.1
    assert breaker.allow()


def test_a_try_whose_outcome_is_lost_does_not_block_for_ever() -> None:
    clock = TurnedClock()
    breaker = CircuitBreaker(clock, failures=1, cooldown_s=5)
    breaker.failed()
    clock.now += 5
    assert breaker.allow()
    clock.now += 5
    assert breaker.allow()


@pytest.mark.parametrize(("failures", "cooldown_s"), [(0, 1.0), (1, 0.0)])
def test_limits_that_make_no_sense_are_refused(failures: int, cooldown_s: float) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        CircuitBreaker(TurnedClock(), failures=failures, cooldown_s=cooldown_s)


@given(st.lists(st.sampled_from(["fail", "succeed", "wait"]), max_size=40), st.integers(1, 4))
def test_it_refuses_only_within_a_cooldown_of_the_last_failure(
    steps: list[str], failures: int
) -> None:
    clock = TurnedClock()
    breaker = CircuitBreaker(clock, failures=failures, cooldown_s=10)
    in_a_row, last_failure = 0, float("-inf")
    for step in steps:
        if step == "wait":
            clock.now += 4
        elif breaker.allow():
            if step == "fail":
                breaker.failed()
                in_a_row, last_failure = in_a_row + 1, clock.now
            else:
                breaker.succeeded()
                in_a_row = 0
        else:
            assert in_a_row >= failures
            assert clock.now - last_failure < 10
