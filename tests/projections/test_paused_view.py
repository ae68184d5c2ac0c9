"""What is no event's fault pauses the view, says so, and passes; what would corrupt it stops it."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from domain.events import MemoryTagged
from eventlog.redis_log import RedisLog
from projections.runner import describe, problem_of
from projections.state.view import StateView
from projections.status import read_status
from tests.histories import Historian
from tests.projections.faulty import Failing
from tests.projections.running import catch_up, running
from tests.servers import LogServer, eventually
from tests.state_tables import assert_state_equals_log


def test_a_full_disk_pauses_the_view_and_room_lets_it_go_on(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(200)
    command = [
        *(sys.executable, "-m", "tests.projections.worker_process"),
        *(log.url, log.name, str(view_path), "--fsize", str(400_000)),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as worker:
        try:
            eventually(lambda: _status_is(view_path, "paused"), within_s=60)
            paused = read_status(view_path)
            assert paused is not None
            assert paused.problem == "storage"
            assert paused.parked == 0
            assert 0 < paused.position < historian.position
            assert worker.poll() is None, "it waits, it does not crash"
            assert StateView(view_path).checkpoint().position == paused.position

            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, unlimited)
            eventually(lambda: _status_is(view_path, "running"), within_s=60)
            eventually(
                lambda: StateView(view_path).checkpoint().position == historian.position,
                within_s=60,
            )
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(30) == 0
        finally:
            worker.kill()
    assert read_status(view_path).state == "stopped"  # type: ignore[union-attr]
    assert StateView(view_path).parked() == 0
    assert_state_equals_log(view_path, log.url, log.name)


@pytest.mark.parametrize(
    ("error", "problem", "told"),
    [
        (OSError(28, "No space left on device"), "storage", "No space left on device"),
        (MemoryError(), "storage", "MemoryError"),
        (KeyError("secret text"), "fault", "KeyError"),
    ],
)
def test_any_error_that_is_not_the_events_own_pauses_and_parks_nothing(
    log: RedisLog,
    view_path: Path,
    historian: Historian,
    error: Exception,
    problem: str,
    told: str,
) -> None:
    historian.live_on(10)
    wrapped: list[Failing] = []

    def wrap(projector: object) -> Failing:
        wrapped.append(Failing(projector, lambda: error))  # type: ignore[arg-type]
        return wrapped[0]

    with running(log, view_path, wrap=wrap) as worker:
        paused = worker.shows(lambda status: status.state == "paused")
        assert (paused.problem, paused.position, paused.parked) == (problem, 0, 0)
        assert told in paused.reason
        assert "secret text" not in paused.reason
        eventually(lambda: wrapped[0].failures >= 5)
        wrapped[0].broken = False
        worker.reaches(historian.position)
        assert worker.status.state == "running"
        assert worker.status.reason == ""
    assert_state_equals_log(view_path, log.url, log.name)


def test_the_view_waits_while_the_log_server_is_down_and_goes_on_with_it(view_path: Path) -> None:
    with LogServer() as server, RedisLog(server.url, "outage") as log:
        historian = Historian(log)
        historian.live_on(20)
        with running(log, view_path) as worker:
            worker.reaches(historian.position)
            server.kill()
            paused = worker.shows(lambda status: status.state == "paused")
            assert paused.problem == "log-unavailable"
            assert paused.position == historian.position
            server.start()
            worker.shows(lambda status: status.state == "running")
            historian.live_on(20)
            worker.reaches(historian.position)
        assert_state_equals_log(view_path, log.url, log.name)


def test_a_log_that_lost_its_tail_stops_the_view_with_log_fork(view_path: Path) -> None:
    with LogServer() as server, RedisLog(server.url, "fork") as log:
        historian = Historian(log)
        memory = historian.remember()
        catch_up(log, view_path, historian.position)
        known = StateView(view_path).checkpoint()
        with server.client() as client:
            client.xdel(log.keys.stream, f"{historian.position}-0")
            last = client.xrevrange(log.keys.stream, count=1)[0][1]
            client.xadd(
                log.keys.stream, last | {b"e": b"another"}, id=f"{historian.position + 1}-0"
            )
        with running(log, view_path) as worker:
            status = worker.shows(lambda status: status.problem != "")
            assert (status.state, status.problem) == ("stopped", "log-fork")
        assert StateView(view_path).checkpoint() == known
        assert StateView(view_path).memory(memory, now=historian.now) is not None


def test_a_missing_position_stops_the_view_before_it(view_path: Path) -> None:
    with LogServer() as server, RedisLog(server.url, "gap") as log:
        historian = Historian(log)
        memory = historian.remember()
        missing = historian.change(memory, MemoryTagged(tags=["x"]))
        historian.change(memory, MemoryTagged(tags=["y"]))
        catch_up_to = missing - 1
        with server.client() as client:
            client.xdel(log.keys.stream, f"{missing}-0")
        with running(log, view_path) as worker:
            status = worker.shows(lambda status: status.state == "stopped")
            assert status.problem == "log-gap"
            assert status.position <= catch_up_to
            assert str(missing) in status.reason


def test_a_stop_is_no_failure_and_says_that_nobody_writes_the_view(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(5)
    catch_up(log, view_path, historian.position)
    status = read_status(view_path)
    assert status is not None
    assert (status.state, status.problem) == ("stopped", "")
    assert status.position == historian.position
    assert status.generation == 1


def test_a_view_that_never_was_has_no_status(tmp_path: Path) -> None:
    assert read_status(tmp_path / "views" / "state") is None


def test_an_error_is_described_without_what_it_quotes() -> None:
    with pytest.raises(ValueError, match="diary") as caught:
        raise ValueError("my diary says")
    assert describe(caught.value).startswith("ValueError at test_paused_view.py:")
    assert problem_of(caught.value) == "fault"


def _status_is(view_path: Path, state: str) -> bool:
    status = read_status(view_path)
    return status is not None and status.state == state
