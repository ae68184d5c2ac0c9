"""The owner's word on what was distilled: what may happen next, or why not."""

from __future__ import annotations

from domain.errors import WrongState
from domain.events import CandidateDismissed, CandidateSettled, EventBody, Source
from domain.memory import Memory, require_held, require_not_erased
from domain.memory_digests import exact_hash


def settle(
    memory: Memory,
    *,
    agent_id: str,
    content: str | None = None,
    source: Source | None = None,
) -> list[EventBody]:
    """Let the owner stand by it, perhaps with another text. A candidate lives from here on.

    Nothing happens to one that is settled and says that already.
    """
    require_held(memory)
    if content is None or exact_hash(content) == memory.content_hash:
        return [] if memory.is_settled else [CandidateSettled(agent_id=agent_id)]
    return [CandidateSettled(agent_id=agent_id, content=content, source=source)]


def dismiss(memory: Memory, *, agent_id: str, reason: str | None = None) -> list[EventBody]:
    """Make a candidate a tombstone. Nothing happens to a tombstone; one that lives is none."""
    require_not_erased(memory)
    if memory.is_live:
        raise WrongState(f"memory {memory.id} is no candidate any more: delete it")
    if memory.is_candidate:
        return [CandidateDismissed(agent_id=agent_id, reason=reason)]
    return []
