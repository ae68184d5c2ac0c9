"""Votes on a memory, and its withdrawal (spec: lifecycle.md, "Importance, quality", "Forgetting").

Whoever may read a memory may vote on it. The owner and its author withdraw it at once; the same
word from another agent counts as two votes against it.
"""

from __future__ import annotations

from commands.access import may_withdraw, visible_memory
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import memory_receipt
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.events import Verdict
from domain.memory import MEMORY, Memory
from domain.policies.content import require_text
from memoryweave import contract


def useful(
    application: MemoryApplication, command: Command[contract.Feedback], clock: Clock
) -> contract.MemoryReceipt:
    """Count one vote for the memory."""
    return _vote(application, command, clock, "useful")


def not_useful(
    application: MemoryApplication, command: Command[contract.Feedback], clock: Clock
) -> contract.MemoryReceipt:
    """Count one vote against the memory."""
    return _vote(application, command, clock, "not_useful")


def deprecate(
    application: MemoryApplication, command: Command[contract.Feedback], clock: Clock
) -> contract.MemoryReceipt:
    """Make the memory a tombstone, or count two votes against it, by who says so."""
    request = command.request

    def decide(work: UnitOfWork) -> None:
        memory = visible_memory(work, request.memory_id)
        if may_withdraw(work.caller, memory.author, memory.namespace):
            reason = require_text("reason", request.reason)
            bodies = memories.deprecate(memory, agent_id=work.caller.actor, reason=reason)
            work.record(MEMORY, memory.id, bodies)
        else:
            weight = work.policy.foreign_deprecation_weight
            _count(work, memory, request, "not_useful", weight)

    return execute(
        application, command, clock, decide, lambda done: memory_receipt(done, request.memory_id)
    )


def _vote(
    application: MemoryApplication,
    command: Command[contract.Feedback],
    clock: Clock,
    verdict: Verdict,
) -> contract.MemoryReceipt:
    request = command.request

    def decide(work: UnitOfWork) -> None:
        _count(work, visible_memory(work, request.memory_id), request, verdict, 1)

    return execute(
        application, command, clock, decide, lambda done: memory_receipt(done, request.memory_id)
    )


def _count(
    work: UnitOfWork, memory: Memory, request: contract.Feedback, verdict: Verdict, weight: int
) -> None:
    bodies = memories.give_feedback(
        memory,
        verdict,
        agent_id=work.caller.actor,
        weight=weight,
        recall_id=request.recall_id,
        reason=require_text("reason", request.reason),
        policy=work.policy,
    )
    work.record(MEMORY, memory.id, bodies)
