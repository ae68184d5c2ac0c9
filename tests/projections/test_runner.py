"""How the runner spends its time, and what it tells of itself."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from domain.errors import LogUnavailable
from domain.events import Event, MemoryTagged
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint
from projections.generation import ViewDirectory
from projections.parking import NOTHING_PARKED, Parking
from projections.projector import PoisonEvent
from projections.retry import request_retry
from projections.runner import Pace, ProjectionRunner
from projections.state.projector import StateProjector
from projections.status import StatusFile, ViewStatus, read_status
from tests.histories import Historian
from tests.projections.faulty import Poisoned, Wrapped
from tests.projections.running import running
from tests.servers import eventually


class ScriptedSource:
    """Gives what the script says and keeps how long it was asked to wait; then sets ``stop``."""

    def __init__(self, script: Sequence[list[RawEntry] | Exception], stop: threading.Event) -> None:
        self._script = list(script)
        self._stop = stop
        self.waits: list[float] = []

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        self.waits.append(wait_s)
        given = self._script.pop(0)
        if not self._script:
            self._stop.set()
        if isinstance(given, Exception):
            raise given
        return given

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        return Checkpoint(entry.position, "epoch", entry.event_id)


def test_the_runner_waits_long_when_idle_and_hardly_when_work_is_left_between_batches(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(5)
    entries = log.read(1, historian.position)
    stop = threading.Event()
    source = ScriptedSource([[], [], entries, [], [], []], stop)
    left = [False, True, False, False]
    asked = []

    def between_batches() -> bool:
        asked.append(len(source.waits))
        return left.pop(0) if left else False

    directory = ViewDirectory(view_path)
    projector = StateProjector(directory.live)
    runner = ProjectionRunner(
        directory,
        projector,
        source,
        log,
        Codec(KeyRing(log.subject_keys)),
        between_batches=between_batches,
        pace=Pace(idle_s=0.5, busy_s=0.002),
    )
    runner.run(stop)
    idle, busy = 0.5, 0.002
    assert source.waits == [0.0, idle, busy, busy, idle, idle]
    assert asked == [1, 2, 3, 4, 5, 6], "after a batch too: a view that never rests needs upkeep"
    assert projector.checkpoint().position == historian.position
    runner.close()
    projector.close()
    directory.close()


def test_a_runner_that_makes_way_has_told_of_all_that_it_has_applied(
    log: RedisLog, view_path: Path, historian: Historian, monkeypatch: pytest.MonkeyPatch
) -> None:
    historian.live_on(5)
    stop, halt = threading.Event(), threading.Event()
    source = ScriptedSource([log.read(1, historian.position), []], stop)
    directory = ViewDirectory(view_path)
    projector = StateProjector(directory.live)
    applied = projector.apply

    def apply_and_be_asked_to_make_way(*arguments: object) -> None:
        applied(*arguments)
        halt.set()

    monkeypatch.setattr(projector, "apply", apply_and_be_asked_to_make_way)
    runner = ProjectionRunner(
        directory, projector, source, log, Codec(KeyRing(log.subject_keys)), pace=Pace(busy_s=0)
    )
    runner.run(stop, halt)
    told = read_status(view_path)
    assert told is not None
    assert told.position == projector.checkpoint().position > 0
    runner.close()
    projector.close()
    directory.close()


def test_pauses_grow_and_end_at_the_first_success(
    log: RedisLog, view_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    down = LogUnavailable("the log cannot be followed")
    source = ScriptedSource([down, down, down, down, [], down, []], stop)
    pauses: list[float] = []
    monkeypatch.setattr(stop, "wait", pauses.append)
    directory = ViewDirectory(view_path)
    projector = StateProjector(directory.live)
    runner = ProjectionRunner(
        directory,
        projector,
        source,
        log,
        Codec(KeyRing(log.subject_keys)),
        pace=Pace(first_pause_s=1, longest_pause_s=3),
    )
    runner.run(stop)
    assert pauses == [1, 2, 3, 3, 1]
    runner.close()
    projector.close()
    directory.close()


def test_a_stop_ends_the_runner_while_it_waits_out_a_pause(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    stop = threading.Event()
    source = ScriptedSource([LogUnavailable("down")] * 3, threading.Event())
    directory = ViewDirectory(view_path)
    projector = StateProjector(directory.live)
    runner = ProjectionRunner(
        directory,
        projector,
        source,
        log,
        Codec(KeyRing(log.subject_keys)),
        pace=Pace(first_pause_s=600, longest_pause_s=600),
    )
    thread = threading.Thread(target=runner.run, args=(stop,))
    thread.start()
    eventually(lambda: (s := read_status(view_path)) is not None and s.state == "paused")
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
    runner.close()
    projector.close()
    directory.close()


def test_a_projector_that_blames_an_event_it_was_not_given_pauses_instead_of_looping(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    class Confused(Wrapped):
        def apply(
            self,
            events: Sequence[Event],
            checkpoint: Checkpoint,
            parking: Parking = NOTHING_PARKED,
        ) -> None:
            raise PoisonEvent(10_000, "not one of these")

    historian.live_on(5)
    with running(log, view_path, wrap=Confused) as worker:
        paused = worker.shows(lambda status: status.state == "paused")
        assert paused.problem == "fault"
        assert paused.parked == 0


def test_a_commit_that_was_made_although_it_raised_is_not_made_again(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    memory = historian.remember()
    poison = historian.change(memory, MemoryTagged(tags=["x"]))
    behind = historian.change(memory, MemoryTagged(tags=["y"]))
    wrapped: list[Forgetful] = []

    def wrap(projector: StateProjector) -> Forgetful:
        wrapped.append(Forgetful(Poisoned(projector, [poison])))
        return wrapped[0]

    with running(log, view_path, wrap=wrap) as worker:
        worker.reaches(behind)
        assert wrapped[0].commits == 1
        causes = [(p.position, p.cause) for p in wrapped[0].parked()]
        assert causes == [(poison, "poison"), (behind, "queued")]
        after = historian.position + 1
        historian.commit()
        worker.reaches(after)
        assert wrapped[0].commits == 2


class Forgetful(Wrapped):
    """Commits, and then says the first time that it failed."""

    commits = 0

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        super().apply(events, checkpoint, parking)
        self.commits += 1
        if self.commits == 1:
            raise OSError(5, "Input/output error")


def test_a_retry_is_refused_for_a_view_that_never_was(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        request_retry(tmp_path / "views" / "state")


def test_a_retry_that_the_storage_interrupts_is_done_when_it_is_well_again(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.remember()
    wrapped: list[Interrupted] = []

    def wrap(projector: StateProjector) -> Interrupted:
        wrapped.append(Interrupted(projector, historian.position))
        return wrapped[0]

    with running(log, view_path, wrap=wrap) as worker:
        worker.shows(lambda status: status.parked == 1)
        wrapped[0].poison = 0
        wrapped[0].full = True
        request_retry(view_path)
        worker.shows(lambda status: status.state == "paused")
        assert worker.status.parked == 1
        wrapped[0].full = False
        worker.shows(lambda status: status.parked == 0)


class Interrupted(Wrapped):
    """Refuses one event, and everything while its disk is full."""

    def __init__(self, inner: StateProjector, poison: int) -> None:
        super().__init__(inner)
        self.poison = poison
        self.full = False

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        for event in events:
            if event.position == self.poison:
                raise PoisonEvent(event.position, "refused")
        super().apply(events, checkpoint, parking)


def test_a_status_is_read_as_written_however_long_its_reason(tmp_path: Path) -> None:
    written = ViewStatus(
        state="paused",
        position=7,
        parked=2,
        generation=1,
        problem="storage",
        reason="磁盘满了 " * 2000,
    )
    file = StatusFile(tmp_path)
    file.write(written)
    found = read_status(tmp_path)
    assert found is not None
    assert found.position == 7
    assert written.reason.startswith(found.reason)
    assert len(found.reason) > 100
    file.write(ViewStatus(state="running", position=8, parked=0, generation=1))
    assert read_status(tmp_path) == ViewStatus(state="running", position=8, parked=0, generation=1)
    file.close()
    assert (tmp_path / "status.json").stat().st_size == 4096


def test_a_status_is_never_seen_half_written(tmp_path: Path) -> None:
    file = StatusFile(tmp_path)
    short = ViewStatus(state="running", position=1, parked=0, generation=1)
    long = ViewStatus(state="paused", position=2, parked=0, generation=1, reason="x" * 900)
    file.write(short)
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            file.write(long)
            file.write(short)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert all(read_status(tmp_path) in (short, long) for _ in range(2_000))
    finally:
        done.set()
        writer.join(10)
        file.close()
