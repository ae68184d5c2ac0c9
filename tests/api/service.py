"""The whole service in one process: real log server, real views, real model, real HTTP."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from granian.constants import Interfaces
from granian.server.embed import Server
from msgspec.structs import replace

from api.app import create_app
from tests.servers import LogServer, eventually
from workers.keys import ensure_keys
from workers.node import Node, open_node
from workers.projection_worker import build_views
from workers.settings import Settings, resolve

ADMIN_KEY = "the-admin-key-of-these-tests"
OWNER_KEY = "the-owner-key-of-these-tests"
GENEROUS = {"recall_per_s": 1e4, "recall_burst": 10000, "commit_per_s": 1e4, "commit_burst": 10000}


class Service:
    """A running service: ``url``, the node behind it, and clients by key."""

    def __init__(self, url: str, node: Node) -> None:
        self.url = url
        self.node = node
        self._clients: dict[str | None, httpx.Client] = {}

    def client(self, key: str | None) -> httpx.Client:
        """Give a client with that key (None: without any); one connection pool per key."""
        if key not in self._clients:
            headers = {} if key is None else {"X-API-Key": key}
            self._clients[key] = httpx.Client(
                base_url=self.url, headers=headers, timeout=30, trust_env=False
            )
        return self._clients[key]

    @property
    def admin(self) -> httpx.Client:
        return self.client(ADMIN_KEY)

    @property
    def owner(self) -> httpx.Client:
        return self.client(OWNER_KEY)

    @property
    def nobody(self) -> httpx.Client:
        return self.client(None)

    def agent(self, agent_id: str, **fields: Any) -> httpx.Client:
        """Register an agent (with generous limits unless told otherwise); give its client."""
        body = {"agent_id": agent_id, "kind": "hermes", "quota": GENEROUS, **fields}
        answer = self.admin.post("/api/v1/agents/register", json=body)
        assert answer.status_code == 201, answer.text
        return self.client(answer.json()["api_key"])

    def close(self) -> None:
        for client in self._clients.values():
            client.close()


class WithOptions:
    """A running node, as one whose settings say something else; for `create_app`."""

    def __init__(self, node: Node, **options: Any) -> None:
        self._node = node
        self.options = replace(node.options, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


@contextmanager
def running_service(
    log_server: LogServer, volatile: LogServer | None, data: Path, log_name: str, **flags: Any
) -> Iterator[Service]:
    """Serve a fresh node on a free loopback port until the block ends."""
    environ = {"API_KEY": ADMIN_KEY, "OWNER_KEY": OWNER_KEY, "REDIS_URL": log_server.url}
    if volatile is not None:
        environ["VOLATILE_URL"] = volatile.url
    ring = ensure_keys(resolve({"data": str(data), "log": log_name, **flags}, environ))
    with ExitStack() as stack:
        stack.enter_context(_views(ring.resolved.settings))
        node = stack.enter_context(open_node(ring))
        url = stack.enter_context(_serving(create_app(node)))
        service = Service(url, node)
        stack.callback(service.close)
        eventually(lambda: service.nobody.get("/health").status_code == 200)
        yield service


@contextmanager
def _views(settings: Settings) -> Iterator[None]:
    stop = threading.Event()
    builder = threading.Thread(target=build_views, args=(settings, stop), name="views")
    builder.start()
    try:
        yield
    finally:
        stop.set()
        builder.join()


@contextmanager
def _serving(app: object) -> Iterator[str]:
    port = free_port()
    server = Server(
        app, address="127.0.0.1", port=port, interface=Interfaces.ASGI, log_enabled=False
    )
    loop = asyncio.new_event_loop()
    thread = threading.Thread(
        target=loop.run_until_complete, args=(server.serve(),), name="granian"
    )
    thread.start()
    url = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: _answers(url))
        yield url
    finally:
        loop.call_soon_threadsafe(server.stop)
        thread.join()
        loop.close()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", trust_env=False).status_code in (200, 503)
    except httpx.TransportError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def commit(client: httpx.Client, content: str, *, wait: str = "true", **fields: Any) -> Any:
    """Commit and give the receipt as a dict, once the views asked for show it."""
    return sent(client, "POST", "/api/v1/commit", wait, {"content": content, **fields})


def sent(
    client: httpx.Client, method: str, path: str, wait: str, body: dict[str, Any] | None = None
) -> Any:
    """Send a command and give its receipt; 202 on a busy machine means: ask once more."""
    headers = {"Idempotency-Key": uuid4().hex}
    answers: list[httpx.Response] = []

    def shown() -> bool:
        answers.append(
            client.request(method, path, params={"wait": wait}, json=body, headers=headers)
        )
        return answers[-1].status_code != 202

    eventually(shown, within_s=60)
    assert answers[-1].status_code in (200, 201), answers[-1].text
    return {**answers[-1].json(), "duplicate": answers[0].json()["duplicate"]}


def recalled(client: httpx.Client, query: str, **fields: Any) -> list[dict[str, Any]]:
    """Recall and give the results."""
    answer = client.post("/api/v1/recall", json={"query": query, **fields})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results
