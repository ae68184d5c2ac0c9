"""What a replica answers while something is wrong around it, and how it comes back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from eventlog.nodes import Nodes
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from tests.api.service import Service, commit, recalled, running_service
from tests.inference.embedding_server import embedding_server
from tests.servers import LogServer, eventually
from workers.gathering import Gathering
from workers.heartbeat import beat_of
from workers.lifecycle_status import read_status
from workers.lifecycle_worker import work
from workers.log_server import node_id
from workers.settings import Settings


@pytest.fixture
def server() -> Iterator[LogServer]:
    """A log server of its own, because these tests end it and write into it as vandals do."""
    with LogServer() as running:
        yield running


@pytest.fixture(autouse=True)
def _quick_analytics(monkeypatch: pytest.MonkeyPatch) -> None:
    """The analytics view gathers for 5 s otherwise."""
    monkeypatch.setattr("workers.views.Gathering", partial(Gathering, longest_s=0.05))


@contextmanager
def node(server: LogServer, data: Path, **flags: Any) -> Iterator[Service]:
    with running_service(server, None, data, "main", **flags) as running:
        yield running


@contextmanager
def pair(server: LogServer, folder: Path, **flags: Any) -> Iterator[tuple[Service, Service]]:
    """Run a primary and a replica of it."""
    with (
        node(server, folder / "primary") as primary,
        node(server, folder / "replica", role="replica", primary=primary.url, **flags) as replica,
    ):
        yield primary, replica


def reached(service: Service, position: int) -> bool:
    views = service.nobody.get("/health").json()["views"]
    return all(view["position"] >= position for view in views.values())


def problem_of(answer: httpx.Response) -> str:
    return str(answer.json()["type"]).rsplit("/", 1)[-1]


def digests(service: Service) -> list[Any]:
    items: list[Any] = service.admin.get("/api/v1/admin/digest").json()["items"]
    return items


@pytest.mark.slow
def test_reads_go_on_without_log_server_and_the_replica_comes_back_by_itself(
    server: LogServer, tmp_path: Path
) -> None:
    with pair(server, tmp_path) as (primary, replica):
        told = commit(primary.admin, "The heron nests in bay 9", distill=False)
        found = recalled(replica.admin, "heron", min_position=told["position"])
        assert found[0]["id"] == told["memory_id"]
        server.kill()
        for service in (primary, replica):
            assert recalled(service.admin, "heron")[0]["id"] == told["memory_id"]
            refused = service.admin.post("/api/v1/commit", json={"content": "x"})
            assert (refused.status_code, problem_of(refused)) == (503, "log-unavailable")
        assert replica.admin.get("/api/v1/admin/replicas").status_code == 503
        health = replica.nobody.get("/health")
        assert (health.status_code, health.json()["role"]) == (200, "replica")
        assert "log" in [part["part"] for part in health.json()["degraded"]]
        server.start()
        again = commit(replica.admin, "The heron nests in bay 10", distill=False)
        for service in (primary, replica):
            eventually(lambda s=service: reached(s, again["position"]), within_s=60)
        eventually(lambda: digests(primary) == digests(replica), within_s=30)


def test_an_event_of_a_newer_program_stops_its_views_and_nothing_else(
    server: LogServer, tmp_path: Path
) -> None:
    with pair(server, tmp_path) as (_, replica):
        told = commit(replica.admin, "The stork stands on the roof", distill=False)
        position = told["position"] + 1
        with RedisLog(server.url) as log, server.client() as client:
            entries = client.xrange(log.keys.stream, f"{position - 1}-0")
            fields = dict(entries[-1][1])
            memory = told["memory_id"].encode()
            fields |= {b"e": b"5f2d7b1e-0000-5000-8000-0000000000aa", b"d": b"{}"}
            fields |= {b"t": b"MemoryDreamed", b"k": b"Memory", b"a": memory, b"n": b"2"}
            client.xadd(log.keys.stream, fields, id=f"{position}-0")
            client.zadd(log.keys.aggregate(told["memory_id"]), {str(position): 2})
            eventually(lambda: problems(replica) == {"unknown-event-type"}, within_s=30)
        health = replica.nobody.get("/health")
        assert health.status_code == 200
        assert {part["part"] for part in health.json()["degraded"]} >= {"view state", "view vector"}
        assert recalled(replica.admin, "stork")[0]["id"] == told["memory_id"]
        # Commands are carried out all the same; what cannot be shown is named.
        passed_on = replica.admin.post("/api/v1/commit", json={"content": "The stork is gone"})
        assert passed_on.status_code == 201
        behind = replica.admin.post(
            "/api/v1/recall", json={"query": "stork", "min_position": passed_on.json()["position"]}
        )
        assert (behind.status_code, problem_of(behind)) == (503, "view-behind")


def test_nodes_with_different_embedders_say_the_same(server: LogServer, tmp_path: Path) -> None:
    with embedding_server() as embeddings:
        other = {
            "embed_endpoint": embeddings.endpoint,
            "embed_model": "another",
            "embed_dimension": "8",
        }
        with pair(server, tmp_path, **other) as (primary, replica):
            long = " ".join(f"word{n} about the kingfisher" for n in range(400))
            commit(primary.admin, long, speaker="owner", session_id="s-1")
            told = commit(replica.admin, "The kingfisher dives", distill=False, wait="vectors")
            for service in (primary, replica):
                assert recalled(service.admin, "kingfisher dives")[0]["id"] == told["memory_id"]
            assert embeddings.requests, "the replica's vectors are its own embedder's"
            eventually(lambda: digests(primary) == digests(replica), within_s=30)


@pytest.mark.slow
def test_who_finds_the_primary_in_the_log_finds_the_one_that_took_its_place(
    server: LogServer, tmp_path: Path
) -> None:
    def say(service: Service, name: str) -> None:
        with RedisLog(server.url) as log:
            beat = beat_of(service.node.values, [], log, datetime.now(UTC))
            Nodes(log).beat(msgspec.structs.replace(beat, node_id=name, url=service.url))

    with node(server, tmp_path / "replica", role="replica", port=1) as replica:
        nobody = replica.admin.post("/api/v1/commit", json={"content": "x"})
        assert (nobody.status_code, problem_of(nobody)) == (503, "primary-unavailable")
        assert "primary" in [p["part"] for p in replica.nobody.get("/health").json()["degraded"]]
        for name in ("first", "second"):
            # Each begins on a directory of its own, and tells where it is.
            with node(server, tmp_path / name) as primary:
                say(primary, name)

                def taken(name: str = name) -> bool:
                    answer = replica.admin.post("/api/v1/commit", json={"content": name})
                    return answer.status_code == 201

                eventually(taken, within_s=30, every_s=0.2)
                with RedisLog(server.url) as log:
                    Nodes(log).leave(name)
        refused = replica.admin.post("/api/v1/commit", json={"content": "x"})
        assert problem_of(refused) == "primary-unavailable"
        assert "was not carried out" in refused.json()["detail"]


@pytest.mark.slow
def test_a_replica_that_was_away_too_long_is_let_go_and_comes_back_by_the_archive(
    server: LogServer, tmp_path: Path
) -> None:
    archive = str(tmp_path / "archive")
    settings = Settings(
        data=tmp_path / "lifecycle",
        redis_url=server.url,
        archive_location=archive,
        archive_segment_events=20,
        archive_hot_window=10,
        archive_hold_events=60,
    )
    settings.data.mkdir()
    with node(server, tmp_path / "primary", archive_location=archive) as primary:
        replicas = {"role": "replica", "primary": primary.url}
        commit(primary.admin, "The curlew calls", distill=False)
        with node(server, tmp_path / "replica", **replicas), RedisLog(server.url) as log:
            eventually(lambda: has_reported(log, tmp_path / "replica"), within_s=60)
        with RedisLog(server.url) as log, lifecycle(settings):
            name = node_id(tmp_path / "replica")
            entries = [{"content": f"Wader {number}"} for number in range(40)]
            primary.admin.post("/api/v1/batch-commit", json={"entries": entries})
            # It holds the beginning while it is within the limit …
            eventually(lambda: name in trouble(settings), within_s=30)
            assert log.floor() == 1
            entries = [{"content": f"Godwit {number}"} for number in range(60)]
            primary.admin.post("/api/v1/batch-commit", json={"entries": entries})
            # … and no longer once it is behind it.
            eventually(lambda: log.floor() > 20, within_s=60)
            head = log.head().position
        # Without the archive it cannot go on: it says so, and answers what it has.
        with node(server, tmp_path / "replica", **replicas) as replica:
            eventually(lambda: "archive-damaged" in problems(replica), within_s=30)
            said = replica.nobody.get("/health").json()["degraded"]
            assert any("archive.location" in part["reason"] for part in said)
            assert recalled(replica.admin, "curlew")
        # With it, it goes on where it was.
        with node(server, tmp_path / "replica", archive_location=archive, **replicas) as replica:
            eventually(lambda: reached(replica, head), within_s=60)
            eventually(lambda: digests(primary) == digests(replica), within_s=60, every_s=0.2)


@contextmanager
def lifecycle(settings: Settings) -> Iterator[None]:
    stop = threading.Event()
    worker = threading.Thread(target=work, args=(settings, stop, 0.05))
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


def has_reported(log: RedisLog, data: Path) -> bool:
    name = node_id(data)
    reached = [reader for reader in Readers(log).all() if reader.name.startswith(name)]
    return len(reached) == 3 and all(reader.checkpoint.position for reader in reached)


def trouble(settings: Settings) -> str:
    status = read_status(settings.data)
    return status.trouble if status else ""


def problems(service: Service) -> set[str]:
    with RedisLog(service.node.values.redis_url or "") as log:
        beat = beat_of(service.node.values, ["state", "vector"], log, datetime.now(UTC))
    return {view.problem for view in beat.views.values()}
