"""What goes with a thing that is erased, and what stays although it holds some of the same words.

A walk over states, from the thing outwards. Erased things are walked over, not into again: begun
anew after a crash it ends where it would have ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from msgspec import Struct

from commands.access import went_with_its_session
from commands.application import MemoryApplication
from commands.erasure_scan import AgentScan
from commands.unit_of_work import UnitOfWork
from domain import episode as episodes
from domain import memory as memories
from domain.agent import AGENT, agent_aggregate_id, deactivate
from domain.episode import EPISODE, Episode
from domain.errors import NotFound
from domain.events import (
    CandidateSettled,
    EraseTarget,
    Event,
    MemoryCorrected,
    NewMemory,
    SessionClosed,
    TextClaimed,
)
from domain.memory import MEMORY, Memory
from domain.memory_digests import statement_hash
from domain.namespaces import is_ephemeral
from domain.policies.text import text_hash
from domain.session import SESSION, session_aggregate_id
from domain.text_claim import claim_id, claim_scope, statement_claim_id
from eventlog.sealing import session_subject

_AGGREGATES_A_PART: Final = 800


class Step(Struct, frozen=True):
    """One thing to look at.

    ``memory`` and ``episode`` go whatever rests on them; ``memory of`` goes if no other episode
    of its is there; ``episode of`` if nothing else came of it; ``named`` stays and is named.
    """

    kind: Literal["memory", "episode", "memory of", "episode of", "named"]
    id: str


class Found:
    """What one part of an erasure takes, each in the order in which it was found."""

    def __init__(self) -> None:
        self.subjects: list[str] = []
        self.memory_ids: list[str] = []
        self.episode_ids: list[str] = []
        self.held: set[str] = set()
        self.sessions: set[str] = set()

    @property
    def things(self) -> int:
        """How many memories and episodes there are."""
        return len(self.memory_ids) + len(self.episode_ids)


class Walk:
    """The steps that are left. ``scan`` reads an agent's from the log."""

    def __init__(
        self,
        application: MemoryApplication,
        steps: Iterable[Step],
        scan: AgentScan | None = None,
    ) -> None:
        self._application = application
        self._steps = deque(steps)
        self._later: deque[Step] = deque()
        self._scan = scan

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return not (self._steps or self._later or (self._scan and not self._scan.is_done))

    def copy(self) -> Walk:
        """Give a walk to try a part with."""
        other = Walk(self._application, self._steps, self._scan and self._scan.copy())
        other._later = self._later.copy()
        return other

    def take(self, work: UnitOfWork, things: int) -> Found:
        """Record the events of the next part, of about so many things."""
        found = Found()
        if self._scan is not None and self._scan.is_new:
            _end_agent(work, self._scan)
        while (
            found.things < things
            and len(work.touched) < _AGGREGATES_A_PART
            and (step := self._next()) is not None
        ):
            self._look_at(work, step, found)
        if self.is_done and self._scan is not None:
            found.subjects += self._scan.day_subjects()
        return found

    def _next(self) -> Step | None:
        # When all else is done the log is read once more: somebody may have been on the way.
        if not self._steps and self._scan and not (self._scan.is_done and self._later):
            page = self._scan.next_page()
            self._steps.extend(Step("episode", episode_id) for episode_id in page.episode_ids)
            self._later.extend(Step("memory of", memory_id) for memory_id in page.memory_ids)
            self._later.extend(Step("named", memory_id) for memory_id in page.spoken_on)
        # A memory is judged when all its episodes were.
        queue = self._steps or self._later
        return queue.popleft() if queue else None

    def _look_at(self, work: UnitOfWork, step: Step, found: Found) -> None:
        if step.kind in ("episode", "episode of"):
            episode = work.get(EPISODE, step.id)
            if episode is not None:
                self._episode(work, episode, found, always=step.kind == "episode")
            return
        memory = work.get(MEMORY, step.id)
        if memory is None:
            return
        if step.kind == "named":
            found.held |= set() if memory.is_erased else {f"memory:{memory.id}"}
        elif step.kind == "memory" or memory.is_erased or not _present(work, memory):
            self._erase_memory(work, memory, found, target=step.kind == "memory")
        else:
            found.held.add(f"memory:{memory.id}")
            found.held |= {f"episode:{e.id}" for e in _not_erased(work, memory)}

    def _episode(self, work: UnitOfWork, episode: Episode, found: Found, *, always: bool) -> None:
        made = [m for i in _became(episode) if (m := work.get(MEMORY, i)) is not None]
        if not always and not episode.is_erased and any(not m.is_erased for m in made):
            found.held.add(f"episode:{episode.id}")
            return
        if not episode.is_erased:
            found.subjects += _subject_of(work, episode, f"episode:{episode.id}", found)
            found.episode_ids.append(episode.id)
            work.record(EPISODE, episode.id, episodes.erase(episode))
        elif always:
            found.episode_ids.append(episode.id)
        if always:
            self._later.extend(Step("memory of", memory.id) for memory in made)

    def _erase_memory(
        self, work: UnitOfWork, memory: Memory, found: Found, *, target: bool
    ) -> None:
        if not memory.is_erased:
            found.held |= self._others_saying(work, memory)
            found.subjects += _subject_of(work, memory, f"memory:{memory.id}", found)
            found.memory_ids.append(memory.id)
            work.record(MEMORY, memory.id, memories.erase(memory))
        elif target:
            found.memory_ids.append(memory.id)
        if target:
            self._steps.extend(Step("memory", m.id) for m in _earlier_wordings(work, memory))
            self._steps.extend(Step("episode of", episode_id) for episode_id in memory.episodes)
        else:
            found.held |= {f"episode:{e.id}" for e in _not_erased(work, memory)}

    def _others_saying(self, work: UnitOfWork, memory: Memory) -> set[str]:
        """Name the others that ever claimed a text or statement of its, and are not erased."""
        scope = claim_scope(memory.namespace, memory.session_id)
        texts = {
            event.body.content
            for event in self._events(memory.id)
            if isinstance(event.body, NewMemory | MemoryCorrected | CandidateSettled)
            and event.body.content is not None
        }
        claims = {claim_id(work.log, scope, text_hash(text)) for text in texts}
        claims |= {statement_claim_id(work.log, scope, statement_hash(text)) for text in texts}
        claimed = {
            event.body.memory_id
            for claim in claims
            for event in self._events(claim)
            if isinstance(event.body, TextClaimed)
        }
        others = [work.get(MEMORY, other) for other in sorted(claimed - {memory.id})]
        return {f"memory:{m.id}" for m in others if m is not None and not m.is_erased}

    def _events(self, aggregate_id: str) -> Iterator[Event]:
        for event in self._application.events.get(aggregate_id):
            assert isinstance(event, Event)
            yield event


