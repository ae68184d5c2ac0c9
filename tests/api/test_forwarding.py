"""A replica answers reads and passes every command on, as it came, to the primary."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import httpx
import pytest
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from api.app import create_app
from api.documented import OF_THE_LOG
from api.forwarding import FORWARDED_BY
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from tests.api.service import ADMIN_KEY, Service, commit, free_port, recalled, running_service
from tests.servers import LogServer
from workers.log_server import node_id

ANSWERED_BY_THE_NODE_ITSELF = {
    "/recall",
    "/context",
    "/admin/audit/query",
    "/admin/backup",
    "/admin/projections/{view}/retry",
    "/admin/rebuild/{view}",
}
"""POST routes that ask, or that concern the files of the node that was asked."""


@pytest.fixture(scope="module", autouse=True)
def _no_replica_is_missed(service: Service, log_server: LogServer) -> Iterator[None]:
    """Take the replicas of these tests off the log's list: an erase would name them as away."""
    yield
    with RedisLog(log_server.url, "api-tests") as log:
        for reader in Readers(log).all():
            if not reader.name.startswith(node_id(service.node.values.data)):
                Readers(log).forget(reader.name)


@pytest.fixture(scope="module")
def replica(
    service: Service,
    log_server: LogServer,
    volatile_server: LogServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Service]:
    """A replica of the service that all tests share, on the same log."""
    data = tmp_path_factory.mktemp("replica")
    flags = {"role": "replica", "primary": service.url}
    with running_service(log_server, volatile_server, data, "api-tests", **flags) as running:
        yield running


def test_every_route_that_writes_is_passed_on_and_no_other(replica: Service) -> None:
    passed_on, kept = set(), set()
    for route in create_app(replica.node).routes:
        if not isinstance(route, HTTPRoute):
            continue
        for handler in route.route_handlers:
            path = re.sub(r":\w+}", "}", route.path.removeprefix("/api/v1"))
            for method in handler.http_methods - {"OPTIONS"}:
                assert isinstance(handler, HTTPRouteHandler)
                (passed_on if handler.opt.get(OF_THE_LOG) else kept).add((method, path))
    assert {path for method, path in kept if method != "GET"} == ANSWERED_BY_THE_NODE_ITSELF
    assert not [path for method, path in passed_on if method == "GET"]


def test_what_is_committed_through_a_replica_is_read_from_it_and_from_the_primary(
    service: Service, replica: Service, fresh: Any
) -> None:
    name = fresh("speaker")
    agent = service.agent(name)
    here = replica.client(agent.headers["X-API-Key"])
    receipt = commit(here, f"{name} keeps the spare fuses in the blue drawer", distill=False)
    for client in (here, agent):
        found = recalled(client, f"{name} fuses", min_position=receipt["position"])
        assert found[0]["id"] == receipt["memory_id"]
        memory = client.get(f"/api/v1/memory/{receipt['memory_id']}")
        assert memory.json()["agent_id"] == name
    for path in ("memories", "stats", "tags", "namespaces", "bootstrap"):
        here_said, there_said = (
            json.loads(c.get(f"/api/v1/{path}").content, parse_float=lambda text: text[:6])
            for c in (here, agent)
        )
        assert here_said == there_said, path
    past = recalled(here, f"{name} fuses", as_of={"position": receipt["position"] - 4})
    assert receipt["memory_id"] not in [item["id"] for item in past]


