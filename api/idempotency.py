"""Which command a request is: the same key and the same content are the same command."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

import msgspec
from litestar import Request
from msgspec import Struct

from api.problems import InvalidFields
from commands.command import Clock, CommandContext
from domain.caller import Caller
from domain.identity import command_id, uuid7
from memoryweave.contract import FieldError

HEADER: Final = "Idempotency-Key"
LONGEST_KEY: Final = 255


def command_context(
    request: Request[Any, Any, Any],
    caller: Caller,
    message: Struct | None,
    clock: Clock,
    randomness: Callable[[int], bytes],
) -> CommandContext:
    """Name the command of a request.

    Its id comes from the caller, the route's template and the ``Idempotency-Key`` (a new UUIDv7
    when there is none); its fingerprint from the route, the path's parameters and the body after
    defaults. Raises `InvalidFields` for an empty or overlong key.
    """
    route = f"{request.method} {request.scope['path_template']}"
    key = request.headers.get(HEADER)
    if key is None:
        key = uuid7(int(clock().timestamp() * 1000), randomness(10))
    elif not 1 <= len(key) <= LONGEST_KEY:
        fault = FieldError(field=HEADER, message=f"must have 1 to {LONGEST_KEY} characters")
        raise InvalidFields([fault])
    return CommandContext(
        command_id=command_id(caller.actor, route, key),
        fingerprint=fingerprint(route, dict(request.path_params), message),
        correlation_id=request.scope["state"]["correlation_id"],
    )


def fingerprint(route: str, path_params: dict[str, Any], message: Struct | None) -> str:
    """Give the SHA-256 (hex) of a request in canonical JSON: keys sorted, defaults filled in."""
    canonical = msgspec.json.encode([route, path_params, message], order="sorted")
    return hashlib.sha256(canonical).hexdigest()
