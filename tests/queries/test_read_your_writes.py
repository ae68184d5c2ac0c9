"""Waiting for a position, against views and a clock that the test moves."""

from __future__ import annotations

import pytest

from domain.errors import ViewBehind, ViewDegraded
from eventlog.subscription import Checkpoint
from projections.parking import ParkedEvent
from queries.read_your_writes import pending_views, require_position


class View:
    """A view that advances by ``step`` positions each time it is looked at."""

    def __init__(
        self, position: int, step: int = 0, parked: tuple[tuple[int, int], ...] = ()
    ) -> None:
        self.position = position
        self.step = step
        self.parked = parked
        self.looks = 0

    def checkpoint(self) -> Checkpoint:
        self.looks += 1
        self.position += self.step if self.looks > 1 else 0
        return Checkpoint(position=self.position)

    def parked_events(self, first: int = 1, last: int | None = None) -> list[ParkedEvent]:
        return [
            ParkedEvent(position=at, key="k", type="T", cause="poison", reason="r", through=through)
            for at, through in self.parked
            if max(at, through) >= first and (last is None or at <= last)
        ]


class Time:
    """A clock that moves only when somebody pauses."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


def test_views_that_are_there_are_not_waited_for(time: Time) -> None:
    views = {"state": View(7), "vector": View(9)}
    assert pending_views(7, views, 2.0, monotonic=time.monotonic, pause=time.pause) == []
    assert time.now == 0.0


def test_a_slower_view_is_waited_for_and_the_others_are_not_asked_again(time: Time) -> None:
    state, vector = View(7), View(0, step=1)
    views = {"state": state, "vector": vector}
    assert pending_views(7, views, 2.0, monotonic=time.monotonic, pause=time.pause) == []
    assert 0.0 < time.now < 2.0
    assert state.looks == 1


def test_what_has_not_come_in_time_is_named(time: Time) -> None:
    views = {"vector": View(6), "state": View(7), "graph": View(0)}
    late = pending_views(7, views, 2.0, monotonic=time.monotonic, pause=time.pause)
    assert late == ["graph", "vector"]
    assert time.now == pytest.approx(2.0, abs=0.02)
    with pytest.raises(ViewBehind, match="graph, vector"):
        require_position(7, views, 2.0, monotonic=time.monotonic, pause=time.pause)


def test_no_time_to_wait_still_looks_once(time: Time) -> None:
    assert pending_views(1, {"state": View(1)}, 0.0, monotonic=time.monotonic) == []
    assert pending_views(2, {"state": View(1)}, 0.0, monotonic=time.monotonic) == ["state"]


def test_an_event_of_the_callers_command_that_was_set_aside_is_told() -> None:
    for parked, through in ((2000, 2000), (1997, 2000), (1997, 2003)):
        with pytest.raises(ViewDegraded, match=str(parked)):
            require_position(2000, {"state": View(5000, parked=((parked, through),))})


def test_an_event_of_another_command_that_was_set_aside_does_not_matter() -> None:
    for parked, through in ((2001, 2001), (1999, 1999), (1990, 1999), (1999, 0)):
        require_position(2000, {"state": View(5000, parked=((parked, through),))})
