"""A small server that speaks /v1/embeddings, or /v1/rerank, well or badly as the test asks.

Its vectors are made from the texts' bytes: the same text has the same vector in every process.
"""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Exchange"], None]


class Exchange:
    """One request and the means to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        self._handler = handler
        self.request = request

    @property
    def texts(self) -> list[str]:
        return self.request["input"]

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self._handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self._handler.wfile.write(body)

    def answer_rows(self, rows: list[dict[str, Any]]) -> None:
        self.answer(200, json.dumps({"object": "list", "data": rows}).encode())

    def trickle(self, seconds: float) -> None:
        self._handler.send_response(200)
        self._handler.send_header("Content-Length", "100000")
        self._handler.end_headers()
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                self._handler.wfile.write(b" ")
                self._handler.wfile.flush()
                threading.Event().wait(0.02)
        except OSError:
            return  # the client hung up, as it should

    def hang_up(self) -> None:
        self._handler.close_connection = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)


def vector_of(text: str, dimension: int = 8) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [byte - 127.5 for byte in digest[:dimension]]


def well(exchange: Exchange) -> None:
    exchange.answer_rows(
        [{"index": n, "embedding": vector_of(text)} for n, text in enumerate(exchange.texts)]
    )


class EmbeddingServer:
    """Keeps what was asked; ``behaviours`` are used up one a request, then it does as ``usual``."""

    def __init__(self, server: ThreadingHTTPServer, usual: Behaviour) -> None:
        self._server = server
        self.behaviours: list[Behaviour] = []
        self.usual = usual
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"


@contextmanager
def embedding_server(
    path: str = "/v1/embeddings", usual: Behaviour = well, port: int = 0
) -> Iterator[EmbeddingServer]:
    """Serve that path on a loopback port, a free one if none is given, until the block ends."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            request = json.loads(self.rfile.read(length))
            if self.path != path:
                self.send_error(404)
                return
            with lock:
                state.requests.append(request)
                state.authorizations.append(self.headers.get("Authorization"))
                behaviour = state.behaviours.pop(0) if state.behaviours else state.usual
            behaviour(Exchange(self, request))

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # their name
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    state = EmbeddingServer(server, usual)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        state.usual = Exchange.hang_up  # on connections that are still open
        server.shutdown()
        thread.join()
        server.server_close()