def test_key_headers_body_and_answer_go_through_as_they_are(
    service: Service, replica: Service, fresh: Any
) -> None:
    key, correlation = uuid4().hex, f"corr-{fresh('c')}"
    headers = {"Idempotency-Key": key, "X-Correlation-ID": correlation}
    said = {"content": "Grüße, 世界 \\u00e9", "distill": False, "namespace": fresh("bytes")}
    body = json.dumps(said).encode()
    url = "/api/v1/commit"
    sent = {"content": body, "headers": {**headers, "Content-Type": "application/json"}}
    through = replica.admin.post(url, **sent)
    assert through.status_code == 201, through.text
    assert through.headers["X-Correlation-ID"] == correlation
    again, direct = replica.admin.post(url, **sent), service.admin.post(url, **sent)
    assert again.content == direct.content
    assert again.status_code == direct.status_code == 200
    assert again.json()["duplicate"]
    differs = {"x-request-id", "date"}
    assert {k: v for k, v in again.headers.items() if k not in differs} == {
        k: v for k, v in direct.headers.items() if k not in differs
    }
    # A repeat is a repeat, wherever it is sent; and the event bears the caller's correlation id.
    events = service.admin.get(
        "/api/v1/admin/audit", params={"from_position": through.json()["position"], "limit": 1}
    )
    if events.json()["items"]:
        assert events.json()["items"][0]["correlation_id"] == correlation


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("commit", b"{", 400),
        ("commit", b'{"content": "x", "nonsense": 1}', 422),
        ("commit?wait=perhaps", b'{"content": "x"}', 422),
        ("commit?unknown=1", b'{"content": "x"}', 422),
        ("memory/5f2d7b1e-0000-5000-8000-000000000001/tags", b'{"tags": []}', 404),
        ("commit", b'{"content": "%s"}' % (b"x" * 70_000), 413),
        ("commit", b'{"content": "%s"}' % (b"x" * 1_100_000), 413),
    ],
)
def test_a_refusal_is_the_primarys_with_the_request_id_that_its_log_knows(
    service: Service, replica: Service, path: str, body: bytes, status: int
) -> None:
    sent = {"content": body, "headers": {"Content-Type": "application/json"}}
    through = replica.admin.post(f"/api/v1/{path}", **sent)
    direct = service.admin.post(f"/api/v1/{path}", **sent)
    assert through.status_code == direct.status_code == status, through.text
    assert through.headers["Content-Type"] == direct.headers["Content-Type"]
    assert through.json()["type"] == direct.json()["type"]
    assert through.json()["errors"] == direct.json()["errors"]
    assert through.json()["request_id"] == through.headers["X-Request-ID"]
    # The connection is as good as before.
    assert replica.admin.get("/api/v1/stats").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        b"/api/v1/memory/%E4%B8%96%2F..%2F%61/pin?wait=true&wait=true",
        b"/api/v1/memory/a%20b%3Fc%23d/pin?wait=%74rue",
        b"/api/v1/memory/%zz/pin?%ff=%00",
        b"/api/v1/memory/../memory/x/pin?",
        b"/api/v1//memory/x/pin",
    ],
)
def test_a_path_means_on_both_nodes_what_the_primary_says(
    service: Service, replica: Service, path: bytes
) -> None:
    through, direct = (
        httpx.post(httpx.URL(node.url).copy_with(raw_path=path), headers={"X-API-Key": ADMIN_KEY})
        for node in (replica, service)
    )
    assert through.status_code == direct.status_code >= 400
    assert {k: v for k, v in through.json().items() if k != "request_id"} == {
        k: v for k, v in direct.json().items() if k != "request_id"
    }


def test_each_node_refuses_a_wrong_key_for_itself(service: Service, replica: Service) -> None:
    stranger = replica.client("mw_nobody.0123456789012345678901234567890123456789012")
    for answer in (
        stranger.post("/api/v1/commit", json={"content": "x"}),
        replica.nobody.post("/api/v1/commit", json={"content": "x"}),
        stranger.get("/api/v1/stats"),
    ):
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"]


def test_a_new_key_and_an_ended_one_hold_on_the_replica_that_was_asked(
    replica: Service, fresh: Any
) -> None:
    name = fresh("turner")
    registered = replica.admin.post(
        "/api/v1/agents/register", json={"agent_id": name, "kind": "hermes"}
    )
    assert registered.status_code == 201, registered.text
    old = replica.client(registered.json()["api_key"])
    assert old.get("/api/v1/stats").status_code == 200
    rotated = replica.admin.post(f"/api/v1/agents/{name}/rotate-key")
    assert rotated.status_code == 200, rotated.text
    assert old.get("/api/v1/stats").status_code == 401
    new = replica.client(rotated.json()["api_key"])
    assert new.get("/api/v1/stats").status_code == 200


def test_who_waits_waits_for_the_views_of_the_node_that_was_asked(
    service: Service, replica: Service, fresh: Any
) -> None:
    agent = service.agent(fresh("waiter"))
    here = replica.client(agent.headers["X-API-Key"])
    for wait in ("true", "vectors"):
        receipt = commit(here, f"{wait} waited for", wait=wait, distill=False)
        assert replica.node.state.checkpoint().position >= receipt["position"]
        assert replica.node.vector.checkpoint().position >= receipt["position"]
    namespace = here.get(f"/api/v1/memory/{receipt['memory_id']}").json()["namespace"]
    assert replica.node.vector.missing_vectors(frozenset([namespace])) == 0


