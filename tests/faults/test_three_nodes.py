"""A primary and two replicas under mixed commands; one replica is killed, one stopped, repeatedly.

At rest every view of every node has the same digest, and says what oracles fold from the raw log by
other code. A fresh replica of it, begun from the archive, computes no embedding.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from eventlog.redis_log import RedisLog
from memoryweave.client import Client
from memoryweave.errors import Unreachable
from tests.api.service import ADMIN_KEY, OWNER_KEY, running_service
from tests.faults.at_rest import AT_ONCE, is_at_rest
from tests.faults.mixed_commands import Ledger, assert_each_command_once, talk, vector_rows
from tests.inference.embedding_server import EmbeddingServer, embedding_server
from tests.nodes import NodeProcess
from tests.oracle import Fact, read_log
from tests.oracle_analytics import event_differences, event_rows
from tests.oracle_vector import stretches_of
from tests.projections.vector.places import differences
from tests.servers import LogServer, eventually
from tests.state_tables import assert_state_equals_log
from workers.archive import open_archive
from workers.bootstrap_worker import bootstrap
from workers.lifecycle_worker import work
from workers.settings import Settings
from workers.vector_shipping import ship_vectors_now

CLIENTS = 8
READY_WITHIN_S = 600
"""The tests share their machine: three nodes that start at once have taken minutes."""
MODEL, DIMENSION = "seeded", "8"


class Cluster:
    """The servers that nodes share, and the nodes that run, by the name of their directory."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.log = stack.enter_context(LogServer())
        self.embeddings = stack.enter_context(embedding_server())
        self.archive = str(folder / "archive")
        self._volatile = stack.enter_context(LogServer(appendonly="no"))
        self._folder = folder
        self._stack = stack
        self._urls: dict[str, str] = {}
        self._where_the_primary_is: list[str] = []

    @property
    def urls(self) -> list[str]:
        return list(self._urls.values())

    @property
    def folders(self) -> list[Path]:
        return [self._folder / name for name in self._urls]

    def client(self, url: str) -> Client:
        return Client(url, ADMIN_KEY, outbox=None)

    def primary(self) -> NodeProcess:
        given = {"REDIS_URL": self.log.url, "MEMORYWEAVE_ARCHIVE_LOCATION": self.archive}
        return self._process("primary", **self._given(self.embeddings), **given, **AT_ONCE)

    def in_this_process(self, name: str, embeddings: EmbeddingServer, **flags: Any) -> None:
        """Serve a node from threads: each process would take a third of the small test's time."""
        flags |= {
            "embed_endpoint": embeddings.endpoint,
            "embed_model": MODEL,
            "embed_dimension": DIMENSION,
            "archive_location": self.archive,
        }
        service = self._stack.enter_context(
            running_service(self.log, self._volatile, self._folder / name, "main", **flags)
        )
        self._urls[name] = service.url
        if name == "primary":
            # What it says of itself in the log is made of its settings, which know no port.
            self._where_the_primary_is = ["--primary", service.url]

    def settings(self, name: str, **more: Any) -> Settings:
        return Settings(
            data=self._folder / name,
            redis_url=self.log.url,
            archive_location=self.archive,
            embed_endpoint="http://127.0.0.1:9",
            embed_model=MODEL,
            embed_dimension=int(DIMENSION),
            **more,
        )

    def replica(self, name: str, embeddings: EmbeddingServer) -> NodeProcess:
        flags = ["--log", self.log.url, "--bootstrap", self.archive, *self._where_the_primary_is]
        return self._process(name, *flags, verb="replica", **self._given(embeddings))

    def _given(self, embeddings: EmbeddingServer) -> dict[str, str]:
        return {
            "API_KEY": ADMIN_KEY,
            "OWNER_KEY": OWNER_KEY,
            "VOLATILE_URL": self._volatile.url,
            "EMBED_ENDPOINT": embeddings.endpoint,
            "EMBED_MODEL": MODEL,
            "EMBED_DIMENSION": DIMENSION,
        }

    def _process(self, name: str, *flags: str, verb: str = "up", **given: str) -> NodeProcess:
        node = NodeProcess(self._folder / name, *flags, verb=verb, **given)
        node.start(wait=False)
        self._stack.callback(node.end)
        self._urls[name] = node.url
        return node


