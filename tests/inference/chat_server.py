"""A small server that speaks /v1/chat/completions, well or badly as the test asks.

``reply`` makes the answer's text of the request: what a model would write is written by the test.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[dict[str, Any]], str]


class ChatServer:
    """Keeps what was asked. ``status`` other than 200 is answered with an empty body."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.reply: Reply = lambda request: "{}"
        self.raw: bytes | None = None
        self.status = 200
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def body_for(self, request: dict[str, Any]) -> bytes:
        if self.raw is not None:
            return self.raw
        text = self.reply(request)
        return json.dumps(
            {
                "id": "c-1",
                "object": "chat.completion",
                "model": request["model"],
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": text},
                    }
                ],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            }
        ).encode()


def asked_of(request: dict[str, Any]) -> Any:
    """Give the user's message, which is JSON."""
    return json.loads(request["messages"][-1]["content"])


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chat.requests.append(request)
            chat.authorizations.append(self.headers.get("Authorization"))
            known = self.path == "/v1/chat/completions"
            body = chat.body_for(request) if known and chat.status == 200 else b"secret text"
            try:
                self.send_response(chat.status if known else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                return  # the client hung up, as it may

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    chat = ChatServer(server)
    thread = threading.Thread(
        target=server.serve_forever, args=(0.02,), name="chat-server", daemon=True
    )
    thread.start()
    try:
        yield chat
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
