"""Giving a memory another text."""

from __future__ import annotations

from commands.access import require_may_edit, visible_memory
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import memory_receipt
from commands.text_claims import claim_text, require_text_free
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.memory import MEMORY
from domain.policies.content import require_content, require_text
from domain.policies.text import text_hash
from domain.policies.trust import require_may_claim
from memoryweave import contract


def correct(
    application: MemoryApplication, command: Command[contract.Correct], clock: Clock
) -> contract.MemoryReceipt:
    """Make the memory say something else; its version rises by one.

    Raises `VersionMismatch` when ``expected_version`` has gone by, `WrongState` for a tombstone and
    for a text that another memory of the namespace says already, `Forbidden` for a memory in a
    namespace that is not the caller's to write.
    """
    request = command.request

    def decide(work: UnitOfWork) -> None:
        memory = visible_memory(work, request.memory_id)
        require_may_edit(work.caller, memory.namespace)
        require_may_claim(work.caller, request.source)
        bodies = memories.correct(
            memory,
            require_content("content", request.content, work.policy),
            source=request.source,
            agent_id=work.caller.actor,
            reason=require_text("reason", request.reason),
            trigger=require_text("trigger", request.trigger),
            expected_version=request.expected_version,
        )
        if bodies:
            require_text_free(work, memory, text_hash(request.content))
            claim_text(work, work.record(MEMORY, memory.id, bodies))

    return execute(
        application, command, clock, decide, lambda done: memory_receipt(done, request.memory_id)
    )
