"""Making a tombstone live again."""

from __future__ import annotations

from msgspec import Struct

from commands.access import require_may_withdraw, visible_memory
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import memory_receipt
from commands.text_claims import claim_text, require_text_free
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.memory import MEMORY
from memoryweave import contract


class RestoreMemory(Struct, frozen=True, kw_only=True):
    """POST /memory/{id}/restore."""

    memory_id: str


def restore(
    application: MemoryApplication, command: Command[RestoreMemory], clock: Clock
) -> contract.MemoryReceipt:
    """Bring the memory back with the text it had.

    `WrongState` when another memory says exactly that text by now. Its author's to do, the owner's
    and the admin's.
    """
    request = command.request

    def decide(work: UnitOfWork) -> None:
        memory = visible_memory(work, request.memory_id)
        require_may_withdraw(work.caller, "memory", memory.author, memory.namespace)
        bodies = memories.restore(memory, agent_id=work.caller.actor)
        if bodies:
            require_text_free(work, memory, memory.text_hash)
            claim_text(work, work.record(MEMORY, memory.id, bodies))

    return execute(
        application, command, clock, decide, lambda done: memory_receipt(done, request.memory_id)
    )
