"""F7 and F11 for the analytics view: killed with SIGKILL at any step, or out of disk."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eventlog.redis_log import RedisLog
from projections.analytics.view import AnalyticsView
from projections.status import read_status
from tests.histories import Historian
from tests.projections.analytics.building import follow, in_the_log, live_paths, shown
from tests.projections.analytics.worker_process import KILL_POINTS
from tests.servers import eventually

QUICKLY = {"half_a_file", "before_manifest", "before_merge"}
"""Each of the others comes right before or after one of these; they are slow tests."""


@pytest.fixture
def view_path(tmp_path: Path) -> Path:
    return tmp_path / "views" / "analytics"


def run_until_killed(log: RedisLog, view_path: Path, kill_at: str, number: int) -> None:
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "tests.projections.analytics.worker_process"),
            *(log.url, log.name, str(view_path), kill_at, str(number)),
        ],
        check=False,
        timeout=60,
        capture_output=True,
    )
    assert ended.returncode == -9, ended.stderr.decode()


def shows_a_prefix_of_the_log(log: RedisLog, view_path: Path) -> int:
    """Check that whoever reads now sees the log up to the checkpoint, once; give that position.

    A session that was closed after the checkpoint has lost its texts in the log already, while the
    view rightly shows them until it comes to the closing: there only the envelopes must agree.
    """
    position = AnalyticsView(view_path).checkpoint().position
    facts = in_the_log(log.url, log.name)
    closed_later = any(fact["type"] == "SessionClosed" for fact in facts[position:])
    seen, expected = shown(view_path), facts[:position]
    if closed_later:
        seen, expected = _envelopes(seen), _envelopes(expected)
    assert seen == expected
    return position


def _envelopes(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**event, "body": None} for event in events]


@pytest.mark.parametrize(
    "kill_at",
    [
        pytest.param(point, marks=() if point in QUICKLY else pytest.mark.slow)
        for point in KILL_POINTS
    ],
)
def test_a_worker_killed_at_each_step_loses_and_repeats_nothing(
    log: RedisLog, view_path: Path, historian: Historian, kill_at: str
) -> None:
    historian.longest_step_s = 3_000
    historian.live_on(15)
    follow(log, view_path, tail_rows=1, compact=False)  # leaves files to merge
    for number in (1, 3):
        historian.live_on(70)
        run_until_killed(log, view_path, kill_at, number)
        shows_a_prefix_of_the_log(log, view_path)
    follow(log, view_path)
    assert shows_a_prefix_of_the_log(log, view_path) == historian.position
    manifest = AnalyticsView(view_path).live().manifest
    assert live_paths(view_path) == {f.path for f in [*manifest.files, *manifest.retired]}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_worker_killed_twelve_times_loses_and_repeats_nothing(
    log: RedisLog, view_path: Path, seed: int
) -> None:
    historian = Historian(log, seed)
    historian.longest_step_s = 3_000
    kills = [(historian.random.choice(KILL_POINTS), n) for n in range(1, 13)]
    print(f"seed {seed}: {kills}")
    for kill_at, number in kills:
        historian.live_on(150)
        run_until_killed(log, view_path, kill_at, number % 4 + 1)
        shows_a_prefix_of_the_log(log, view_path)
    follow(log, view_path)
    assert shows_a_prefix_of_the_log(log, view_path) == historian.position


def test_f11_a_full_disk_pauses_the_view_and_room_lets_it_go_on(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.longest_step_s = 3_000
    historian.live_on(150)
    command = [
        *(sys.executable, "-m", "tests.projections.analytics.worker_process"),
        *(log.url, log.name, str(view_path), "--fsize", str(9_000)),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as worker:
        try:
            eventually(lambda: _state(view_path) == "paused", within_s=60)
            paused = read_status(view_path)
            assert paused is not None
            assert (paused.problem, paused.parked) == ("storage", 0)
            assert paused.position < historian.position
            assert worker.poll() is None, "it waits, it does not crash"
            assert shows_a_prefix_of_the_log(log, view_path) == paused.position

            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, unlimited)
            view = AnalyticsView(view_path)
            eventually(lambda: view.checkpoint().position == historian.position, within_s=60)
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(30) == 0
        finally:
            worker.kill()
    assert shows_a_prefix_of_the_log(log, view_path) == historian.position


def _state(view_path: Path) -> str:
    status = read_status(view_path)
    return "" if status is None else status.state
