"""One request to the service and the type of its answer, and how requests are put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Literal, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from memoryweave import contract

A = TypeVar("A")
Wait = Literal["true", "vectors"]


class Operation(Struct, Generic[A], frozen=True, kw_only=True):
    """One request and the type of its answer.

    ``command`` needs an idempotency key; ``deferrable`` may be kept in the outbox while the
    service is down; the last answer to a ``remembered`` one stands in for a missing new one.
    """

    method: str
    path: str
    answer: type[A]
    query: dict[str, str] = {}
    body: bytes | None = None
    command: bool = False
    deferrable: bool = False
    remembered: bool = False
    idempotency_key: str | None = None
    good: frozenset[int] = frozenset({200, 201, 202})


class Recalled(contract.RecallAnswer, frozen=True, kw_only=True):
    """A recall's answer. ``stale``: the service is down and this is its last answer to this."""

    stale: bool = False


def command(
    path: str, request: contract.Request, answer: type[A], key: str | None, wait: Wait | None
) -> Operation[A]:
    """Build a command with a body."""
    return Operation(
        method="POST",
        path="/api/v1" + path,
        answer=answer,
        query=query_of(wait=wait),
        body=msgspec.json.encode(request),
        command=True,
        idempotency_key=key,
    )


def on_thing(
    method: str,
    before: str,
    thing_id: str,
    after: str,
    answer: type[A],
    key: str | None,
    wait: Wait | None,
) -> Operation[A]:
    """Build a command on the thing whose id stands between two parts of the path."""
    return Operation(
        method=method,
        path=f"/api/v1{before}{quote(thing_id, safe='')}{after}",
        answer=answer,
        query=query_of(wait=wait),
        command=True,
        idempotency_key=key,
    )


def get(path: str, answer: type[A], query: dict[str, str] | None = None) -> Operation[A]:
    """Build a question."""
    return Operation(method="GET", path="/api/v1" + path, answer=answer, query=query or {})


def query_of(**parameters: object) -> dict[str, str]:
    """Give the query parameters that are set."""
    return {name: str(value) for name, value in parameters.items() if value is not None}


def list_of(items: Sequence[A] | None) -> list[A] | None:
    """Give a list for the wire; None stays None."""
    return None if items is None else list(items)
