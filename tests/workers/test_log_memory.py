"""The memory of the log's server: an alarm at 70 %, and less of it used as soon as possible."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eventlog.archive.reader import Archive
from eventlog.archive.rules import MEMORY_ALARM, ArchiveRules
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.histories import Historian
from tests.servers import LogServer, eventually
from workers.cli.main import main
from workers.keys import ensure_keys
from workers.lifecycle_worker import work
from workers.node import open_node
from workers.settings import Settings, resolve


@pytest.fixture
def small_server() -> Iterator[LogServer]:
    with LogServer(maxmemory="12mb") as server:
        yield server


def fill(historian: Historian, ratio: float) -> None:
    """Write long texts until the server uses that much of its memory."""
    log = historian.log
    while (log.memory_ratio() or 1.0) < ratio:
        historian.remember("a long text " * 300)


def test_the_rules_under_pressure_never_keep_more_than_those_that_are_set() -> None:
    assert ArchiveRules().under_pressure() == ArchiveRules(segment_age_s=60, hot_window=20_000)
    tight = ArchiveRules(segment_age_s=1, hot_window=10)
    assert tight.under_pressure() == tight


def test_at_the_alarm_the_log_is_archived_and_trimmed_without_waiting(
    small_server: LogServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The numbers of production would need 20,000 events; what is tried is that they are obeyed.
    monkeypatch.setattr("eventlog.archive.rules._PRESSED_SEGMENT_S", 0.01)
    monkeypatch.setattr("eventlog.archive.rules._PRESSED_HOT_WINDOW", 10)
    settings = Settings(data=tmp_path, redis_url=small_server.url, log="small", backup_daily=False)
    stop = threading.Event()
    worker = threading.Thread(target=work, args=(settings, stop, 0.02))
    with RedisLog(small_server.url, "small") as log:
        historian = Historian(log, seed=8)
        fill(historian, 0.3)
        worker.start()
        try:
            assert log.floor() == 1
            fill(historian, MEMORY_ALARM)
            eventually(lambda: log.floor() > 1, within_s=30)
            eventually(lambda: (log.memory_ratio() or 1.0) < 0.5, within_s=30)
        finally:
            stop.set()
            worker.join(timeout=20)
        assert historian.remember("there is room again")
    with RedisLog(small_server.url, "small", archive=Archive(tmp_path / "archive")) as log:
        assert len(log.read(1, limit=3)) == 3


def test_a_reader_that_died_holds_the_log_until_it_is_forgotten(
    small_server: LogServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = Settings(
        data=tmp_path,
        redis_url=small_server.url,
        log="small",
        archive_segment_events=50,
        archive_hot_window=10,
        backup_daily=False,
    )
    where = ["--data", str(tmp_path), "--redis-url", small_server.url, "--log", "small"]
    stop = threading.Event()
    worker = threading.Thread(target=work, args=(settings, stop, 0.02))
    with RedisLog(small_server.url, "small") as log:
        Historian(log, seed=9).live_on(100)
        with Subscription(log.url, log.name, Checkpoint()) as reader:
            reader.read(limit=10)
            Readers(log).report("dead/state", reader.checkpoint, datetime.now(UTC))
        worker.start()
        try:
            eventually(lambda: log.call("HLEN", log.keys.readers) == 1)
            assert main(["readers", *where]) == 0
            listed = capsys.readouterr().out
            assert re.search(r"^dead/state +10 +\d+ +\d+ s ago$", listed, re.MULTILINE)
            assert log.floor() == 1

            assert main(["readers", "forget", "nobody", "--yes", *where]) == 1
            assert "registered: dead/state" in capsys.readouterr().err
            assert main(["readers", "forget", "dead/state", *where]) == 2  # nobody to ask here
            assert "--yes" in capsys.readouterr().err
            assert log.floor() == 1

            assert main(["readers", "forget", "dead/state", "--yes", "--json", *where]) == 0
            assert '"name":"dead/state"' in capsys.readouterr().out
            eventually(lambda: log.floor() > 50, within_s=30)
        finally:
            stop.set()
            worker.join(timeout=20)


def test_health_says_when_the_servers_memory_runs_out(
    small_server: LogServer, tmp_path: Path
) -> None:
    ring = ensure_keys(resolve({"data": str(tmp_path)}, {"REDIS_URL": small_server.url}))
    with open_node(ring) as node, RedisLog(small_server.url, "main") as log:
        health = node.health()
        assert "log memory" not in {part.part for part in health.degraded}
        assert health.log.memory_ratio is not None
        assert health.log.memory_ratio < MEMORY_ALARM
        fill(Historian(log, seed=8), MEMORY_ALARM)
        health = node.health()
    (alarm,) = (part for part in health.degraded if part.part == "log memory")
    assert health.log.memory_ratio >= MEMORY_ALARM
    assert f"{health.log.memory_ratio:.0%}" in alarm.reason
