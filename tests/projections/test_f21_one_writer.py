"""F21: one process writes a view; whoever forces its way past the lock ends the other's writing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from domain.events import MemoryTagged
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint
from projections.generation import ViewDirectory, ViewLocked, current_generation
from projections.projector import ViewFenced
from projections.state.projector import StateProjector
from tests.histories import Historian
from tests.projections.running import running
from tests.state_tables import assert_state_equals_log

OPEN_FOR_WRITING = """
import sys, pathlib
from projections.generation import ViewDirectory, ViewLocked
try:
    ViewDirectory(pathlib.Path(sys.argv[1]))
except ViewLocked as error:
    sys.exit(str(error))
"""


def test_a_second_process_on_one_view_is_refused(view_path: Path) -> None:
    directory = ViewDirectory(view_path)
    ended = subprocess.run(
        [sys.executable, "-c", OPEN_FOR_WRITING, str(view_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "view state is being written by another process" in ended.stderr
    with pytest.raises(ViewLocked):
        ViewDirectory(view_path)
    directory.close()
    ViewDirectory(view_path).close()


def test_a_worker_whose_view_was_taken_over_stops_at_its_next_commit(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    memory = historian.remember()
    with running(log, view_path) as worker:
        worker.reaches(historian.position)
        taken_over = StateProjector(view_path / "1")
        reached = historian.position
        historian.change(memory, MemoryTagged(tags=["late"]))
        status = worker.shows(lambda status: status.state == "stopped")
        assert status.problem == "view-fenced"
        assert taken_over.checkpoint().position == reached
        taken_over.close()
    with running(log, view_path) as worker:
        worker.reaches(historian.position)
    assert_state_equals_log(view_path, log.url, log.name)


def test_the_fence_is_checked_inside_the_commit(view_path: Path) -> None:
    directory = ViewDirectory(view_path)
    first = StateProjector(directory.live)
    second = StateProjector(directory.live)
    with pytest.raises(ViewFenced, match="taken over"):
        first.apply([], Checkpoint(5, "e", "x"))
    assert second.checkpoint() == Checkpoint()
    second.apply([], Checkpoint(5, "e", "x"))
    assert second.checkpoint().position == 5
    first.close()
    second.close()
    directory.close()


def test_nobody_but_the_owner_may_read_a_views_files(view_path: Path) -> None:
    before = os.umask(0)
    try:
        directory = ViewDirectory(view_path)
        projector = StateProjector(directory.live)
        projector.apply([], Checkpoint(1, "e", "x"))
    finally:
        os.umask(before)
    files = [path for path in view_path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"CURRENT", "state.sqlite", "state.sqlite-wal"}
    assert {oct(path.stat().st_mode & 0o777) for path in files} == {"0o600"}
    assert {oct(p.stat().st_mode & 0o777) for p in (view_path, directory.live)} == {"0o700"}
    assert current_generation(view_path) == 1
    projector.close()
    directory.close()
