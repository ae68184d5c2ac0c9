"""Pinning: the owner's word that a memory must not fade."""

from __future__ import annotations

from msgspec import Struct

from commands.access import require_owner_or_admin, visible_memory
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import memory_receipt
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.events import Tier
from domain.memory import MEMORY
from memoryweave import contract


class PinMemory(Struct, frozen=True, kw_only=True):
    """POST /memory/{id}/pin, and /unpin."""

    memory_id: str


def pin(
    application: MemoryApplication, command: Command[PinMemory], clock: Clock
) -> contract.MemoryReceipt:
    """Put the memory into tier ``core``: immune to forgetting."""
    return _change_tier(application, command, clock, "core")


def unpin(
    application: MemoryApplication, command: Command[PinMemory], clock: Clock
) -> contract.MemoryReceipt:
    """Put the memory back into tier ``normal``."""
    return _change_tier(application, command, clock, "normal")


def _change_tier(
    application: MemoryApplication, command: Command[PinMemory], clock: Clock, tier: Tier
) -> contract.MemoryReceipt:
    request = command.request

    def decide(work: UnitOfWork) -> None:
        memory = visible_memory(work, request.memory_id)
        require_owner_or_admin(work.caller, "pin or unpin a memory")
        work.record(MEMORY, memory.id, memories.change_tier(memory, tier))

    return execute(
        application, command, clock, decide, lambda done: memory_receipt(done, request.memory_id)
    )
