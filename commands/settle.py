"""The owner's word on what was distilled: it stands, perhaps in other words, or it goes."""

from __future__ import annotations

from collections.abc import Callable

from commands.access import visible_memory
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.statement_claims import claim_statement
from commands.text_claims import claim_text, require_text_free
from commands.unit_of_work import UnitOfWork
from domain import candidate
from domain.caller import Caller
from domain.errors import Forbidden, InvalidCommand
from domain.memory import MEMORY, Memory
from domain.policies.content import require_content, require_text
from domain.policies.text import text_hash
from memoryweave import contract


def settle(
    application: MemoryApplication, command: Command[contract.SettleCandidates], clock: Clock
) -> contract.CandidatesReceipt:
    """Let candidates live, and mark live memories as settled: all of them, or none.

    With the owner's key only. Raises `WrongState` for a tombstone, and where another memory says
    exactly that text already.
    """
    request = command.request
    if request.content is not None and len(request.memory_ids) != 1:
        raise InvalidCommand("content", "another text is for one memory: name one")

    def one(work: UnitOfWork, memory: Memory) -> None:
        content = request.content
        if content is not None:
            require_content("content", content, work.policy)
        bodies = candidate.settle(
            memory, agent_id=work.caller.actor, content=content, source="owner_edit"
        )
        if bodies:
            said = memory.text_hash if content is None else text_hash(content)
            require_text_free(work, memory, said)
            settled = work.record(MEMORY, memory.id, bodies)
            claim_text(work, settled)
            claim_statement(work, settled)

    return _each(application, command, clock, request.memory_ids, one)


def dismiss(
    application: MemoryApplication, command: Command[contract.DismissCandidates], clock: Clock
) -> contract.CandidatesReceipt:
    """Make tombstones of candidates: all of them, or none. With the owner's key only.

    Raises `WrongState` for a memory that is no candidate any more.
    """
    request = command.request

    def one(work: UnitOfWork, memory: Memory) -> None:
        reason = require_text("reason", request.reason)
        bodies = candidate.dismiss(memory, agent_id=work.caller.actor, reason=reason)
        work.record(MEMORY, memory.id, bodies)

    return _each(application, command, clock, request.memory_ids, one)


def _each(
    application: MemoryApplication,
    command: Command[contract.SettleCandidates] | Command[contract.DismissCandidates],
    clock: Clock,
    memory_ids: list[str],
    one: Callable[[UnitOfWork, Memory], None],
) -> contract.CandidatesReceipt:
    _require_owner(command.caller)

    def decide(work: UnitOfWork) -> None:
        for memory_id in dict.fromkeys(memory_ids):
            one(work, visible_memory(work, memory_id))

    return execute(
        application,
        command,
        clock,
        decide,
        lambda done: contract.CandidatesReceipt(
            memory_ids=memory_ids, position=done.position, duplicate=done.duplicate
        ),
    )


def _require_owner(caller: Caller) -> None:
    if caller.kind != "owner":
        raise Forbidden("to settle or dismiss what was distilled needs the owner's key")
