"""How a replica passes commands on to a primary (docs/replicas.md, decision 0020).

The primary judges: it is given the caller's own key, headers and body, and its answer goes back as
it came. Only what must not be passed on between two connections is taken out, and the wait for
views is done here, because whoever asks this node reads from this node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import parse_qsl, urlencode

import msgspec
from litestar.datastructures import Headers
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPReceiveMessage, HTTPScope, Receive, Scope, Send
from msgspec import Struct

from api.authentication import caller_of, presented_key
from api.calls import Service
from api.documented import AWAITED, OF_THE_LOG
from api.node import Primaries
from api.waiting import Until, wait_for_command
from domain.errors import PrimaryUnavailable, TooLarge

if TYPE_CHECKING:
    import httpx

FORWARDED_BY: Final = "X-MemoryWeave-Forwarded-By"
"""Header that names the node which passed a command on: no second one passes it on again."""

CONNECT_WITHIN_S: Final = 2.0
ANSWER_WITHIN_S: Final = 60.0
"""More than a command with ``?wait`` takes; what an admin asks for may take up to 10 min."""
ADMIN_ANSWER_WITHIN_S: Final = 600.0
_MOST_AT_ONCE: Final = 256

_UNTIL: Final[dict[str, Until]] = {"true": "views", "vectors": "vectors"}
_BETWEEN_TWO: Final = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
_NOT_SENT_ON: Final = _BETWEEN_TWO | {
    "host", "content-length", "expect", "origin", "x-correlation-id", FORWARDED_BY.lower(),
}  # fmt: skip
_NOT_SENT_BACK: Final = _BETWEEN_TWO | {"date", "server"}


class _Positioned(Struct):
    """What every receipt has."""

    position: int


def commands_passed_on(forwarding: Forwarding) -> Callable[[ASGIApp], ASGIApp]:
    """Make the layer around each route: what is a command of the log goes to a primary.

    A function, because the framework copies whatever else it is given, for every route.
    """

    def layer(app: ASGIApp) -> ASGIApp:
        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            handler = scope.get("route_handler")
            if isinstance(handler, HTTPRouteHandler) and handler.opt.get(OF_THE_LOG):
                await forwarding.pass_on(cast("HTTPScope", scope), handler, receive, send)
            else:
                await app(scope, receive, send)

        return handle

    return layer


class Forwarding:
    """Passes the commands of one API process on. Belongs to one event loop; close it there."""

    def __init__(self, service: Service, primaries: Primaries) -> None:
        self._service = service
        self._primaries = primaries
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def pass_on(
        self, scope: HTTPScope, handler: HTTPRouteHandler, receive: Receive, send: Send
    ) -> None:
        """Answer one command with what a primary answers. Raises `PrimaryUnavailable`, `TooLarge`,
        and what waiting for views raises.
        """
        headers = Headers.from_scope(scope)
        if FORWARDED_BY in headers:
            raise PrimaryUnavailable(
                f"node {headers[FORWARDED_BY][:100]} passed this command on to a replica: its "
                "--primary, or the --public-url of that primary, must name a node that takes them"
            )
        body = await _read_body(receive, handler.resolve_request_max_body_size())
        until, query = _own_wait(scope, handler)
        answer = await self._send(scope, _patience(handler), query, body)
        try:
            if until == "stored" or answer.status_code not in (200, 201):
                await _stream(send, answer)
                return
            content = await _whole(answer)
        finally:
            await answer.aclose()
        status, content = await self._shown_here(scope, answer.status_code, content, until)
        back = _headers(answer.headers.raw, _NOT_SENT_BACK | {"content-encoding", "content-length"})
        await _start(send, status, [*back, (b"content-length", str(len(content)).encode())])
        await send({"type": "http.response.body", "body": content, "more_body": False})

    async def _shown_here(
        self, scope: HTTPScope, status: int, content: bytes, until: Until
    ) -> tuple[int, bytes]:
        """Wait until this node's views show the command; name those that do not in the receipt."""
        position = _position_in(content)
        service = self._service
        scope["state"]["position"] = position
        caller = None
        if until == "vectors":
            key = presented_key(Headers.from_scope(scope))
            caller = await caller_of(service.node, service.threads, key, service.last_used)
        pending = await wait_for_command(service.node, service.threads, position, until, caller)
        if not pending:
            return status, content
        receipt = msgspec.json.decode(content)
        return 202, msgspec.json.encode({**receipt, "pending_views": pending})

    async def _send(
        self, scope: HTTPScope, patience: httpx.Timeout, query: bytes, body: bytes
    ) -> httpx.Response:
        """Send a command to the first primary that accepts a connection."""
        import httpx

        urls = await self._service.threads.ask_log(self._primaries.urls)
        headers = [
            *_headers(scope["headers"], _NOT_SENT_ON),
            (FORWARDED_BY.encode(), self._primaries.node_id.encode()),
            (b"x-correlation-id", scope["state"]["correlation_id"].encode()),
        ]
        path = scope["raw_path"].partition(b"?")[0] + (b"?" + query if query else b"")
        reasons = []
        for url in urls:
            client = self._open_client()
            base = httpx.URL(url)
            passed = client.build_request(
                scope["method"],
                # As it came, byte for byte: what a path means is for the primary to say.
                base.copy_with(raw_path=base.raw_path.rstrip(b"/") + path),
                headers=headers,
                content=body or None,
                timeout=patience,
            )
            try:
                return await client.send(passed, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
                reasons.append(f"{url}: {error or type(error).__name__}")  # it was not sent
            except httpx.TransportError as error:
                raise _in_doubt(url, error) from error
        raise PrimaryUnavailable(
            f"the command was not carried out: {'; '.join(reasons)}"
            if reasons
            else "the command was not carried out: no primary has said where it is; start one, or "
            "give this replica --primary"
        )

    def _open_client(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx

            self._client = httpx.AsyncClient(
                limits=httpx.Limits(max_connections=_MOST_AT_ONCE, max_keepalive_connections=32),
                follow_redirects=False,
                trust_env=False,  # a proxy that the environment names would be given the keys
            )
            self._client.headers.clear()  # only what the caller sent
        return self._client


def _patience(handler: HTTPRouteHandler) -> httpx.Timeout:
    import httpx

    of_admins = "admin" in (handler.tags or ())
    answer = ADMIN_ANSWER_WITHIN_S if of_admins else ANSWER_WITHIN_S
    return httpx.Timeout(answer, connect=CONNECT_WITHIN_S, pool=CONNECT_WITHIN_S)


async def _read_body(receive: Receive, limit: int | None) -> bytes:
    """Read a request to its end. Raises `TooLarge` over ``limit`` bytes, as the primary would."""
    body, more = b"", True
    while more:
        message = cast("HTTPReceiveMessage", await receive())
        if message["type"] != "http.request":
            raise PrimaryUnavailable("the client has gone: nothing was passed on")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if limit is not None and len(body) > limit:
            raise TooLarge(f"the body is over {limit} bytes, the limit of this route")
    return body


def _own_wait(scope: HTTPScope, handler: HTTPRouteHandler) -> tuple[Until, bytes]:
    """Say which of this node's views have to show the command, and what is left of the query.

    A ``wait`` that says nothing known stays in the query: the primary words the refusal.
    """
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    asked = [value for name, value in pairs if name == "wait"]
    if len(asked) == 1 and asked[0] in _UNTIL:
        rest = [(name, value) for name, value in pairs if name != "wait"]
        return _UNTIL[asked[0]], urlencode(rest).encode()
    return handler.opt.get(AWAITED, "stored"), scope["query_string"]


def _headers(
    raw: Iterable[tuple[bytes, bytes]], left_out: frozenset[str]
) -> list[tuple[bytes, bytes]]:
    """Give the headers to pass on; those that ``Connection`` names stay behind, too."""
    named = b",".join(value for name, value in raw if name.lower() == b"connection")
    own = left_out | {part.strip().lower() for part in named.decode("latin-1").split(",")}
    return [
        (name, value)
        for name, value in raw
        if (low := name.decode("latin-1").lower()) not in own
        and not low.startswith("access-control-")  # this node's own settings speak about origins
    ]


async def _whole(answer: httpx.Response) -> bytes:
    import httpx

    try:
        return await answer.aread()
    except httpx.TransportError as error:
        raise _in_doubt(str(answer.url), error) from error


def _position_in(content: bytes) -> int:
    try:
        return msgspec.json.decode(content, type=_Positioned).position
    except msgspec.MsgspecError as error:
        raise PrimaryUnavailable(
            "what answered is no primary: it gave no receipt; look at --primary"
        ) from error


def _in_doubt(url: str, error: Exception) -> PrimaryUnavailable:
    return PrimaryUnavailable(
        f"{url} gave no whole answer ({type(error).__name__}), so the command may have been "
        "carried out: repeat it with the same Idempotency-Key"
    )


async def _stream(send: Send, answer: httpx.Response) -> None:
    """Give an answer as it came, byte for byte."""
    await _start(send, answer.status_code, _headers(answer.headers.raw, _NOT_SENT_BACK))
    async for part in answer.aiter_raw():
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _start(send: Send, status: int, headers: Sequence[tuple[bytes, bytes]]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
