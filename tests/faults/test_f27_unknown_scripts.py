"""F27: the server forgets its scripts, at any moment. Every append succeeds, exactly once."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventlog.outcomes import Appended
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer


def test_scripts_flushed_between_calls(log_server: LogServer, log: RedisLog) -> None:
    client = log_server.client()
    for version in range(1, 6):
        client.script_flush()
        assert log.append([an_entry("a", version)], **new_command()) == Appended(version, version)
        client.script_flush()
        assert log.head().position == version
        client.script_flush()
        assert len(log.read_aggregate("a")) == version


@pytest.mark.parametrize(
    "appends", [100, pytest.param(5000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_scripts_flushed_all_the_time_from_elsewhere(
    log_server: LogServer, log: RedisLog, appends: int
) -> None:
    done = threading.Event()

    def flush() -> int:
        count = 0
        with log_server.client() as client:
            while not done.is_set():
                client.script_flush()
                count += 1
        return count

    with ThreadPoolExecutor(1) as other:
        flushes = other.submit(flush)
        try:
            for version in range(1, appends + 1):
                log.append([an_entry("a", version)], **new_command())
        finally:
            done.set()
        assert flushes.result() > 0
    assert [e.version for e in log.read(1, limit=appends)] == list(range(1, appends + 1))


@pytest.mark.parametrize(
    "restarts", [2, pytest.param(20, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_server_is_killed_and_started_again_under_load(restarts: int) -> None:
    """Scripts are gone after a restart, and for a while there is no server at all."""
    with LogServer() as server, RedisLog(server.url, deadline_s=30) as log:
        done = threading.Event()
        acknowledged: dict[str, tuple[int, int]] = {}

        def write(writer: int) -> None:
            version = 0
            while not done.is_set():
                version += 1
                command = new_command()
                entries = [an_entry(f"w{writer}", 2 * version - 1 + n) for n in (0, 1)]
                outcome = log.append(entries, **command)
                acknowledged[command["command_id"]] = (outcome.first, outcome.last)

        with ThreadPoolExecutor(4) as writers:
            running = [writers.submit(write, n) for n in range(4)]
            try:
                for _ in range(restarts):
                    before = len(acknowledged)
                    while len(acknowledged) < before + 40 and not any(w.done() for w in running):
                        threading.Event().wait(0.005)
                    server.kill()
                    server.start()
            finally:
                done.set()
            for writer in running:
                writer.result()

        entries = []
        while page := log.read(len(entries) + 1, limit=1000):
            entries += page
        stored = Counter(e.command_id for e in entries)
        assert stored == dict.fromkeys(acknowledged, 2)
        for command_id, (first, last) in acknowledged.items():
            assert [e.command_id for e in entries[first - 1 : last]] == [command_id] * 2
