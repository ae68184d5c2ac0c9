"""Route decorators that state every status a route can answer with, for the OpenAPI document.

``tests/api`` holds the service to it: an undocumented status is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from litestar import delete, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from msgspec import Struct

from api.problems import MEDIA_TYPE
from memoryweave.contract import Problem

BODY_LIMIT: Final = 1024 * 1024

OF_THE_LOG: Final = "of_the_log"
"""Route option: it writes to the log, or to what all nodes share; a replica passes it on."""

AWAITED: Final = "awaited"
"""Route option: the views (`api.waiting.Until`) that it always waits for before it answers."""

Decorator = Callable[[Callable[..., Any]], HTTPRouteHandler]

_MEANING: Final = {
    400: "The request cannot be read",
    401: "No key, or not a valid one",
    403: "A namespace or an action that is not yours",
    404: "No such id, or one that you may not read",
    409: "Conflict: version, reused key, taken name, finished state",
    413: "The body or one content is over its limit",
    415: "The body is not JSON",
    422: "A value is not valid; every field at fault is named",
    429: "The bucket is empty; see Retry-After and X-RateLimit-*",
    503: "Not now; see Retry-After",
}
_OF_EVERY_ROUTE: Final = (400, 401, 403, 404, 422, 503)
_OF_BODIES: Final = (413, 415)


def command(
    method: str,
    path: str,
    receipt: type[Struct],
    *,
    tag: str = "write",
    first_status: int = 200,
    body_limit: int = BODY_LIMIT,
    opt: Mapping[str, object] | None = None,
) -> Decorator:
    """Declare a command: ``first_status`` when done now, 200 when repeated, 202 when not all
    views that have to show it do so yet. ``body_limit`` is in bytes, ``opt`` for guards. On a
    replica, a primary carries it out.
    """
    decorate: Callable[..., Decorator] = {"POST": post, "DELETE": delete}[method]
    responses = {
        200: _receipt(receipt, "Done, or done before (duplicate)"),
        202: _receipt(receipt, "Done; the views named in the receipt do not show it yet"),
        **_problems(*_OF_EVERY_ROUTE, *_OF_BODIES, 409, 429),
    }
    responses.pop(first_status, None)
    return decorate(
        path,
        status_code=first_status,
        responses=responses,
        tags=[tag],
        request_max_body_size=body_limit,
        opt={OF_THE_LOG: True, **(opt or {})},
    )


def question(method: str, path: str, *, tag: str = "read", limited: bool = False) -> Decorator:
    """Declare a read. ``limited``: it costs a token."""
    statuses = (*_OF_EVERY_ROUTE, *(_OF_BODIES if method == "POST" else ()))
    responses = _problems(*statuses, *((429,) if limited else ()))
    decorate: Callable[..., Decorator] = {"GET": get, "POST": post}[method]
    return decorate(
        path,
        status_code=200,
        responses=responses,
        tags=[tag],
        request_max_body_size=BODY_LIMIT,
    )


def request_for(path: str, *, tag: str) -> Decorator:
    """Declare a POST that asks another process of this node for something: 202, later."""
    return post(path, status_code=202, responses=_problems(*_OF_EVERY_ROUTE), tags=[tag])


def act(path: str, *, tag: str) -> Decorator:
    """Declare a POST that does something to the node itself, and is done when it answers: 201."""
    return post(path, status_code=201, responses=_problems(*_OF_EVERY_ROUTE), tags=[tag])


def _problems(*statuses: int) -> dict[int, ResponseSpec]:
    return {
        status: ResponseSpec(
            Problem, generate_examples=False, description=_MEANING[status], media_type=MEDIA_TYPE
        )
        for status in statuses
    }


def _receipt(receipt: type[Struct], meaning: str) -> ResponseSpec:
    return ResponseSpec(receipt, generate_examples=False, description=meaning)
