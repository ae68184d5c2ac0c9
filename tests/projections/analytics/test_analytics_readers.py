"""Reading while one writes, from other processes; and texts that go with their session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from domain.events import SessionClosed
from eventlog.redis_log import RedisLog
from projections.analytics.view import AnalyticsView
from tests.histories import Historian
from tests.projections.analytics.building import follow, in_the_log, shown

READER = """
import sys
from pathlib import Path
from tests.projections.analytics.building import opened_by_anyone
path, last = Path(sys.argv[1]), int(sys.argv[2])
reads, seen = 0, 0
while seen < last:
    with opened_by_anyone(path) as connection:
        rows, low, high, different = connection.execute(
            'SELECT count(*), min("position"), max("position"), count(DISTINCT "position") '
            'FROM events').fetchone()
    assert rows == different == (high or 0), (rows, different, high)
    assert (high or 0) >= seen, (high, seen)
    seen, reads = high or 0, reads + 1
print(reads)
"""


def test_two_processes_read_whole_states_while_one_writes(
    log: RedisLog, historian: Historian, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where a text has to go its files go at once, also under those who read; here none does.
    monkeypatch.setattr(historian, "_close_session", lambda: None)
    view_path = tmp_path / "analytics"
    historian.longest_step_s = 3_000
    historian.live_on(10)
    follow(log, view_path)
    historian.live_on(150)
    command = [sys.executable, "-c", READER, str(view_path), str(historian.position)]
    readers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]
    try:
        follow(log, view_path)
        for reader in readers:
            output, errors = reader.communicate(timeout=120)
            assert reader.returncode == 0, errors.decode()
            assert int(output) >= 1
    finally:
        for reader in readers:
            reader.kill()
    assert shown(view_path) == in_the_log(log.url, log.name)


def test_the_texts_of_a_closed_session_leave_every_file_and_the_rest_stays(
    log: RedisLog, historian: Historian, tmp_path: Path
) -> None:
    view_path, canary = tmp_path / "analytics", "canarytext"
    kept = historian.remember("a text that stays")
    historian.remember(canary, namespace="hermes-ephemeral", session_id="s-1")
    follow(log, view_path, tail_rows=1)
    historian.remember(canary, namespace="hermes-ephemeral", session_id="s-1")
    follow(log, view_path)  # this one stands in the tail
    assert sum(canary in str(row["body"]) for row in shown(view_path)) == 4
    closed = SessionClosed(agent_id="hermes-1", namespace="hermes-ephemeral", session_id="s-1")
    historian.write(("Session", "session-1", closed))
    follow(log, view_path)
    rows = shown(view_path)
    assert rows == in_the_log(log.url, log.name)
    assert not any(canary in str(row["body"]) for row in rows)
    assert any(row["id"] == kept and "stays" in str(row["body"]) for row in rows)
    manifest = AnalyticsView(view_path).live().manifest
    assert manifest.retired == []
    held = {file.path for file in manifest.files}
    folder = view_path / "1"
    assert {f.relative_to(folder).as_posix() for f in folder.rglob("*.parquet")} == held
    follow(log, tmp_path / "anew", tail_rows=1)
    assert AnalyticsView(tmp_path / "anew").digest() == AnalyticsView(view_path).digest()
