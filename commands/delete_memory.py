"""Deleting a memory softly."""

from __future__ import annotations

from msgspec import Struct

from commands.access import require_may_withdraw, visible_memory
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import memory_receipt
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.memory import MEMORY
from domain.policies.content import require_text
from memoryweave import contract


class DeleteMemory(Struct, frozen=True, kw_only=True):
    """DELETE /distilled/{id}."""

    memory_id: str
    reason: str | None = None


def delete_memory(
    application: MemoryApplication, command: Command[DeleteMemory], clock: Clock
) -> contract.MemoryReceipt:
    """Make the memory a tombstone. Its author's to do, the owner's and the admin's."""
    request = command.request

    def decide(work: UnitOfWork) -> None:
        memory = visible_memory(work, request.memory_id)
        require_may_withdraw(work.caller, "memory", memory.author, memory.namespace)
        reason = require_text("reason", request.reason)
        bodies = memories.delete(memory, agent_id=work.caller.actor, reason=reason)
        work.record(MEMORY, memory.id, bodies)

    return execute(
        application, command, clock, decide, lambda done: memory_receipt(done, request.memory_id)
    )
