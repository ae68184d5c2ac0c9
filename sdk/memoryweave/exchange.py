"""How a call is carried out, without doing any of it: one core for `Client` and `AsyncClient`.

A call is a generator that yields what has to happen next, a `Request` to be sent or a `Pause` to
be made, and is sent the `Reply` or the `Failure`. The clients only perform these effects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar, cast

import msgspec
from msgspec import Struct

from memoryweave import contract
from memoryweave.errors import (
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
    Unreachable,
    refusal,
)
from memoryweave.operation import Operation, Recalled
from memoryweave.outbox import Outbox, Queued

A = TypeVar("A")


class Request(Struct, frozen=True):
    """Send this."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes | None


class Pause(Struct, frozen=True):
    """Wait this long."""

    seconds: float


class Reply(Struct, frozen=True):
    """What came back. Header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Failure(Struct, frozen=True):
    """Nothing came back, and why."""

    reason: str


Steps = Generator[Request | Pause, Reply | Failure | None, A]


class Retries(Struct, frozen=True, kw_only=True):
    """When to try again: waits of 0.1 s, doubling up to 5 s, for at most ``within_s`` in all.

    A 429 or 503 with Retry-After is waited for as long as it says, if that is within the limit.
    """

    within_s: float = 15.0
    first_wait_s: float = 0.1
    longest_wait_s: float = 5.0


NO_RETRIES = Retries(within_s=0.0)


class Surroundings(Struct, frozen=True):
    """What a call needs: ``clock`` in seconds since 1970, ``randomness(n)`` gives n bytes."""

    retries: Retries
    clock: Callable[[], float]
    randomness: Callable[[int], bytes]
    outbox: Outbox | None


def carry_out(operation: Operation[A], around: Surroundings) -> Steps[A | Queued]:
    """Carry out one operation, with retries, the outbox and the last answers.

    Raises what errors.py lists. Only a deferrable operation can end in `Queued`.
    """
    key = operation.idempotency_key
    if operation.command and key is None:
        key = uuid7(int(around.clock() * 1000), around.randomness(10))
    if around.outbox is None:
        return (yield from _exchange(operation, key, around))
    if operation.deferrable:
        assert key is not None
        return (yield from _deliver_or_keep(operation, key, around, around.outbox))
    if operation.remembered:
        return (yield from _recall_or_remember(operation, around, around.outbox))
    return (yield from _exchange(operation, key, around))


def deliver(around: Surroundings) -> Steps[bool]:
    """Send what waits in the outbox, oldest first; True when nothing waits any more.

    What the service refuses for good is set aside with its problem (`Outbox.refused`). A key that
    is not valid says nothing of a command: `Unauthenticated` is raised, and everything waits on.
    """
    if around.outbox is None:
        return True
    patient = msgspec.structs.replace(around, retries=NO_RETRIES)
    while (waiting := around.outbox.oldest()) is not None:
        try:
            yield from _exchange(waiting.operation, waiting.key, patient)
        except (Unreachable, Unavailable, RateLimited):
            return False
        except Unauthenticated:
            raise
        except Refused as refused:
            around.outbox.set_aside(waiting, refused.problem)
        else:
            around.outbox.remove(waiting)
    return True


def uuid7(now_ms: int, randomness: bytes) -> str:
    """Make a UUIDv7 (RFC 9562) from milliseconds since 1970 and 10 random bytes."""
    raw = bytearray(now_ms.to_bytes(6, "big") + randomness)
    raw[6] = (raw[6] & 0x0F) | 0x70
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _deliver_or_keep(
    operation: Operation[A], key: str, around: Surroundings, outbox: Outbox
) -> Steps[A | Queued]:
    # What waits goes first, so that the log keeps the order in which things were said.
    if not (yield from deliver(around)):
        return outbox.add(operation, key, around.clock())
    try:
        return (yield from _exchange(operation, key, around))
    except (Unreachable, Unavailable):
        return outbox.add(operation, key, around.clock())


def _recall_or_remember(operation: Operation[A], around: Surroundings, outbox: Outbox) -> Steps[A]:
    try:
        answer = yield from _exchange(operation, None, around)
    except (Unreachable, Unavailable):
        last = outbox.last_answer(operation)
        if last is None:
            raise
        return cast("A", msgspec.structs.replace(cast("Recalled", last), stale=True))
    outbox.keep_answer(operation, answer, around.clock())
    return answer


def _exchange(operation: Operation[A], key: str | None, around: Surroundings) -> Steps[A]:
    request = _request(operation, key)
    retries = around.retries
    end = around.clock() + retries.within_s
    wait = retries.first_wait_s
    while True:
        reply = yield request
        assert reply is not None
        if isinstance(reply, Reply) and reply.status in operation.good:
            return msgspec.json.decode(reply.body, type=operation.answer)
        error = _error(reply, around.clock())
        advised = error.retry_after_s if isinstance(error, Refused) else None
        # Half of the wait is chance, so that many clients do not come back at once.
        jitter = 0.5 + around.randomness(1)[0] / 510
        pause = wait * jitter if advised is None else advised
        if not _may_pass(error) or around.clock() + pause > end:
            raise error
        yield Pause(pause)
        wait = min(wait * 2, retries.longest_wait_s)


def _may_pass(error: Exception) -> bool:
    return isinstance(error, Unreachable | Unavailable | RateLimited)


def _request(operation: Operation[A], key: str | None) -> Request:
    headers = {"Accept": "application/json"}
    if operation.body is not None:
        headers["Content-Type"] = "application/json"
    if key is not None:
        headers["Idempotency-Key"] = key
    return Request(operation.method, operation.path, operation.query, headers, operation.body)


def _error(reply: Reply | Failure, now: float) -> Unreachable | Refused:
    if isinstance(reply, Failure):
        return Unreachable(reply.reason)
    try:
        problem = msgspec.json.decode(reply.body, type=contract.Problem)
    except msgspec.DecodeError:
        # A proxy's page, or something else that does not speak our language.
        problem = contract.Problem(
            type="about:blank",
            title="The answer is not a problem document",
            status=reply.status,
            detail=json.dumps(reply.body[:200].decode("utf-8", "replace")),
            instance="",
        )
    return refusal(problem, _retry_after(reply.headers.get("retry-after"), now))


def _retry_after(value: str | None, now: float) -> float | None:
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.astimezone(UTC) - datetime.fromtimestamp(now, UTC)).total_seconds())
