"""F7: a projection worker killed with SIGKILL at any step changes every row exactly once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from eventlog.redis_log import RedisLog
from projections.state.view import StateView
from tests.histories import Historian
from tests.projections.running import catch_up
from tests.projections.worker_process import EVENTS_A_BATCH, KILL_POINTS
from tests.state_tables import assert_state_equals_log


def run_until_killed(log: RedisLog, view_path: Path, kill_at: str, number: int) -> None:
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "tests.projections.worker_process"),
            *(log.url, log.name, str(view_path), kill_at, str(number)),
        ],
        check=False,
        timeout=600,  # a bound on hanging, not on work
        capture_output=True,
    )
    assert ended.returncode == -9, ended.stderr.decode()


def kill_and_compare(
    log: RedisLog, view_path: Path, historian: Historian, kills: Sequence[tuple[str, int]]
) -> None:
    """Kill a worker at each of the points, more history between, then finish and compare."""
    view = StateView(view_path)
    for kill_at, number in kills:
        before = view.checkpoint().position
        historian.live_on(60)
        run_until_killed(log, view_path, kill_at, number)
        committed = number if kill_at == "after_commit" else number - 1
        assert view.checkpoint().position == before + committed * EVENTS_A_BATCH
    catch_up(log, view_path, historian.position)
    assert view.checkpoint().position == historian.position
    view.close()
    assert_state_equals_log(view_path, log.url, log.name)


def test_a_worker_killed_at_each_step_loses_and_repeats_nothing(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    kill_and_compare(log, view_path, historian, [(point, 2) for point in KILL_POINTS])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_worker_killed_twelve_times_loses_and_repeats_nothing(
    log: RedisLog, view_path: Path, seed: int
) -> None:
    historian = Historian(log, seed)
    kills = [
        (historian.random.choice(KILL_POINTS), historian.random.randint(1, 3)) for _ in range(12)
    ]
    print(f"seed {seed}: {kills}")
    kill_and_compare(log, view_path, historian, kills)