@pytest.mark.parametrize(
    ("commands", "rounds", "stopped_s"),
    [
        pytest.param(15, 1, 1.0, id="120 commands"),
        pytest.param(1250, 4, 30.0, id="10,000 commands", marks=pytest.mark.slow),
    ],
)
def test_three_nodes_say_the_same_at_rest_and_a_fresh_one_embeds_nothing(
    tmp_path: Path, commands: int, rounds: int, stopped_s: float
) -> None:
    seed = 20261130
    print(f"seed {seed}")
    with ExitStack() as stack:
        cluster = Cluster(tmp_path, stack)
        primary = cluster.primary() if rounds > 1 else None
        if primary is None:
            cluster.in_this_process("primary", cluster.embeddings)
        replicas = [cluster.replica(name, cluster.embeddings) for name in ("killed", "stopped")]
        for replica in replicas:
            eventually(replica.is_ready, within_s=READY_WITHIN_S, every_s=0.1)
        with cluster.client(cluster.urls[0]) as client:
            ledger = Ledger(client.remember("the first memory").memory_id)
        with _talking(cluster.urls, ledger, commands, seed):
            for number in range(1, rounds + 1):
                due = CLIENTS * commands * number // (rounds + 1)
                eventually(lambda due=due: ledger.has(due), within_s=1200)
                _kill_and_stop(*replicas, stopped_s)
        if primary is not None:
            with RedisLog(cluster.log.url) as log:
                eventually(
                    lambda: is_at_rest(primary, log.head().position),
                    within_s=READY_WITHIN_S,
                    every_s=0.1,
                )
        facts = read_log(cluster.log.url)
        assert_each_command_once(facts, ledger)
        eventually(lambda: _has_all(cluster, len(facts)), within_s=READY_WITHIN_S, every_s=0.1)
        for folder in cluster.folders:
            _assert_says_what_the_log_says(folder / "views", cluster.log.url, facts)
        _assert_equal_digests(cluster, len(facts))

        if primary is not None:
            primary.stop()
        _archive_and_trim(cluster)
        if primary is not None:
            primary.start()
        unasked = stack.enter_context(embedding_server())
        if primary is not None:
            cluster.replica("fresh", unasked)
        else:
            bootstrap(cluster.settings("fresh", role="replica"))
            cluster.in_this_process("fresh", unasked, role="replica", primary=cluster.urls[0])
        with RedisLog(cluster.log.url) as log:
            head = log.head().position
            assert 1 < log.floor() <= head
        eventually(lambda: _has_all(cluster, head), within_s=READY_WITHIN_S, every_s=0.1)
        _assert_equal_digests(cluster, head)
        assert unasked.requests == []
        with cluster.client(cluster.urls[-1]) as client:
            assert client.recall("Kyoto").results
        assert [request["input"] for request in unasked.requests] == [["Kyoto"]]
        if primary is not None:
            _assert_a_dead_one_is_not_listed_for_long(cluster, replicas[0])


@contextmanager
def _talking(urls: Sequence[str], ledger: Ledger, commands: int, seed: int) -> Iterator[None]:
    """Mix commands at all nodes while the block runs, and until each is answered."""
    clients = [
        threading.Thread(target=talk, args=(urls, ADMIN_KEY, ledger, f"{seed}-{number}", commands))
        for number in range(CLIENTS)
    ]
    for client in clients:
        client.start()
    yield
    for client in clients:
        client.join(timeout=1800)
    assert not any(client.is_alive() for client in clients)
    assert ledger.failures == []


def _kill_and_stop(killed: NodeProcess, stopped: NodeProcess, stopped_s: float) -> None:
    killed.kill()
    stopped.pause()
    goes_on_at = time.monotonic() + stopped_s
    killed.start(wait=False)
    # Not a wait for anything: to be stopped for so long is what this is about.
    eventually(lambda: time.monotonic() >= goes_on_at, within_s=stopped_s + 10)
    stopped.resume()
    for node in (killed, stopped):
        eventually(node.is_ready, within_s=READY_WITHIN_S, every_s=0.1)


def _has_all(cluster: Cluster, head: int) -> bool:
    return all(_has(cluster, url, head) for url in cluster.urls)


def _has(cluster: Cluster, url: str, head: int) -> bool:
    try:
        with cluster.client(url) as client:
            views = client.health().views
    except Unreachable:
        return False  # it only answers when it has caught up
    return all(
        view.position == head and not view.parked and not view.missing_vectors
        for view in views.values()
    )


def _assert_equal_digests(cluster: Cluster, head: int) -> None:
    digests = []
    for url in cluster.urls:
        with cluster.client(url) as client:
            digests.append(client.digest(at=head).items)
    assert digests == digests[:1] * len(cluster.urls)
    shown = [f"{item.view} {item.rows} rows {item.sha256[:12]}" for item in digests[0]]
    print(f"{len(digests)} nodes at {head}: {', '.join(shown)}")


def _assert_a_dead_one_is_not_listed_for_long(cluster: Cluster, killed: NodeProcess) -> None:
    def listed() -> set[str]:
        with cluster.client(cluster.urls[0]) as client:
            return {node.url for node in client.replicas().items}

    assert listed() == set(cluster.urls)
    killed.kill()
    eventually(lambda: listed() == set(cluster.urls) - {killed.url}, within_s=31, every_s=0.2)


def _archive_and_trim(cluster: Cluster) -> None:
    """Do what the primary's lifecycle worker does, with segments small enough for this log."""
    settings = cluster.settings("primary", archive_segment_events=50, archive_hot_window=20)
    stop = threading.Event()
    worker = threading.Thread(target=work, args=(settings, stop, 0.05))
    worker.start()
    try:
        with RedisLog(cluster.log.url) as log:
            eventually(lambda: log.floor() > 1, within_s=60)
    finally:
        stop.set()
        worker.join()
    with RedisLog(cluster.log.url) as log:
        assert ship_vectors_now(settings, log, open_archive(settings).place) > 0


def _assert_says_what_the_log_says(views: Path, url: str, facts: list[Fact]) -> None:
    assert_state_equals_log(views / "state", url)
    assert differences(vector_rows(views.parent), stretches_of(facts)) == []
    assert event_differences(event_rows(views / "analytics"), facts) == []