def test_what_a_replica_passed_on_is_not_passed_on_again(replica: Service) -> None:
    answer = replica.admin.post(
        "/api/v1/commit", json={"content": "x"}, headers={FORWARDED_BY: "another-node"}
    )
    assert answer.status_code == 503
    assert answer.json()["type"].endswith("/primary-unavailable")
    assert "another-node" in answer.json()["detail"]


def test_a_replica_of_a_replica_and_of_itself_is_refused_and_reads_go_on(
    replica: Service, log_server: LogServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = tmp_path_factory.mktemp("second")
    flags = {"role": "replica", "primary": replica.url}
    with running_service(log_server, None, data, "api-tests", **flags) as second:
        for asked in (second.admin, second.owner):
            answer = asked.post("/api/v1/commit", json={"content": "round and round"})
            assert answer.status_code == 503, answer.text
            assert "passed this command on to a replica" in answer.json()["detail"]
        assert second.admin.get("/api/v1/stats").status_code == 200


@contextmanager
def a_primary(behave: Any) -> Iterator[str]:
    """Serve whatever ``behave(handler)`` answers, as a primary that is not well."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            behave(self)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # their name
            """Stay quiet."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.rfile.read(int(handler.headers["Content-Length"]))
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def speak_of_something_else(handler: BaseHTTPRequestHandler) -> None:
    handler.rfile.read(int(handler.headers["Content-Length"]))
    handler.send_response(200)
    handler.send_header("Content-Length", "6")
    handler.end_headers()
    handler.wfile.write(b"<html>")


def close_early(handler: BaseHTTPRequestHandler) -> None:
    handler.rfile.read(int(handler.headers["Content-Length"]))
    handler.send_response(201)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"position": 1')
    handler.close_connection = True


@pytest.fixture
def lonely(
    log_server: LogServer, tmp_path_factory: pytest.TempPathFactory, request: Any
) -> Iterator[Any]:
    """Give a function that runs a replica whose primary is at a URL."""

    @contextmanager
    def run(primary: str) -> Iterator[Service]:
        data = tmp_path_factory.mktemp("lonely")
        flags = {"role": "replica", "primary": primary}
        with running_service(log_server, None, data, "api-tests", **flags) as running:
            yield running

    return run


def test_without_a_primary_commands_are_503_and_retryable_and_reads_go_on(
    service: Service, lonely: Any
) -> None:
    with lonely(f"http://127.0.0.1:{free_port()}") as replica:
        answer = replica.admin.post("/api/v1/commit", json={"content": "x"})
        assert answer.status_code == 503
        assert answer.headers["Retry-After"]
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["type"].endswith("/primary-unavailable")
        assert "was not carried out" in answer.json()["detail"]
        assert replica.admin.get("/api/v1/stats").status_code == 200
        asked = replica.admin.post("/api/v1/recall", json={"query": "anything"})
        assert asked.status_code == 200


def test_a_primary_that_gives_no_whole_answer_leaves_the_command_in_doubt(lonely: Any) -> None:
    for behave in (hang_up, close_early, speak_of_something_else):
        with a_primary(behave) as url, lonely(url) as replica:
            answer = replica.admin.post("/api/v1/commit?wait=true", json={"content": "x"})
            assert answer.status_code == 503, behave
            assert re.search(r"may have been carried out|no receipt", answer.json()["detail"])
            assert replica.admin.get("/api/v1/stats").status_code == 200


def test_a_slow_primary_takes_no_place_of_reads(lonely: Any) -> None:
    """More commands wait for it than the API has threads."""
    go = threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        go.wait(30)
        handler.send_response(201)
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        handler.wfile.write(b"{}")

    with a_primary(slow) as url, lonely(url) as replica:
        statuses: list[int] = []

        def send() -> None:
            answer = httpx.post(
                f"{replica.url}/api/v1/commit",
                json={"content": "x"},
                headers={"X-API-Key": ADMIN_KEY},
                timeout=60,
            )
            statuses.append(answer.status_code)

        senders = [threading.Thread(target=send) for _ in range(40)]
        for sender in senders:
            sender.start()
        try:
            for _ in range(5):
                assert replica.admin.get("/api/v1/stats").status_code == 200
            assert statuses == []
        finally:
            go.set()
            for sender in senders:
                sender.join()
        assert statuses == [201] * 40
