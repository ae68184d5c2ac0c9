"""Outermost layer: request and correlation ids, one log line per request, request durations.

A line holds the route's template, never a query string, a body or a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, Final

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics import RequestDurations
from api.node import Node
from domain.identity import uuid7

_METHODS: Final = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
_Header = tuple[bytes, bytes]
_CORRELATION: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def access_log(node: Node, durations: RequestDurations) -> Callable[[ASGIApp], ASGIApp]:
    """Make the layer around the whole application that names, times and logs each request.

    A middleware of the framework would not see requests for which there is no route. A caller's
    ``X-Correlation-ID`` (1–128 characters of ``A-Za-z0-9._:-``) is taken over; any other value is
    replaced by the request id.
    """

    log = structlog.get_logger("api")

    def middleware(app: ASGIApp) -> ASGIApp:
        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != ScopeType.HTTP:
                await app(scope, receive, send)
                return
            started = perf_counter()
            request_id = uuid7(int(node.clock().timestamp() * 1000), node.randomness(10))
            state: dict[str, Any] = scope["state"]
            state["request_id"] = request_id
            state["correlation_id"] = _correlation_id(scope) or request_id
            status = 500
            # A caller may invent methods: each would be a series of figures kept for ever.
            method = scope["method"] if scope["method"] in _METHODS else "other"

            async def send_named(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                    message["headers"] = _named(
                        message.get("headers", ()), request_id, state["correlation_id"]
                    )
                await send(message)

            try:
                await app(scope, receive, send_named)
            finally:
                elapsed = perf_counter() - started
                endpoint = scope.get("path_template") or "unknown"
                durations.observe(f"{method} {endpoint}", elapsed)
                log.info(
                    "request",
                    method=method,
                    endpoint=endpoint,
                    status=status,
                    ms=round(elapsed * 1000, 2),
                    actor=state.get("actor"),
                    position=state.get("position"),
                    request_id=request_id,
                    correlation_id=state["correlation_id"],
                )

        return handle

    return middleware


def _named(headers: Iterable[_Header], request_id: str, correlation_id: str) -> list[_Header]:
    """Add both ids; what was passed on to a primary bears those that its log knows."""
    given = list(headers)
    there = {name.lower() for name, _ in given}
    for name, value in ((b"x-request-id", request_id), (b"x-correlation-id", correlation_id)):
        if name not in there:
            given.append((name, value.encode()))
    return given


def _correlation_id(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"x-correlation-id":
            text = value.decode("latin-1")
            return text if _CORRELATION.fullmatch(text) else None
    return None
