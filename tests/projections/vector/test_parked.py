"""A view that set events aside and shows them late says what one says that was never held up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from domain import events as facts
from domain.events import Event
from projections.digest import ViewDigest
from projections.parking import ParkedEvent, Parking
from projections.vector.digest import digest_vector
from tests.projections.vector.histories import History
from tests.projections.vector.places import Place, checkpoint_after

EPHEMERAL = {"namespace": "h-ephemeral", "session_id": "s-1"}


def distilled(history: History, episode: str, memory: str, *, again: bool = False) -> Event:
    """Let an episode come to a memory, or say one ``again``."""
    body = facts.EpisodeDistilled(
        memory_ids=[] if again else [memory],
        reinforced_ids=[memory] if again else [],
        distiller="rules",
    )
    return history.add("Episode", episode, body)


def a_correction_before_the_memory_was_said_again(history: History) -> set[int]:
    first, later = history.commit("the port is 8080"), history.commit("the port is 9090, as said")
    memory = history.create("the port is 8080", derived_from=[first])
    distilled(history, first, memory)
    late = history.correct(memory, "the port is 9090")
    distilled(history, later, memory, again=True)
    return {late.position}


def a_memory_that_was_corrected_before_its_session_was_closed(history: History) -> set[int]:
    memory = history.create("the port is 8080", **EPHEMERAL)
    late = history.events[-1].position
    corrected = history.correct(memory, "the port is 9090")
    history.close_session(**EPHEMERAL)
    return {late, corrected.position}


def an_episode_that_said_a_memory_again_before_it_was_erased(history: History) -> set[int]:
    memory = history.create("the port is 8080")
    episode = history.commit("the port is 8080, as I said")
    late = history.events[-1].position
    again = distilled(history, episode, memory, again=True)
    history.erase(episode)
    return {late, again.position, again.position + 1}


def a_memory_that_was_corrected_and_erased_before_it_was_seen(history: History) -> set[int]:
    episode = history.commit("the port is 8080 and the proxy is nginx")
    memory = history.create("the port is 8080", derived_from=[episode])
    late = history.events[-1].position
    distilled(history, episode, memory)
    corrected = history.correct(memory, "the port is 9090")
    history.erase(memory)
    return {late, late + 1, corrected.position, corrected.position + 1}


@pytest.mark.parametrize(
    "happened",
    [
        a_correction_before_the_memory_was_said_again,
        a_memory_that_was_corrected_before_its_session_was_closed,
        an_episode_that_said_a_memory_again_before_it_was_erased,
        a_memory_that_was_corrected_and_erased_before_it_was_seen,
    ],
)
def test_what_comes_late_leaves_the_digest_of_a_view_that_was_never_held_up(
    tmp_path: Path, happened: Callable[[History], set[int]]
) -> None:
    """Also where its writer was started anew meanwhile."""
    history = History()
    late = happened(history)
    with closing(Place(tmp_path / "in order")) as in_order:
        in_order.project(history.events)
        expected = digest_of(in_order)
    with closing(Place(tmp_path / "late")) as place:
        for event in history.events:
            parked = event.position in late
            place.projector.apply(
                [] if parked else [event],
                checkpoint_after(event),
                Parking(added=(set_aside(event),) if parked else ()),
            )
        place.reopen()
        for event in still_parked(place, history):
            released = Parking(released=(event.position,))
            place.projector.apply([event], place.projector.checkpoint(), released)
        assert digest_of(place) == expected


def digest_of(place: Place) -> ViewDigest:
    return digest_vector(place.directory.live)


def still_parked(place: Place, history: History) -> Iterator[Event]:
    waiting = {parked.position for parked in place.projector.parked()}
    return (event for event in history.events if event.position in waiting)


def set_aside(event: Event) -> ParkedEvent:
    return ParkedEvent(
        position=event.position,
        key=event.aggregate_id,
        type=event.type,
        cause="poison",
        reason="as the test wills",
    )
