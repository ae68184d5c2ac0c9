"""`memoryweave up` as one thing: starts, mends itself, stops, and leaves nothing behind."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.nodes import NodeProcess, lives
from tests.servers import LogServer, eventually


@pytest.fixture
def node(tmp_path: Path) -> Iterator[NodeProcess]:
    """A node of its own, because these tests kill it."""
    with NodeProcess(tmp_path / "data") as running:
        yield running


def test_it_mends_itself_refuses_a_second_start_and_stops_cleanly(node: NodeProcess) -> None:
    before = node.children()
    assert set(before) == {"api", "worker", "log", "volatile"}

    second = NodeProcess(node.data)
    second.start(wait=False)
    assert second.wait() == 1
    assert f"already served by process {node.pid} at {node.url}" in second.output

    for name in ("api", "worker", "log"):
        before[name].kill()
    eventually(lambda: set(node.children()) == set(before), within_s=20)
    eventually(node.is_ready, within_s=30, every_s=0.1)
    after = node.children()
    assert all(after[name].pid != before[name].pid for name in ("api", "worker", "log"))
    assert after["volatile"].pid == before["volatile"].pid

    assert node.stop() == 0
    assert "Traceback" not in node.output
    assert not any(lives(process) for process in after.values())
    assert node.output.rstrip().endswith("memoryweave: stopped")


def test_a_killed_supervisor_leaves_no_process_that_the_next_does_not_adopt(
    node: NodeProcess,
) -> None:
    left = node.children()
    node.signal(signal.SIGKILL)
    node.wait()
    eventually(lambda: not lives(left["api"]) and not lives(left["worker"]))

    node.start()
    assert lives(left["log"])
    assert lives(left["volatile"])
    with node.client() as client:
        assert client.health().log.writable
    assert node.stop() == 0
    assert not lives(left["log"])
    assert not lives(left["volatile"])


def test_a_port_in_use_is_a_clear_error_and_nothing_is_started(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "data")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", node.port))
        taken.listen()
        node.start(wait=False)
        assert node.wait() == 2
    assert f"port: {node.port} on 127.0.0.1 is in use" in node.output
    assert not (node.data / "log").exists()


def test_a_bad_setting_ends_the_start_with_its_name(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "data", MEMORYWEAVE_TIME_ZONE="Mars/Olympus")
    node.start(wait=False)
    assert node.wait() == 2
    assert "MEMORYWEAVE_TIME_ZONE" in node.output
    assert "Traceback" not in node.output


def test_a_log_server_that_may_lose_events_is_refused_by_name(tmp_path: Path) -> None:
    with LogServer(appendfsync="everysec") as careless:
        node = NodeProcess(tmp_path / "data", REDIS_URL=careless.url)
        node.start(wait=False)
        assert node.wait() == 1
    assert "appendfsync must be always" in node.output
    assert "--allow-volatile" in node.output
