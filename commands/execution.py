"""Running one command: load, decide, append; again when somebody else was first.

Whether a command is a repeat is the append script's to say, before anything else. A decision may
refuse or find nothing to do *because* the command was done already (the memory it deletes is a
tombstone, the version it expects has gone by), so before such an answer is given the log is asked
for the command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from threading import Lock
from typing import Any, Generic, NoReturn, TypeVar

from msgspec import Struct

from commands.application import MemoryApplication, PreparedWork
from commands.command import Clock, Command, CommandContext
from commands.contention import pause_before
from commands.unit_of_work import UnitOfWork
from domain.aggregate import Aggregate, AggregateKind
from domain.errors import Contended, LogUnavailable, MemoryWeaveError
from domain.events import Event
from eventlog.append import Fence
from eventlog.outcomes import AlreadyAppended, Conflict, Duplicate

A = TypeVar("A", bound=Aggregate)
R = TypeVar("R")

Decide = Callable[[UnitOfWork], None]
"""Reads what it needs, refuses by raising, or records events."""


class Done(Struct, frozen=True, kw_only=True):
    """What a command has become: the events of its first execution, in order.

    ``position`` is that of the last one, or the head of the log when there is none.
    ``state`` gives an aggregate as it was after them.
    """

    events: Sequence[Event]
    position: int
    duplicate: bool
    state: Callable[[AggregateKind[Any], str], Any]


def execute(
    application: MemoryApplication,
    command: Command[Any],
    clock: Clock,
    decide: Decide,
    receipt: Callable[[Done], R],
    fence: Fence | None = None,
) -> R:
    """Run a command once, however often it is sent, and give its receipt.

    ``fence`` is the lease without which it is not stored. Raises what ``decide`` raises,
    `Contended` when others kept changing the same aggregates, and the refusals of an append
    (`KeyReused`, `CommandTooOld`, `Fenced`, `LogFull`, `TooLarge`, `LogUnavailable`; after
    `InDoubt` the caller repeats with the same key).
    """
    context, contention = command.context, application.contention
    alone: Lock | None = None
    for attempt in range(application.policy.attempts_on_conflict):
        if attempt:
            application.pause(pause_before(attempt, context.command_id))
        with alone or nullcontext():
            work = application.unit_of_work(command, clock())
            done = _decided(application, work, context, decide)
            if done is None and alone is None:
                alone = contention.fought_over(work.touched)
                if alone is not None:
                    continue
            try:
                return receipt(done or _stored(application, work, context, fence))
            except Conflict as conflict:
                alone = contention.alone_on(conflict.aggregate_id)
    raise Contended(
        f"others changed the same thing {application.policy.attempts_on_conflict} times meanwhile: "
        "repeat with the same idempotency key"
    )


class Order(Struct, Generic[R], frozen=True, kw_only=True):
    """A command with how it decides and what its receipt is, as `execute` takes them."""

    command: Command[Any]
    decide: Decide
    receipt: Callable[[Done], R]


def execute_each(
    application: MemoryApplication,
    orders: Sequence[Order[R]],
    clock: Clock,
    fence: Fence | None = None,
) -> list[Callable[[], R]]:
    """Run several commands as `execute` runs each, in this order, with few round trips.

    Each is one append of its own. They are sent together as long as none looks at what one before
    it changes; what meets a conflict all the same is run again by itself. What is given tells of
    each, when it is called, what `execute` gives or raises. Raises `LogUnavailable` where nothing
    may be stored now.
    """
    told: list[Callable[[], R]] = []
    together: list[_Attempt[R]] = []
    changed: set[str] = set()
    for order in orders:
        attempt = _attempt(application, order, clock, fence)
        if not changed.isdisjoint(attempt.work.touched):
            told += _sent(application, together, clock, fence)
            together, changed = [], set()
            attempt = _attempt(application, order, clock, fence)
        together.append(attempt)
        changed.update(event.aggregate_id for event in attempt.work.events)
    return told + _sent(application, together, clock, fence)


def done_before(application: MemoryApplication, context: CommandContext) -> Done | None:
    """Give what a command has become if it was done before. For what is costly to prepare.

    Raises `KeyReused` and `LogUnavailable`.
    """
    earlier = application.find_duplicate(context)
    return None if earlier is None else _repeated(application, earlier)


class _Attempt(Struct, Generic[R], frozen=True):
    """One look of an order at things: to be sent, or done without an append."""

    order: Order[R]
    work: UnitOfWork
    prepared: PreparedWork | None = None
    answer: Callable[[], R] | None = None


def _attempt(
    application: MemoryApplication, order: Order[R], clock: Clock, fence: Fence | None
) -> _Attempt[R]:
    context = order.command.context
    work = application.unit_of_work(order.command, clock())
    try:
        done = _decided(application, work, context, order.decide)
        if done is not None:
            return _Attempt(order, work, answer=partial(order.receipt, done))
        if application.contention.fought_over(work.touched) is None:
            return _Attempt(order, work, prepared=application.prepare(work, context, fence))
    except Exception as error:  # noqa: BLE001  # told to whoever asks what became of it
        return _Attempt(order, work, answer=partial(_raise, error))
    return _Attempt(order, work, answer=partial(_by_itself, application, order, clock, fence))


def _sent(
    application: MemoryApplication,
    attempts: Sequence[_Attempt[R]],
    clock: Clock,
    fence: Fence | None,
) -> list[Callable[[], R]]:
    ready = [one.prepared for one in attempts if one.prepared is not None]
    answers = iter(application.store_each(ready) if ready else ())
    return [
        one.answer or partial(_told, application, one, next(answers), clock, fence)
        for one in attempts
    ]


def _told(
    application: MemoryApplication,
    attempt: _Attempt[R],
    answer: Callable[[], list[Event]],
    clock: Clock,
    fence: Fence | None,
) -> R:
    order = attempt.order
    try:
        stored = answer()
    except AlreadyAppended as already:
        return order.receipt(_repeated(application, Duplicate(already.first, already.last)))
    except Conflict:
        return _by_itself(application, order, clock, fence)
    return order.receipt(_done(stored, attempt.work))


def _by_itself(
    application: MemoryApplication, order: Order[R], clock: Clock, fence: Fence | None
) -> R:
    return execute(application, order.command, clock, order.decide, order.receipt, fence)


def _raise(error: Exception) -> NoReturn:
    raise error


def _decided(
    application: MemoryApplication, work: UnitOfWork, context: CommandContext, decide: Decide
) -> Done | None:
    """Let the command decide. Gives what it has become if there is nothing to append."""
    try:
        decide(work)
    except LogUnavailable:
        raise
    except MemoryWeaveError:
        earlier = application.find_duplicate(context)
        if earlier is None:
            raise
        return _repeated(application, earlier)
    if work.events:
        return None
    earlier = application.find_duplicate(context)
    return _repeated(application, earlier) if earlier else _unchanged(application, work)


def _stored(
    application: MemoryApplication, work: UnitOfWork, context: CommandContext, fence: Fence | None
) -> Done:
    try:
        stored = application.store(work, context, fence)
    except AlreadyAppended as already:
        return _repeated(application, Duplicate(already.first, already.last))
    return _done(stored, work)


def _done(stored: Sequence[Event], work: UnitOfWork) -> Done:
    return Done(events=stored, position=stored[-1].position, duplicate=False, state=work.get)


def _unchanged(application: MemoryApplication, work: UnitOfWork) -> Done:
    position = application.event_log.head().position
    return Done(events=(), position=position, duplicate=True, state=work.get)


def _repeated(application: MemoryApplication, earlier: Duplicate) -> Done:
    events = application.read(earlier.first, earlier.last)
    versions = {event.aggregate_id: event.version for event in events}

    def state(kind: AggregateKind[A], aggregate_id: str) -> A | None:
        return application.load(kind, aggregate_id, version=versions.get(aggregate_id))

    return Done(events=events, position=earlier.last, duplicate=True, state=state)