def begin(application: MemoryApplication, target: EraseTarget, target_id: str) -> Walk:
    """Begin at a thing. Raises `NotFound` for an id that nothing has."""
    if target == "agent":
        aggregate_id = agent_aggregate_id(application.log_name, target_id)
        if application.load(AGENT, aggregate_id) is None:
            raise NotFound(f"no agent {target_id}")
        return Walk(application, (), AgentScan(application, target_id, aggregate_id))
    thing: Memory | Episode | None
    if target == "memory":
        thing = application.load(MEMORY, target_id)
    else:
        thing = application.load(EPISODE, target_id)
    if thing is None:
        raise NotFound(f"no {target} {target_id}")
    return Walk(application, [Step(target, target_id)])


def _end_agent(work: UnitOfWork, scan: AgentScan) -> None:
    """Let the agent not go on speaking while what it said is being erased."""
    agent = work.get(AGENT, scan.aggregate_id)
    assert agent is not None
    if bodies := deactivate(agent):
        work.record(AGENT, agent.id, bodies)


def _earlier_wordings(work: UnitOfWork, memory: Memory) -> Iterable[Memory]:
    """Give the memories whose place it took when their one episode was distilled anew."""
    for episode_id in memory.episodes:
        episode = work.get(EPISODE, episode_id)
        for memory_id in episode.memory_ids if episode is not None else ():
            other = work.get(MEMORY, memory_id)
            if other is not None and other.superseded_by == memory.id and not other.is_erased:
                yield other


def _became(episode: Episode) -> Iterable[str]:
    return dict.fromkeys((*episode.memory_ids, *episode.reinforced_ids))


def _present(work: UnitOfWork, memory: Memory) -> bool:
    """Tell whether an episode of the memory is there; the newest is asked first."""
    found = (work.get(EPISODE, episode_id) for episode_id in reversed(memory.episodes))
    return any(episode is not None and episode.is_there for episode in found)


def _not_erased(work: UnitOfWork, memory: Memory) -> list[Episode]:
    found = (work.get(EPISODE, episode_id) for episode_id in memory.episodes)
    return [episode for episode in found if episode is not None and not episode.is_erased]


def _subject_of(work: UnitOfWork, thing: Memory | Episode, own: str, found: Found) -> list[str]:
    """Give the thing's own subject, and whose key seals its texts if that is another.

    What a session of an ephemeral namespace holds is under one key, and goes with it: the session
    is closed. The own subject is without a key then; that it was erased is what keeps a question
    which found the thing out of the log.
    """
    if not is_ephemeral(thing.namespace):
        return [own]
    subject = session_subject(thing.namespace, thing.session_id)
    if subject in found.sessions or went_with_its_session(work, thing):
        return [own]
    found.sessions.add(subject)
    work.record(
        SESSION,
        session_aggregate_id(work.log, thing.namespace, thing.session_id),
        [
            SessionClosed(
                agent_id=work.caller.actor,
                namespace=thing.namespace,
                session_id=thing.session_id,
            )
        ],
    )
    return [own, subject]
