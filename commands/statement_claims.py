"""Which memory says a statement, in whatever words (spec: lifecycle.md, "De-duplication").

A claim on a statement is one on a text (docs/decisions/0007), by the hash of what the text says
instead of how. It holds while its memory is live or a candidate and says that still.
"""

from __future__ import annotations

from commands.access import went_with_its_session
from commands.unit_of_work import UnitOfWork
from domain.events import TextClaimed
from domain.memory import MEMORY, Memory
from domain.text_claim import TEXT_CLAIM, claim_id, claim_scope, statement_claim_id


def held_by_text(work: UnitOfWork, scope: str, text_hash: str) -> Memory | None:
    """Give the memory or candidate that says exactly this text now, if there is one."""
    memory = _claimed(work, claim_id(work.log, scope, text_hash))
    return memory if memory is not None and memory.text_hash == text_hash else None


def held_by_statement(work: UnitOfWork, scope: str, statement_hash: str) -> Memory | None:
    """Give the memory or candidate that claimed this statement and says it still."""
    memory = _claimed(work, statement_claim_id(work.log, scope, statement_hash))
    return memory if memory is not None and memory.statement_hash == statement_hash else None


def is_held(work: UnitOfWork, memory: Memory) -> bool:
    """Tell whether it is live or a candidate, and neither expired nor gone with its session."""
    if not memory.is_held or (memory.expires_at is not None and work.now >= memory.expires_at):
        return False
    return not went_with_its_session(work, memory)


def claim_statement(work: UnitOfWork, memory: Memory) -> None:
    """Make the memory the one that says its statement."""
    scope = claim_scope(memory.namespace, memory.session_id)
    one = statement_claim_id(work.log, scope, memory.statement_hash)
    claim = work.get(TEXT_CLAIM, one)
    if claim is None or claim.memory_id != memory.id:
        claimed = TextClaimed(namespace=memory.namespace, memory_id=memory.id)
        work.record(TEXT_CLAIM, one, [claimed])


def _claimed(work: UnitOfWork, one: str) -> Memory | None:
    claim = work.get(TEXT_CLAIM, one)
    memory = work.get(MEMORY, claim.memory_id) if claim else None
    return memory if memory is not None and is_held(work, memory) else None
