"""In a cluster a script may touch declared keys of one slot only: the server refuses others."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from redis.exceptions import ResponseError

from eventlog.append import Fence, Tracked
from eventlog.outcomes import Appended, Duplicate
from eventlog.redis_log import RedisLog
from eventlog.snapshots import Snapshot, Snapshots
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer, eventually


def free_port() -> int:
    """A port that is free, and so is the one 10,000 above, which the nodes use."""
    while True:
        with socket.socket() as one, socket.socket() as bus:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            if port < 55000:
                try:
                    bus.bind(("127.0.0.1", port + 10_000))
                except OSError:
                    continue
                return int(port)


@pytest.fixture
def cluster_node() -> Iterator[LogServer]:
    settings = {"cluster-enabled": "yes", "port": str(free_port()), "bind": "127.0.0.1"}
    with LogServer(**settings) as server, server.client() as client:
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        eventually(lambda: b"cluster_state:ok" in client.execute_command("CLUSTER", "INFO"))
        yield server


def test_a_log_works_in_one_slot_of_a_cluster(cluster_node: LogServer) -> None:
    with cluster_node.client() as client:
        client.hset("{mw:main}:lease:l", "token", 1)
        # The server does refuse what is not declared, so that the rest proves something.
        with pytest.raises(ResponseError, match=r"(?i)same slot|undeclared|non local"):
            client.eval("#!lua\nreturn redis.call('GET', 'elsewhere')", 1, "{mw:main}:log")
    with RedisLog(cluster_node.url) as log:
        command = new_command()
        entries = [an_entry(f"a{n}", 1) for n in range(50)]
        appended = log.append(
            entries,
            **command,
            fence=Fence("l", 1),
            subject_keys={f"s{n}": b"k" * 32 for n in range(50)},
            tracking=Tracked("upstream", 1),
        )
        assert appended == Appended(1, 50)
        assert log.append(entries, **command) == Duplicate(1, 50)
        assert len(log.subject_keys([f"s{n}" for n in range(50)])) == 50
        assert log.read_aggregate("a7")[0].position == 8
        snapshots = Snapshots(log, "1")
        snapshots.put(Snapshot("a7", 1, "Test", b"state"))
        assert len(snapshots.select("a7")) == 1
        with Subscription(log.url, log.name, Checkpoint()) as subscription:
            assert len(subscription.read()) == 50
