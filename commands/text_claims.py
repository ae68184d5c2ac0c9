"""Who says a text: looking a claim up, and taking it, within a unit of work."""

from __future__ import annotations

from commands.access import went_with_its_session
from commands.unit_of_work import UnitOfWork
from domain.errors import WrongState
from domain.events import TextClaimed
from domain.memory import MEMORY, Memory, is_present
from domain.text_claim import TEXT_CLAIM, claim_id, claim_scope


def holder_of(
    work: UnitOfWork, namespace: str, session_id: str | None, text_hash: str
) -> Memory | None:
    """Give the memory that can be recalled and says exactly this text now, if there is one."""
    claim = work.get(TEXT_CLAIM, _id_of_claim(work, namespace, session_id, text_hash))
    memory = work.get(MEMORY, claim.memory_id) if claim else None
    if memory is None or not is_present(memory, work.now) or memory.text_hash != text_hash:
        return None
    return None if went_with_its_session(work, memory) else memory


def claim_text(work: UnitOfWork, memory: Memory) -> None:
    """Make the memory the one that says its text, in the same append as what gave it the text."""
    claim_id = _id_of_claim(work, memory.namespace, memory.session_id, memory.text_hash)
    claim = work.get(TEXT_CLAIM, claim_id)
    if claim is None or claim.memory_id != memory.id:
        claimed = TextClaimed(namespace=memory.namespace, memory_id=memory.id)
        work.record(TEXT_CLAIM, claim_id, [claimed])


def require_text_free(work: UnitOfWork, memory: Memory, text_hash: str) -> None:
    """Raise `WrongState` if another memory that can be recalled says exactly this text."""
    holder = holder_of(work, memory.namespace, memory.session_id, text_hash)
    if holder is not None and holder.id != memory.id:
        raise WrongState(
            f"memory {holder.id} says exactly this text already: delete or correct it first"
        )


def _id_of_claim(work: UnitOfWork, namespace: str, session_id: str | None, text_hash: str) -> str:
    return claim_id(work.log, claim_scope(namespace, session_id), text_hash)
