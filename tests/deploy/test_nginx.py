"""The nginx example: what goes where, and what happens when a node dies."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import crossplane
import httpx
import pytest
from litestar.handlers import HTTPRouteHandler

from api.app import PREFIX, ROUTES
from api.documented import OF_THE_LOG
from tests.nodes import free_port
from tests.servers import eventually

EXAMPLE = Path(__file__).parents[2] / "deploy" / "nginx" / "memoryweave.conf"
NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
PRIMARY, REPLICAS = "10.0.0.1:7821", ("10.0.0.2:7821", "10.0.0.3:7821")
QUESTIONS = {"/api/v1/recall", "/api/v1/admin/audit/query"}

needs_nginx = pytest.mark.skipif(
    NGINX is None, reason="no nginx on this machine: the example was only parsed"
)


def blocks() -> list[dict[str, Any]]:
    parsed = crossplane.parse(str(EXAMPLE), check_ctx=False, check_args=True)
    assert parsed["errors"] == []
    block: list[dict[str, Any]] = parsed["config"][0]["parsed"]
    return block


def directives(block: list[dict[str, Any]], name: str) -> list[list[str]]:
    return [line["args"] for line in block if line["directive"] == name]


def test_only_what_asks_is_asked_of_a_next_node_and_a_dead_one_is_dropped() -> None:
    upstreams = {
        line["args"][0]: line["block"] for line in blocks() if line["directive"] == "upstream"
    }
    reads = directives(upstreams["memoryweave_reads"], "server")
    assert [server[0] for server in reads] == [*REPLICAS, PRIMARY]
    for server in reads:
        assert {"max_fails=3", "fail_timeout=10s"} <= set(server)
    assert directives(upstreams["memoryweave_commands"], "server") == [[PRIMARY]]
    (server,) = (line["block"] for line in blocks() if line["directive"] == "server")
    locations = {
        tuple(line["args"]): line["block"] for line in server if "location" in line.values()
    }
    for args, block in locations.items():
        (next_node,) = directives(block, "proxy_next_upstream")
        if args == ("@commands",):
            assert next_node == ["off"]
            continue
        # nginx takes DELETE for idempotent, so only reads may come to where others are tried.
        assert ("non_idempotent" in next_node) == (args[-1] in QUESTIONS)
        assert directives(block, "proxy_pass") == [["http://memoryweave_reads"]]
    assert {args[-1] for args in locations} == QUESTIONS | {"/", "@commands"}


class FakeNode:
    """Answers every request with its own name; counts them."""

    def __init__(self, name: str) -> None:
        self.asked: Counter[str] = Counter()
        self.status = 200
        self.goes_on = threading.Event()
        self.goes_on.set()
        self._connections: list[socket.socket] = []
        node = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                node.asked[f"{self.command} {self.path}"] += 1
                node.goes_on.wait(30)
                body = json.dumps({"node": name}).encode()
                self.send_response(node.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                self.answer()

            def do_POST(self) -> None:
                self.answer()

            def do_DELETE(self) -> None:
                self.answer()

            def setup(self) -> None:
                super().setup()
                node._connections.append(self.connection)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # their name
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def die(self) -> None:
        self.goes_on.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            for connection in self._connections:
                with suppress(OSError):  # ended already
                    connection.shutdown(socket.SHUT_RDWR)


class Proxy:
    """A running nginx with the example, its addresses replaced by those of fake nodes."""

    def __init__(self, folder: Path) -> None:
        self.nodes = {name: FakeNode(name) for name in ("primary", "replica 1", "replica 2")}
        text = EXAMPLE.read_text()
        for real, node in zip((PRIMARY, *REPLICAS), self.nodes.values(), strict=True):
            text = text.replace(real, node.address)
        # A node that hangs is waited for 5 s; the test has not got so long.
        assert text.count("proxy_read_timeout 5s") == 2
        text = text.replace("proxy_read_timeout 5s", "proxy_read_timeout 300ms")
        self.port = free_port()
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{self.port}")
        text = re.sub(r"ssl_certificate\S* .*;\n", "", text)
        (folder / "memoryweave.conf").write_text(text)
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/error.log info; worker_processes 1;"
            "events { worker_connections 128; } http { access_log off;"
            + "".join(
                f"{kind}_temp_path {folder}/{kind};"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            + f"include {folder}/memoryweave.conf; }}"
        )
        assert NGINX is not None
        command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        self._process = subprocess.Popen([*command], stderr=subprocess.DEVNULL)
        eventually(self._answers)
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30)

    def ask(self, method: str, path: str) -> httpx.Response:
        return self.client.request(method, path)

    def node_that_answers(self, method: str, path: str) -> str:
        answer = self.ask(method, path)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["node"])

    def close(self) -> None:
        self.client.close()
        self._process.terminate()
        self._process.wait(timeout=10)
        for node in self.nodes.values():
            node.die()

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    running = Proxy(tmp_path)
    try:
        yield running
    finally:
        running.close()


@needs_nginx
def test_every_route_goes_where_it_belongs(proxy: Proxy) -> None:
    for handler in ROUTES:
        assert isinstance(handler, HTTPRouteHandler)
        for path in handler.paths:
            filled = PREFIX + re.sub(r"{\w+:\w+}", "x", path)
            for method in sorted(handler.http_methods):
                node = proxy.node_that_answers(method, filled)
                if handler.opt.get(OF_THE_LOG):
                    assert node == "primary", (method, path)
                elif method == "GET" or filled in QUESTIONS:
                    assert node.startswith("replica"), (method, path)


@needs_nginx
def test_a_dead_node_is_dropped_and_no_read_fails_while_commands_are_sent_once(
    proxy: Proxy,
) -> None:
    def reads(count: int) -> Counter[str]:
        asked = [("GET", "/api/v1/stats"), ("POST", "/api/v1/recall")]
        return Counter(proxy.node_that_answers(*asked[n % 2]) for n in range(count))

    first, second = proxy.nodes["replica 1"], proxy.nodes["replica 2"]
    assert set(reads(20)) == {"replica 1", "replica 2"}

    # One that hangs is waited for three times, then left alone for 10 s.
    first.goes_on.clear()
    before = first.asked.total()
    assert reads(20) == {"replica 2": 20}
    assert first.asked.total() - before == 3
    first.die()
    assert reads(10) == {"replica 2": 10}

    # One that answers that it cannot now, as one whose views are refused, is left alone as well.
    second.status = 503
    before = second.asked.total()
    assert reads(20) == {"primary": 20}
    assert second.asked.total() - before <= 3, "after three failures it is not asked for 10 s"

    # The primary gone: a read has nobody left, a command is refused, once.
    primary = proxy.nodes["primary"]
    primary.status = 503
    before = primary.asked.total()
    assert proxy.ask("POST", "/api/v1/commit").status_code == 503
    assert proxy.ask("DELETE", "/api/v1/distilled/x").status_code == 503
    assert primary.asked.total() - before == 2
    primary.die()
    assert proxy.ask("POST", "/api/v1/commit").status_code == 502
