"""What an episode once became, when it is distilled anew (docs/decisions/0035)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from commands.application import MemoryApplication
from commands.unit_of_work import UnitOfWork
from domain import memory as memories
from domain.episode import EPISODE, Episode
from domain.events import CandidateSettled, Event, EventBody, MemoryCorrected, NewMemory
from domain.memory import MEMORY, Memory
from domain.memory_digests import statement_hash
from domain.policies.same_statement import lexical_overlap
from domain.policies.text import text_hash

REDISTILLED: Final = "redistilled"
NEAR: Final = 0.5
"""Lexical overlap from which a new memory takes the place of an old one."""


class Said(Struct, frozen=True):
    """What a memory says, and the words of the episode that said it."""

    memory_id: str
    content: str
    evidence: str


class Earlier(Struct, frozen=True):
    """What an episode became before.

    ``memories`` were made from it, with their present texts. ``by_text`` and ``by_statement`` give
    a memory that was made or seen again, by the hash of a text that it has or had.
    """

    memories: tuple[Said, ...] = ()
    by_text: Mapping[str, str] = {}
    by_statement: Mapping[str, str] = {}

    def that_said(self, text: str, statement: str) -> str | None:
        """Give the memory that says or said this, by the hashes of a text and of its statement."""
        return self.by_text.get(text) or self.by_statement.get(statement)


def made_before(application: MemoryApplication, work: UnitOfWork, episode: Episode) -> Earlier:
    """Read what was made from the episode or seen again in it, and is not erased.

    States hold no text, so the events are read; the states are loaded first, so that a change in
    between is a conflict.
    """
    found: list[Said] = []
    by_text: dict[str, str] = {}
    by_statement: dict[str, str] = {}
    ids = dict.fromkeys((*episode.memory_ids, *episode.reinforced_ids))
    known = [m for one in ids if (m := work.get(MEMORY, one)) is not None and not m.is_erased]
    # Of several that said the same, what is there counts before what a person has ended.
    for memory in sorted(known, key=lambda m: (m.is_held, m.is_unwanted)):
        memory_id = memory.id
        texts, evidence = _said_by(application, memory_id)
        if memory_id in episode.memory_ids:
            found.append(Said(memory_id, texts[-1], evidence))
        for text in texts:
            by_text[text_hash(text)] = memory_id
            by_statement[statement_hash(text)] = memory_id
    return Earlier(tuple(found), by_text, by_statement)


def end_the_others(
    work: UnitOfWork, episode: Episode, earlier: Earlier, came_out: Sequence[Said]
) -> None:
    """End the memories that were made from the episode and are not among those that came out.

    What somebody has settled, pinned or corrected stays, and what another episode says too. The
    nearest of those that came out takes an old one's place; where none is near, it is withdrawn.
    """
    kept = {one.memory_id for one in came_out}
    for old in earlier.memories:
        memory = None if old.memory_id in kept else work.get(MEMORY, old.memory_id)
        if memory is None or not memory.is_held or memory.is_the_owners:
            continue
        if not _rests_on_another(work, memory, episode):
            work.record(MEMORY, memory.id, _end(work, memory, _nearest(old, came_out)))


def _end(work: UnitOfWork, memory: Memory, heir: str | None) -> list[EventBody]:
    if heir is not None:
        return memories.supersede(memory, by=heir, reason=REDISTILLED)
    return memories.deprecate(memory, agent_id=work.caller.actor, reason=REDISTILLED)


def _nearest(old: Said, came_out: Sequence[Said]) -> str | None:
    """Give the memory that says the most like it, or that the same words of the episode became."""
    nearest = max(came_out, key=lambda one: _nearness(old, one), default=None)
    return nearest.memory_id if nearest and _nearness(old, nearest) >= NEAR else None


def _nearness(one: Said, other: Said) -> float:
    """Give the overlap of the contents, in [0, 1], and one more if one quote holds the other."""
    shorter, longer = sorted((one.evidence, other.evidence), key=len)
    is_same_place = bool(shorter) and shorter in longer
    return lexical_overlap(one.content, other.content) + is_same_place


def _said_by(application: MemoryApplication, memory_id: str) -> tuple[list[str], str]:
    """Read a memory's texts, oldest first, and the quote it was made with."""
    texts: list[str] = []
    evidence = ""
    for event in application.events.get(memory_id):
        assert isinstance(event, Event)
        match event.body:
            case NewMemory(content=first, evidence=quoted):
                texts.append(first)
                evidence = quoted or ""
            case MemoryCorrected(content=later) | CandidateSettled(content=str(later)):
                texts.append(later)
    return texts, evidence


def _rests_on_another(work: UnitOfWork, memory: Memory, episode: Episode) -> bool:
    others = (work.get(EPISODE, one) for one in memory.episodes if one != episode.id)
    return any(other is not None and other.is_there for other in others)
