"""F17: an event that the projector refuses is tried three times, parked, and replayed once."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.events import (
    EpisodeCommitted,
    FeedbackGiven,
    MemoryCorrected,
    MemoryDeleted,
    MemoryTagged,
)
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from projections.generation import ViewDirectory
from projections.retry import request_retry, retry_parked
from projections.runner import ProjectionRunner
from projections.state.projector import StateProjector
from projections.state.view import StateView
from projections.status import read_status
from tests.distilled_histories import distil
from tests.histories import START, Historian
from tests.projections.faulty import Poisoned
from tests.projections.running import QUICK, running
from tests.servers import LogServer, eventually
from tests.state_tables import assert_state_equals_log, tables_of


def test_a_poison_event_is_tried_three_times_and_what_follows_queues_until_the_retry(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    memory, other = historian.remember("first"), historian.remember("apart")
    poison = historian.change(
        memory, MemoryCorrected(content="second", source="owner_message", agent_id="a")
    )
    tagged = historian.change(memory, MemoryTagged(tags=["x"]))
    untouched = historian.change(other, MemoryTagged(tags=["y"]))
    wrapped: list[Poisoned] = []

    def wrap(projector: StateProjector) -> Poisoned:
        wrapped.append(Poisoned(projector, [poison]))
        return wrapped[0]

    view = StateView(view_path)
    with running(log, view_path, wrap=wrap) as worker:
        worker.reaches(untouched)
        deleted = historian.change(memory, MemoryDeleted(agent_id="a"))
        worker.reaches(deleted)
        assert wrapped[0].tries[poison] == 3
        assert [(p.position, p.cause) for p in view.parked_events()] == [
            (poison, "poison"),
            (tagged, "queued"),
            (deleted, "queued"),
        ]
        assert view.memory(memory, now=START).content == "first"  # type: ignore[union-attr]
        assert view.memory(other, now=START).tags == ["y"]  # type: ignore[union-attr]
        assert_state_equals_log(view_path, log.url, log.name)

        request_retry(view_path)
        worker.shows(lambda status: status.retries == 1)
        assert view.parked() == 3, "it still refuses"
        assert wrapped[0].tries[poison] == 4

        wrapped[0].mend()
        wrapped[0].applied.clear()
        request_retry(view_path)
        worker.shows(lambda status: status.retries == 2)
        assert wrapped[0].applied == [poison, tagged, deleted]
        assert worker.status.parked == view.parked() == 0
        assert view.checkpoint().position == deleted

        after = historian.change(other, MemoryTagged(tags=["z"]))
        worker.reaches(after)
    view.close()
    assert_state_equals_log(view_path, log.url, log.name)


@pytest.mark.parametrize("batch", [500, 3, 1])
def test_a_parked_event_is_told_to_whoever_waits_for_its_command_and_to_no_other(
    log: RedisLog, view_path: Path, historian: Historian, batch: int
) -> None:
    """Also when the command lies across several batches of the runner."""
    before = historian.commit() and historian.position
    memory = historian.new_id()
    body = EpisodeCommitted(agent_id="h", namespace="shared", content="x", source="agent_inference")
    episodes = [("Episode", historian.new_id(), body) for _ in range(3)]
    poison = before + 2
    last = historian.write(episodes[0], ("Memory", memory, MemoryTagged(tags=["x"])), *episodes[1:])
    after = historian.commit() and historian.position

    view = StateView(view_path)
    for stop_at in (last - 1, after):  # another worker takes over within the command
        with running(
            log, view_path, wrap_source=partial(Few, number=batch, last=stop_at)
        ) as worker:
            worker.reaches(stop_at)
    for position in (before, before + 1, after):
        assert view.parked_events(position, position) == []
    for position in range(poison, last + 1):
        (parked,) = view.parked_events(position, position)
        assert (parked.position, parked.cause) == (poison, "poison")
    view.close()


class Few:
    """A source that gives at most ``number`` entries at once and none behind ``last``."""

    def __init__(self, inner: Subscription, number: int, last: int) -> None:
        self._inner = inner
        self._number = number
        self._last = last

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        left = self._last - self._inner.checkpoint.position
        return self._inner.read(min(self._number, left), wait_s) if left > 0 else []

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        return self._inner.checkpoint_at(entry)


def test_a_value_that_the_tables_cannot_hold_is_an_error_of_its_event(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    memory = historian.remember()
    huge = historian.change(memory, FeedbackGiven(verdict="useful", agent_id="a", weight=2**63))
    last = historian.position + 1
    historian.commit()
    with running(log, view_path) as worker:
        worker.reaches(last)
        assert worker.status.state == "running"
    view = StateView(view_path)
    (parked,) = view.parked_events()
    assert (parked.position, parked.cause) == (huge, "poison")
    view.close()


def test_parked_events_survive_the_worker_and_are_replayed_by_the_next(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    memory = historian.remember()
    poison = historian.change(memory, MemoryTagged(tags=["x"]))
    with running(log, view_path, wrap=lambda inner: Poisoned(inner, [poison])) as worker:
        worker.reaches(poison)
    behind = historian.change(memory, MemoryTagged(tags=["y"]))
    with running(log, view_path) as worker:
        worker.reaches(behind)
        assert worker.status.parked == 2
        request_retry(view_path)
        worker.shows(lambda status: status.parked == 0)
    assert_state_equals_log(view_path, log.url, log.name)


def test_a_memory_that_comes_after_its_sessions_close_leaves_no_count_of_recalls(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    """Served on a node whose view showed it, and shown by this one only after its end."""
    memory = historian.remember(namespace="hermes-ephemeral", session_id="s-1")
    created = historian.position - 2
    historian.recall([memory])
    historian.close_session("hermes-ephemeral", "s-1")
    with running(log, view_path, wrap=lambda inner: Poisoned(inner, [created])) as worker:
        worker.reaches(historian.position)
        assert worker.status.parked > 0
    assert_state_equals_log(view_path, log.url, log.name)
    with running(log, view_path) as worker:
        request_retry(view_path)
        worker.shows(lambda status: status.parked == 0)
    assert_state_equals_log(view_path, log.url, log.name)


@pytest.mark.parametrize("born", ["memory", "candidate", "episode"])
@pytest.mark.parametrize("together", [True, False])
def test_what_is_erased_while_its_creation_is_parked_leaves_what_it_leaves_on_other_nodes(
    log: RedisLog, view_path: Path, historian: Historian, born: str, together: bool
) -> None:
    """Whether parked in the same commit as the erasure or long before."""
    gone = historian.commit()
    poison = historian.position
    if born != "episode":
        (gone,) = distil(historian, gone, "a text", propose=born == "candidate")
        poison += 1
        historian.recall([gone])
    before = historian.position
    if together:
        historian.erase(gone)
    with running(log, view_path, wrap=lambda inner: Poisoned(inner, [poison])) as worker:
        worker.reaches(before)
        if not together:
            assert worker.status.parked > 0
            historian.erase(gone)
        worker.reaches(historian.position)
        worker.shows(lambda status: status.parked == 0)
    assert tables_of(view_path)["removed"].keys() == {gone}
    assert_state_equals_log(view_path, log.url, log.name)


def test_what_went_with_its_session_unseen_and_is_erased_then_changes_its_namespace(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    place = {"namespace": "hermes-ephemeral", "session_id": "s-1"}
    gone = historian.commit(**place)
    poison = historian.position
    historian.close_session("hermes-ephemeral", "s-1")
    historian.erase(gone)
    with running(log, view_path, wrap=lambda inner: Poisoned(inner, [poison])) as worker:
        worker.reaches(historian.position)
        worker.shows(lambda status: status.parked == 0)
    assert_state_equals_log(view_path, log.url, log.name)


HISTORIES = given(seed=st.integers(0, 10**6), data=st.data())
UNHURRIED = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@settings(UNHURRIED, max_examples=8)
@HISTORIES
def test_whatever_was_parked_and_retried_the_view_ends_as_if_nothing_had_been(
    log_server: LogServer,
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    data: st.DataObject,
) -> None:
    park_and_retry(log_server, tmp_path_factory.mktemp("parked"), seed, data)


@pytest.mark.slow
@settings(UNHURRIED, max_examples=300)
@HISTORIES
def test_whatever_was_parked_and_retried_the_view_ends_as_if_nothing_had_been_300_times(
    log_server: LogServer,
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    data: st.DataObject,
) -> None:
    park_and_retry(log_server, tmp_path_factory.mktemp("parked"), seed, data)


def park_and_retry(log_server: LogServer, root: Path, seed: int, data: st.DataObject) -> None:
    """Poison some events of a history, retry in part and then wholly; compare after each step."""
    view_path = root / "views" / "state"
    with RedisLog(log_server.url, f"parked-{root.name}") as log:
        historian = Historian(log, seed)
        for _ in range(3):
            historian.live_on(20)
            historian.evaluate()
            historian.erase_some()
            historian.erase_some_of_sessions()
        positions = st.integers(1, historian.position)
        poison = data.draw(st.sets(positions, min_size=1, max_size=8), label="poison")
        retries = data.draw(st.integers(1, 3), label="retries")

        directory = ViewDirectory(view_path)
        projector = StateProjector(directory.live)
        poisoned = Poisoned(projector, poison)
        codec = Codec(KeyRing(log.subject_keys))
        with Subscription(log.url, log.name, projector.checkpoint()) as source:
            runner = ProjectionRunner(directory, poisoned, source, log, codec, pace=QUICK)
            stop = threading.Event()
            thread = threading.Thread(target=runner.run, args=(stop,))
            thread.start()
            eventually(
                lambda: (
                    (s := read_status(view_path)) is not None and s.position == historian.position
                )
            )
            stop.set()
            thread.join(20)
            runner.close()
        assert_state_equals_log(view_path, log.url, log.name)
        for _ in range(retries):
            poisoned.poison = {p for p in poisoned.poison if historian.random.random() < 0.5}
            retry_parked(poisoned, log, codec)
            assert_state_equals_log(view_path, log.url, log.name)
        poisoned.mend()
        report = retry_parked(poisoned, log, codec)
        assert report.still_parked == 0
        assert projector.parked() == []
        projector.close()
        directory.close()
        assert_state_equals_log(view_path, log.url, log.name)
