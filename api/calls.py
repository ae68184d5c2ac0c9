"""One request with its caller, and the one way in which a command of it is carried out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Literal, Protocol, TypeVar, cast

import msgspec
from litestar import Request, Response
from msgspec import Struct

from api.idempotency import command_context
from api.last_used import LastUsed
from api.metrics import RequestDurations
from api.node import Node
from api.rate_limits import Bucket, Purpose, RateLimits, headers_of
from api.recall_log import RecallLog
from api.threads import Threads
from api.waiting import Until, wait_for_command
from commands.application import MemoryApplication
from commands.command import Clock, Command
from domain.caller import Caller
from domain.errors import Forbidden
from queries.recall_cache import RecallCache

Wait = Literal["false", "true", "vectors"]

_UNTIL: dict[Wait, Until] = {"false": "stored", "true": "views", "vectors": "vectors"}


class Receipt(Protocol):
    """What every command answers with."""

    @property
    def position(self) -> int:
        """The log position to wait for."""

    @property
    def duplicate(self) -> bool:
        """Whether the command was done before."""


M = TypeVar("M", bound=Struct)
R = TypeVar("R", bound=Receipt)

Handler = Callable[[MemoryApplication, Command[M], Clock], R]


class Service(Struct, frozen=True, kw_only=True):
    """What all requests share. ``lexical`` runs the lexical half of searches.

    ``recalls_under_way``, of the event loop: ends of searches, by what their answer is kept under.
    """

    node: Node
    threads: Threads
    limits: RateLimits
    last_used: LastUsed
    lexical: Executor
    durations: RequestDurations
    recall_cache: RecallCache
    recall_log: RecallLog
    recalls_under_way: dict[str, asyncio.Event]


class Call(Struct, frozen=True):
    """What a route works with."""

    service: Service
    request: Request[Any, Any, Any]

    @property
    def node(self) -> Node:
        """The node that serves the call."""
        return self.service.node

    @property
    def threads(self) -> Threads:
        """Where blocking work runs."""
        return self.service.threads

    @property
    def caller(self) -> Caller:
        """The holder of the request's key, as the guard found it."""
        caller = self.request.user
        assert isinstance(caller, Caller)
        return caller


async def carry_out(
    call: Call,
    handler: Handler[M, R],
    message: M,
    *,
    wait: Wait = "false",
    first_status: int = 200,
    purpose: Purpose = "change",
    cost: int = 1,
) -> Response[R]:
    """Run a command and answer with its receipt.

    ``first_status`` answers a command that was done now, 200 a repeat, 202 one that is done but
    that not every view asked for by ``wait`` shows yet; then the receipt names these views.
    """
    return await carry_out_until(
        call, handler, message, _UNTIL[wait], first_status=first_status, purpose=purpose, cost=cost
    )


async def carry_out_until(
    call: Call,
    handler: Handler[M, R],
    message: M,
    until: Until,
    *,
    caller: Caller | None = None,
    first_status: int = 200,
    purpose: Purpose = "change",
    cost: int = 1,
) -> Response[R]:
    """Run a command that must not be answered before the views of ``until`` show it.

    ``caller`` stands in for the holder of the key where the command is another's (enrolment).
    """
    node, speaker = call.node, caller or call.caller
    context = command_context(call.request, speaker, message, node.clock, node.randomness)
    command = Command(caller=speaker, context=context, request=message)

    def run() -> tuple[Bucket | None, R]:
        bucket = call.service.limits.take(speaker, purpose, cost)
        return bucket, handler(node.application, command, node.clock)

    bucket, receipt = await call.threads.ask_log(run)
    status = 200 if receipt.duplicate else first_status
    call.request.scope["state"]["position"] = receipt.position
    pending = await wait_for_command(node, call.threads, receipt.position, until, speaker)
    if pending:
        receipt, status = _with_pending(receipt, pending), 202
    headers = headers_of(bucket) if bucket is not None else {}
    return Response(receipt, status_code=status, headers=headers)


def _with_pending(receipt: R, pending: list[str]) -> R:
    assert isinstance(receipt, Struct)
    named: Any = msgspec.structs.replace(receipt, pending_views=pending)
    return cast("R", named)


def require_admin(caller: Caller) -> None:
    """Raise `Forbidden` unless the caller holds the admin key."""
    if caller.kind != "admin":
        raise Forbidden("this needs the admin key")


def require_no_agent(caller: Caller) -> None:
    """Raise `Forbidden` unless the caller holds the admin or the owner key."""
    if caller.kind == "agent":
        raise Forbidden("this needs the admin or the owner key")
