"""The pure part: what events make of rows, in order and when some come late from parking."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from domain import events as facts
from domain.events import Event
from projections.erased import erased_things
from projections.projector import PoisonEvent
from projections.vector.digest import counted
from projections.vector.fold import fold
from projections.vector.needs import closed_session
from projections.vector.schema import Row
from projections.vector.turns import sessions_of
from projections.vector.working_rows import ClosedSession, WorkingRows
from tests.oracle_vector import stretches_of
from tests.projections.vector.histories import History, happen
from tests.projections.vector.places import differences


def all_rows(rows: WorkingRows, history: History) -> list[Row]:
    sources = {event.aggregate_id for event in history.events}
    return [row for source in sources for row in rows.of(source)]


def rows_are_what_looking_back_says(data: st.DataObject, most: int) -> None:
    history = History()
    for _ in range(data.draw(st.integers(1, most))):
        happen(history, data)
    rows = WorkingRows({session: {} for session in sessions_of(history.events)})
    fold(rows, history.events)
    assert differences(all_rows(rows, history), stretches_of(history.facts())) == []


class Reader:
    """Does with each event what the runner does: apply it, or set it aside by its key."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.rows = WorkingRows()
        self.closed: list[ClosedSession] = []
        self.parked: list[Event] = []

    def take(self, event: Event, *, readable: bool = True) -> None:
        if readable and event.aggregate_id not in {one.aggregate_id for one in self.parked}:
            try:
                self._fold(event)
            except PoisonEvent:
                pass
            else:
                return
        self.parked.append(event)

    def retry(self) -> None:
        waiting, self.parked = self.parked, []
        for event in waiting:
            self.take(event)

    def _fold(self, event: Event) -> None:
        # Into a copy: a batch that fails changes nothing.
        after = WorkingRows()
        after.load(all_rows(self.rows, self.history))
        after.gone |= self.rows.gone
        after.reinforced |= self.rows.reinforced
        fold(after, [event], self.closed)
        self.rows = after
        gone = erased_things([event])
        self.parked = [one for one in self.parked if one.aggregate_id not in gone]
        if session := closed_session(event):
            self.closed.append(session)


def late_events_leave_what_they_would_have_left(data: st.DataObject, most: int) -> None:
    history = History()
    for _ in range(data.draw(st.integers(1, most))):
        happen(history, data)
    # A session's close or an erasure has no sealed text, so nothing but damage can park it; then
    # rows born under it are ended late, and what happened to them in between has happened.
    always_read = ("SessionClosed", "SubjectErased")
    unreadable = {
        event.position
        for event in history.events
        if event.type not in always_read and data.draw(st.integers(0, 3)) == 0
    }
    reader = Reader(history)
    for event in history.events:
        reader.take(event, readable=event.position not in unreadable)
        if data.draw(st.integers(0, 5)) == 0:
            reader.retry()
    while reader.parked:
        before = len(reader.parked)
        reader.retry()
        assert len(reader.parked) < before
    # Rows that went with their session show nothing: how many stretches they had is not kept.
    shown = [row for row in all_rows(reader.rows, history) if row.content]
    expected = {k: told for k, told in stretches_of(history.facts()).items() if told["content"]}
    # One that comes late stands at the end of its session.
    assert [one for one in differences(shown, expected) if one[1] != "session_seq"] == []
    in_order = WorkingRows({session: {} for session in sessions_of(history.events)})
    fold(in_order, history.events)
    assert digested(all_rows(reader.rows, history)) == digested(all_rows(in_order, history))


def digested(rows: list[Row]) -> dict[str, dict[str, Any]]:
    """Give what counts in the view's digest, by row."""
    told = ((row.id, counted(asdict(row))) for row in rows)
    return {row_id: row for row_id, row in told if row is not None}


FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(
    max_examples=1000,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking these takes minutes
    suppress_health_check=list(HealthCheck),
)


@FEW
@given(st.data())
def test_rows_are_what_looking_back_over_the_whole_history_says(data: st.DataObject) -> None:
    rows_are_what_looking_back_says(data, 25)


@FEW
@given(st.data())
def test_events_that_come_late_from_parking_leave_the_rows_they_would_have_left_in_order(
    data: st.DataObject,
) -> None:
    late_events_leave_what_they_would_have_left(data, 15)


@pytest.mark.slow
@MANY
@given(st.data())
def test_rows_of_long_histories_are_what_looking_back_says(data: st.DataObject) -> None:
    rows_are_what_looking_back_says(data, 60)


@pytest.mark.slow
@MANY
@given(st.data())
def test_late_events_of_long_histories_leave_what_they_would_have_left(
    data: st.DataObject,
) -> None:
    late_events_leave_what_they_would_have_left(data, 30)


def test_a_long_episode_of_a_closed_session_leaves_the_rows_that_a_rebuild_without_its_key_makes():
    def told(content: str) -> list[Row]:
        history, rows = History(), WorkingRows()
        place = {"namespace": "h-ephemeral", "session_id": "s-1"}
        history.commit(content, **place)
        history.close_session(**place)
        fold(rows, history.events)
        return all_rows(rows, history)

    lived = told(" ".join(f"sentence number {n}." for n in range(2000)))
    assert lived == told("[erased]")
    assert [row.content for row in lived] == [""]


def test_of_what_was_erased_no_row_is_left_and_its_episode_is_not_recalled_for_it():
    history, rows = History(), WorkingRows()
    episode = history.commit("the port is 8080 and the proxy is nginx")
    memory = history.create("the port is 8080", derived_from=[episode])
    history.correct(memory, "the port is 9090")
    history.erase(memory)
    fold(rows, history.events)
    assert rows.of(memory) == []
    [row] = rows.of(episode)
    assert row.superseded
    assert row.changed_memories == (f"corrected:{memory}", f"gone:{memory}")


def test_a_correction_that_comes_late_leaves_alone_what_was_said_after_it():
    history = History()
    first, later = history.commit("the port is 8080"), history.commit("the port is 9090, as said")
    memory = history.create("the port is 8080", derived_from=[first])
    correction = history.correct(memory, "the port is 9090")
    again = facts.EpisodeDistilled(memory_ids=[], reinforced_ids=[memory], distiller="rules")
    history.add("Episode", later, again)
    reader = Reader(history)
    for event in history.events:
        reader.take(event, readable=event is not correction)
    reader.retry()
    assert reader.parked == []
    [row] = reader.rows.of(later)
    assert not row.superseded
    [row] = reader.rows.of(first)
    assert row.superseded
