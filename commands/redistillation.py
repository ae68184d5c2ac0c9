"""What an episode once became and does not become any more (docs/decisions/0035)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct

from commands.application import MemoryApplication
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.episode import EPISODE, Episode
from domain.events import CandidateSettled, Event, EventBody, MemoryCorrected, NewMemory
from domain.memory import MEMORY, Memory

REDISTILLED: Final = "redistilled"


class Said(Struct, frozen=True):
    """What a memory says, and the words of the episode that said it."""

    memory_id: str
    content: str
    evidence: str


def end_what_came_out_no_more(
    application: MemoryApplication,
    work: UnitOfWork,
    episode: Episode,
    came_out: Collection[str],
    findings: Sequence[Said],
) -> None:
    """End the memories that were made from the episode and are not among ``came_out``.

    What somebody has settled, pinned or corrected stays, and what another episode says too. Of
    ``findings``, which are what came out instead, the nearest takes the place of an old memory;
    where none is near, it is withdrawn.
    """
    for memory_id in episode.memory_ids:
        memory = None if memory_id in came_out else work.get(MEMORY, memory_id)
        if memory is None or not memory.is_held or memory.is_the_owners:
            continue
        if _rests_on_another(work, memory, episode):
            continue
        work.record(MEMORY, memory.id, _end(application, work, memory, findings))


def _end(
    application: MemoryApplication, work: UnitOfWork, memory: Memory, findings: Sequence[Said]
) -> list[EventBody]:
    heir = _nearest(_said_by(application, memory.id), findings) if findings else None
    if heir is not None:
        return memories.supersede(memory, by=heir, reason=REDISTILLED)
    return memories.deprecate(memory, agent_id=work.caller.actor, reason=REDISTILLED)


def _nearest(old: Said, findings: Sequence[Said]) -> str | None:
    """Give the memory of the finding that the same words of the episode say, if there is one."""
    alike = [(_overlap(old, one), -number) for number, one in enumerate(findings)]
    share, number = max(alike)
    return findings[-number].memory_id if share > 0 else None


def _overlap(one: Said, other: Said) -> float:
    """Give how much of the shorter evidence stands in the longer one, 0 or 1."""
    shorter, longer = sorted((one.evidence, other.evidence), key=len)
    return 1.0 if shorter and shorter in longer else 0.0


def _said_by(application: MemoryApplication, memory_id: str) -> Said:
    """Read what the memory says from its events: states hold no text."""
    content = evidence = ""
    for event in application.events.get(memory_id):
        assert isinstance(event, Event)
        match event.body:
            case NewMemory(content=first, evidence=quoted):
                content, evidence = first, quoted or ""
            case MemoryCorrected(content=later):
                content = later
            case CandidateSettled(content=str(later)):
                content = later
    return Said(memory_id, content, evidence)


def _rests_on_another(work: UnitOfWork, memory: Memory, episode: Episode) -> bool:
    others = (work.get(EPISODE, one) for one in memory.episodes if one != episode.id)
    return any(other is not None and other.is_there for other in others)
