"""A small server that speaks /v1/chat/completions, well or badly as the test asks.

``reply`` makes the answer's text of the request: what a model would write is written by the test.
``trouble`` lets the server itself misbehave.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, NamedTuple


class Written(NamedTuple):
    """What a model wrote, and why it stopped."""

    text: str | None
    finish_reason: str = "stop"
    refusal: str | None = None


Reply = Callable[[dict[str, Any]], str | Written]
Trouble = Literal[
    "rate_limited",
    "server_error",
    "reset",
    "hangs_up",
    "no_answer",
    "slow_drip",
    "slow_headers",
    "invalid_utf8",
    "huge",
    "bad_gzip",
    "html",
    "empty_body",
]
"""What a server does instead of passing on what the model wrote."""


class ChatServer:
    """Keeps what was asked. ``status`` other than 200 is answered with an empty body.

    A request with one of the ``refused`` fields is refused, and told why. ``trouble`` says of a
    request what goes wrong with it, None for nothing. One that is never
    answered, or slowly, ends when the server does.
    """

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.reply: Reply = lambda request: "{}"
        self.raw: bytes | None = None
        self.status = 200
        self.refused: frozenset[str] = frozenset()
        self.trouble: Callable[[dict[str, Any]], Trouble | None] = lambda request: None
        self.ended = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def body_for(self, request: dict[str, Any]) -> bytes:
        if self.raw is not None:
            return self.raw
        written = self.reply(request)
        text, finish_reason, refusal = written if isinstance(written, Written) else Written(written)
        return json.dumps(
            {
                "id": "c-1",
                "object": "chat.completion",
                "model": request["model"],
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": finish_reason,
                        "message": {"role": "assistant", "content": text, "refusal": refusal},
                    }
                ],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            }
        ).encode()


def asked_of(request: dict[str, Any]) -> Any:
    """Give the user's message, which is JSON."""
    return json.loads(request["messages"][-1]["content"])


def refuse(handler: BaseHTTPRequestHandler, unwanted: Iterable[str]) -> None:
    """Refuse a request for its fields."""
    said = "; ".join(f"Unsupported parameter: '{name}'" for name in sorted(unwanted))
    body = json.dumps({"error": {"message": said, "type": "invalid_request_error"}}).encode()
    handler.send_response(400)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def make_trouble(
    handler: BaseHTTPRequestHandler, chat: ChatServer, trouble: Trouble, request: dict[str, Any]
) -> None:
    """Answer a request badly, and give up the connection."""
    handler.close_connection = True
    try:
        _TROUBLES[trouble](handler, chat, request)
    except OSError:
        return  # the client hung up, as it may


def _status(status: int, *headers: tuple[str, str]) -> Callable[..., None]:
    def answer(handler: BaseHTTPRequestHandler, chat: ChatServer, request: Any) -> None:
        handler.send_response(status)
        for name, value in (*headers, ("Content-Length", "0")):
            handler.send_header(name, value)
        handler.end_headers()

    return answer


def _body(make: Callable[[bytes], bytes], *headers: tuple[str, str]) -> Callable[..., None]:
    def answer(handler: BaseHTTPRequestHandler, chat: ChatServer, request: Any) -> None:
        body = make(chat.body_for(request))
        handler.send_response(200)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def _reset(handler: BaseHTTPRequestHandler, chat: ChatServer, request: Any) -> None:
    # Closed without lingering: the client gets a reset.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def _hang_up(handler: BaseHTTPRequestHandler, chat: ChatServer, request: Any) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")


def _no_answer(handler: BaseHTTPRequestHandler, chat: ChatServer, request: Any) -> None:
    chat.ended.wait(60)


def _drip(head: bytes, part: bytes) -> Callable[..., None]:
    def answer(handler: BaseHTTPRequestHandler, chat: ChatServer, request: Any) -> None:
        handler.wfile.write(head)
        while not chat.ended.wait(0.02):
            handler.wfile.write(part)

    return answer


_TROUBLES: dict[Trouble, Callable[..., None]] = {
    "rate_limited": _status(429, ("Retry-After", "0")),
    "server_error": _status(500),
    "reset": _reset,
    "hangs_up": _hang_up,
    "no_answer": _no_answer,
    "slow_drip": _drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
    "slow_headers": _drip(b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"),
    "invalid_utf8": _body(lambda body: body.replace(b'"content": "', b'"content": "\xff\xfe')),
    "huge": _body(lambda body: body + b" " * 3_000_000),
    "bad_gzip": _body(lambda body: body, ("Content-Encoding", "gzip")),
    "html": _body(lambda body: b"<html><body>Bad gateway</body></html>"),
    "empty_body": _body(lambda body: b""),
}


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chat.requests.append(request)
            chat.authorizations.append(self.headers.get("Authorization"))
            trouble = chat.trouble(request)
            if trouble is not None:
                make_trouble(self, chat, trouble, request)
                return
            unwanted = chat.refused & request.keys()
            if unwanted:
                refuse(self, unwanted)
                return
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
        chat.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
