"""F10: the disk under the log server is full.

The server ends rather than acknowledge what it could not sync; with room it starts again and has
everything that was acknowledged. A node goes on reading meanwhile, and mends itself.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from eventlog.guard import guard_log_server
from eventlog.redis_log import RedisLog
from memoryweave.errors import MemoryWeaveError
from memoryweave.exchange import Retries
from tests.faults.harness import Ledger, assert_invariants, lost_events, settle_doubts, writers
from tests.faults.small_disk import small_disk
from tests.nodes import NodeProcess
from tests.oracle import read_log
from tests.servers import LogServer, eventually
from tests.state_tables import assert_state_equals_log

WRITERS = 8


def fill_under_writers(
    server: LogServer, fill: Callable[[], None], make_room: Callable[[], None], seed: int
) -> None:
    ledger = Ledger()
    with writers(server.url, ledger, WRITERS, seed) as going:
        eventually(lambda: len(ledger.acknowledged) >= 100, within_s=60, every_s=0.001)
        going.set()
        fill()
        assert server.wait() != 0
    assert len(ledger.in_doubt) <= WRITERS
    make_room()
    server.start()
    with server.client() as admin, RedisLog(server.url) as log:
        assert lost_events(admin, ledger) == {}
        assert_invariants(admin, ledger)
        assert guard_log_server(log).durable
        settle_doubts(log, ledger)
        assert_invariants(admin, ledger)


def test_f10_a_server_that_may_write_no_more_ends_and_has_lost_nothing() -> None:
    """A file that may not grow stands for a full disk where none can be mounted."""
    with LogServer() as server:

        def fill() -> None:
            size = max(f.stat().st_size for f in server.directory.glob("appendonlydir/*"))
            limit = size + 10_000
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, limit))

        fill_under_writers(server, fill, lambda: None, seed=10)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 9))]
)
def test_f10_a_full_disk_ends_the_server_and_room_brings_everything_back(seed: int) -> None:
    server = LogServer()
    with small_disk(server.directory, megabytes=12) as disk, server:
        fill_under_writers(server, lambda: disk.fill(left=8_000 * seed), disk.make_room, seed)


@pytest.mark.slow
def test_f10_a_node_on_a_full_disk_reads_refuses_commands_and_mends_itself(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "data")
    with (
        small_disk(node.data / "log", megabytes=24) as disk,
        node,
        node.client(retries=Retries(within_s=1.0)) as client,
    ):
        told = [client.remember(f"the tea number {n} is oolong").memory_id for n in range(5)]
        written = read_log(node.log_url())[-1]["position"]
        for view in ("state", "vector"):
            eventually(lambda view=view: client.health().views[view].position >= written)
        disk.fill()
        with pytest.raises(MemoryWeaveError, match="log"):
            client.remember("there is no room for this", idempotency_key="no room")
        for pause in ("0.5", "1.0", "2.0"):  # later and later
            eventually(lambda pause=pause: f'"again_in_s": {pause}' in node.output, within_s=60)
        health = client.health()
        assert (health.status, health.log.writable) == ("degraded", False)
        assert {result.id for result in client.recall("oolong tea").results} >= set(told)
        assert client.memory(told[0]).content.startswith("the tea")

        disk.make_room()
        eventually(node.is_ready, within_s=90, every_s=0.1)
        with node.client(retries=Retries(within_s=60.0)) as patient:
            # It was not acknowledged; said again, it is there once.
            patient.remember("there is no room for this", idempotency_key="no room")
            patient.remember("now there is room")
        url = node.log_url()
        facts = read_log(url)
        created = [fact["id"] for fact in facts if fact["type"] == "MemoryCreated"]
        assert created[: len(told)] == told
        assert len(created) == len(told) + 2
        eventually(
            lambda: client.health().views["state"].position == len(facts), within_s=60, every_s=0.1
        )
        assert_state_equals_log(node.data / "views" / "state", url)
