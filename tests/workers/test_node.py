"""A node built from settings, and how it describes itself."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.node import key_digest
from domain.errors import NotFound
from inference.openai_compatible import OpenAICompatible
from tests.nodes import COMMAND, NodeProcess, clean_environment
from tests.servers import LogServer
from workers.keys import KeyRing, ensure_keys
from workers.node import Node, Surroundings, make_embedder, make_reranker, open_node
from workers.settings import resolve


def ring_for(data: Path, url: str, **environment: str) -> KeyRing:
    """Resolve settings for a node on that log server."""
    return ensure_keys(resolve({"data": str(data)}, {"REDIS_URL": url} | environment))


@pytest.fixture
def own_server() -> Iterator[LogServer]:
    """A log server that a test may end."""
    with LogServer() as server:
        yield server


def test_a_node_that_nobody_projects_yet_is_ready_and_says_what_is_missing(
    log_server: LogServer, tmp_path: Path
) -> None:
    with open_node(ring_for(tmp_path, log_server.url)) as node:
        health = node.health()
    assert (health.status, health.ready, health.live) == ("degraded", True, True)
    assert health.log.durable
    assert {part.part for part in health.degraded} == {
        "view state",
        "view vector",
        "view analytics",
    }
    assert health.views["state"].paused == "no projection worker has begun it"


def test_without_a_log_and_without_views_a_node_is_unavailable(
    own_server: LogServer, tmp_path: Path
) -> None:
    with open_node(ring_for(tmp_path, own_server.url)) as node:
        own_server.kill()
        health = node.health()
    assert (health.status, health.ready) == ("unavailable", False)
    assert not health.log.writable
    assert "log" in {part.part for part in health.degraded}


def test_a_careless_log_server_that_was_allowed_is_reported(tmp_path: Path) -> None:
    with (
        LogServer(appendfsync="everysec") as careless,
        open_node(ring_for(tmp_path, careless.url, MEMORYWEAVE_ALLOW_VOLATILE="true")) as node,
    ):
        health = node.health()
    assert not health.log.durable
    (durability,) = (part for part in health.degraded if part.part == "durability")
    assert "appendfsync" in durability.reason


def test_time_chance_keys_and_settings_are_those_given(
    log_server: LogServer, tmp_path: Path
) -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    ring = ring_for(
        tmp_path,
        log_server.url,
        MEMORYWEAVE_METRICS_ACCESS="admin",
        MEMORYWEAVE_CROSS_NAMESPACE_READS="any",
    )
    with open_node(ring, Surroundings(lambda: noon, lambda n: b"r" * n)) as node:
        assert node.clock() == noon
        assert node.randomness(3) == b"rrr"
        assert node.keys.admin == key_digest(ring.keys.api_key)
        assert node.keys.owner == key_digest(ring.keys.owner_key)
        assert (node.options.open_schema, node.options.open_metrics) == (True, False)
        assert node.options.cross_namespace_reads == "any"
        assert ring.keys.api_key not in repr(node.settings())
        with pytest.raises(NotFound):
            node.retry_parked("nonsense")


def test_only_what_is_used_is_made(log_server: LogServer, tmp_path: Path) -> None:
    with open_node(ring_for(tmp_path, log_server.url)) as node:
        assert isinstance(node, Node)
        assert node.volatile is None
        assert node.embedder.state == "idle"
        assert "application" not in vars(node)


def test_an_embedding_endpoint_is_used_when_one_is_given(tmp_path: Path) -> None:
    given = {"EMBED_ENDPOINT": "http://127.0.0.1:9", "EMBED_DIMENSION": "8"}
    embedder = make_embedder(resolve({"data": str(tmp_path)}, given).settings)
    assert isinstance(embedder, OpenAICompatible)
    assert (embedder.name, embedder.dimension) == ("openai:bge-m3", 8)
    assert embedder.calibrate(0.4) == 0.4
    embedder.close()


def test_a_reranker_is_asked_only_where_one_is_given(tmp_path: Path) -> None:
    data = {"data": str(tmp_path)}
    assert make_reranker(resolve(data, {}).settings) is None
    given = {"RERANK_ENDPOINT": "http://127.0.0.1:9", "RERANK_MODEL": "some-reranker"}
    reranker = make_reranker(resolve(data, given).settings)
    assert reranker is not None
    assert reranker.name == "rerank:some-reranker"


def test_a_second_projection_worker_on_one_node_is_refused(node: NodeProcess) -> None:
    second = subprocess.run(
        [*COMMAND, "worker", "--data", node.data],
        capture_output=True,
        text=True,
        env=clean_environment(),
        check=False,
        timeout=60,
    )
    assert second.returncode == 1
    assert "is being written by another process" in second.stderr
    assert "Traceback" not in second.stderr
