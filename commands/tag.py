"""Tagging a memory."""

from __future__ import annotations

from msgspec import Struct

from commands.access import require_may_edit, visible_memory
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import memory_receipt
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.events import TagLevel
from domain.memory import MEMORY
from domain.policies.content import require_tags
from memoryweave import contract


class TagMemory(Struct, frozen=True, kw_only=True):
    """POST /memory/{id}/tags: the whole set from now on, each at ``level`` if one is given."""

    memory_id: str
    tags: list[str]
    level: TagLevel | None = None


def set_tags(
    application: MemoryApplication, command: Command[TagMemory], clock: Clock
) -> contract.MemoryReceipt:
    """Replace the memory's tags. For whoever may write in its namespace."""
    request = command.request

    def decide(work: UnitOfWork) -> None:
        memory = visible_memory(work, request.memory_id)
        require_may_edit(work.caller, memory.namespace)
        tags = require_tags("tags", request.tags)
        work.record(MEMORY, memory.id, memories.set_tags(memory, tags, request.level))

    return execute(
        application, command, clock, decide, lambda done: memory_receipt(done, request.memory_id)
    )
