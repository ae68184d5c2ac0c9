"""Running one command: load, decide, append; again when somebody else was first.

Whether a command is a repeat is the append script's to say, before anything else. A decision may
refuse or find nothing to do *because* the command was done already (the memory it deletes is a
tombstone, the version it expects has gone by), so before such an answer is given the log is asked
for the command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from threading import Lock
from typing import Any, TypeVar

from msgspec import Struct

from commands.application import MemoryApplication
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


def done_before(application: MemoryApplication, context: CommandContext) -> Done | None:
    """Give what a command has become if it was done before. For what is costly to prepare.

    Raises `KeyReused` and `LogUnavailable`.
    """
    earlier = application.find_duplicate(context)
    return None if earlier is None else _repeated(application, earlier)


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
