"""Random histories for the vector view, as events to project and as facts for the oracle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from hypothesis import strategies as st

from domain import events as facts
from domain.events import Event, EventBody

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXTS = (
    "the proxy listens on port 8080",
    "我喜欢喝冻顶乌龙茶",
    "it's in /etc/nginx/nginx.conf",
    "数据库每天凌晨三点备份",
    "prefers dark roast",
)
NAMESPACES = ("shared", "h-main", "h-ephemeral")
SESSIONS = (None, "s'1")
MOVES = (
    "commit", "create", "distil", "distil", "settle", "change", "change", "episode", "close",
    "erase",
)  # fmt: skip
ACTORS = ("h-1", "h-1", "system:distiller")


class History:
    """Makes events with gapless positions, and remembers them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.memories: list[str] = []
        self.episodes: list[str] = []
        self.places: dict[str, dict[str, Any]] = {}
        self.went: set[str] = set()

    def add(self, kind: str, aggregate_id: str, body: EventBody, actor: str = "h-1") -> Event:
        position = len(self.events) + 1
        event = Event(
            aggregate_type=kind,
            aggregate_id=aggregate_id,
            version=1,
            event_id=str(UUID(int=position)),
            occurred_at=START + timedelta(seconds=position),
            actor=actor,
            correlation_id="c-1",
            body=body,
            position=position,
        )
        self.events.append(event)
        return event

    def commit(self, content: str, **more: Any) -> str:
        episode_id = f"e{len(self.events) + 1}"
        fields = {"agent_id": "h-1", "namespace": "shared", "source": "owner_message"} | more
        self.add("Episode", episode_id, facts.EpisodeCommitted(content=content, **fields))
        self.episodes.append(episode_id)
        self._note_place(episode_id, more)
        return episode_id

    def create(self, content: str, *, propose: bool = False, **more: Any) -> str:
        memory_id = f"m{len(self.events) + 1}"
        fields = {
            "category": "fact",
            "decay_class": "system_fact",
            "namespace": "shared",
            "agent_id": "h-1",
            "source": "owner_message",
            "distilled_by": "rules",
            "confidence": 0.9,
        } | more
        begun = facts.MemoryProposed if propose else facts.MemoryCreated
        self.add("Memory", memory_id, begun(content=content, **fields))
        self.memories.append(memory_id)
        self._note_place(memory_id, more)
        return memory_id

    def candidates(self, *, ended_too: bool = False) -> list[str]:
        """Give the memories that wait for the owner, or would if they had not been ended."""
        waiting: set[str] = set()
        ended: set[str] = set()
        for event in self.events:
            match event.body:
                case facts.MemoryProposed():
                    waiting.add(event.aggregate_id)
                case facts.CandidateSettled():
                    waiting.discard(event.aggregate_id)
                case facts.MemoryRestored():
                    ended.discard(event.aggregate_id)
                case facts.MemoryDeleted() | facts.MemoryDeprecated() | facts.MemorySuperseded():
                    ended.add(event.aggregate_id)
                case facts.CandidateDismissed():
                    ended.add(event.aggregate_id)
        return sorted(waiting & set(self.memories) - (set() if ended_too else ended))

    def correct(self, memory_id: str, content: str) -> Event:
        body = facts.MemoryCorrected(content=content, source="owner_verbal", agent_id="h-2")
        return self.add("Memory", memory_id, body)

    def close_session(self, namespace: str, session_id: str | None) -> Event:
        body = facts.SessionClosed(agent_id="h-1", namespace=namespace, session_id=session_id)
        place = {"namespace": namespace, "session_id": session_id}
        if namespace.endswith("-ephemeral"):
            self.went |= {source for source, where in self.places.items() if where == place}
        return self.add("Session", f"session {namespace} {session_id}", body)

    def erase(self, *things: str) -> Event:
        """Erase memories and episodes; nothing happens to them afterwards."""
        memory_ids = [thing for thing in things if thing in self.memories]
        episode_ids = [thing for thing in things if thing in self.episodes]
        for memory_id in memory_ids:
            self.add("Memory", memory_id, facts.MemoryErased())
            self.memories.remove(memory_id)
        for episode_id in episode_ids:
            self.add("Episode", episode_id, facts.EpisodeErased())
            self.episodes.remove(episode_id)
        body = facts.SubjectErased(
            target="memory",
            target_id=things[0],
            subjects=[],
            memory_ids=memory_ids,
            episode_ids=episode_ids,
            last=True,
        )
        return self.add("Erasure", f"erasure {things[0]}", body)

    def _note_place(self, source_id: str, more: dict[str, Any]) -> None:
        place = {"namespace": more.get("namespace", "shared"), "session_id": more.get("session_id")}
        self.places[source_id] = place

    def alike(self, source_id: str) -> list[str]:
        """Give the memories of the same namespace and session that did not go with it before.

        A distiller sees no others, so no episode can reinforce them.
        """
        place = self.places[source_id]
        return [one for one in self.memories if self.places[one] == place and one not in self.went]

    def facts(self, last: int | None = None) -> list[dict[str, Any]]:
        """Give the first ``last`` events as the oracle reads them."""
        return [
            {
                "position": event.position,
                "id": event.aggregate_id,
                "type": event.type,
                "actor": event.actor,
                "at": int(event.occurred_at.timestamp()) * 1_000_000,
                "body": msgspec.to_builtins(event.body),
            }
            for event in self.events[:last]
        ]


def happen(history: History, data: st.DataObject) -> None:
    """Let one random thing happen, of those that the commands allow or a race might bring."""
    pick = data.draw
    place = {
        "namespace": pick(st.sampled_from(NAMESPACES)),
        "session_id": pick(st.sampled_from(SESSIONS)),
        "tags": pick(st.lists(st.sampled_from(["a", "b'c"]), max_size=2, unique=True)),
    }
    text = pick(st.sampled_from(TEXTS))
    move = pick(st.sampled_from(MOVES))
    if move == "commit":
        history.commit(text, distill=pick(st.booleans()), **place)
    elif move == "create" or not history.memories:
        history.create(text, **place)
    elif move == "distil" and history.episodes:
        episode_id = pick(st.sampled_from(history.episodes))
        alike = [*history.alike(episode_id), ""]
        known = [one for one in pick(st.sets(st.sampled_from(alike), max_size=2)) if one]
        place |= history.places[episode_id]
        proposed = pick(st.booleans())
        new = history.create(text, propose=proposed, derived_from=[episode_id], **place)
        body = facts.EpisodeDistilled(
            memory_ids=[new], reinforced_ids=sorted(known), distiller="rules"
        )
        history.add("Episode", episode_id, body)
    elif move == "settle" and (waiting := history.candidates()):
        words = pick(st.sampled_from([None, text]))
        word: EventBody = pick(
            st.sampled_from(
                [
                    facts.CandidateSettled(agent_id="owner"),
                    facts.CandidateSettled(agent_id="owner", content=words, source="owner_edit"),
                    facts.CandidateDismissed(agent_id="owner"),
                ]
            )
        )
        history.add("Memory", pick(st.sampled_from(waiting)), word)
    elif move == "erase":
        things = [*history.memories, *history.episodes]
        history.erase(*sorted(pick(st.sets(st.sampled_from(things), min_size=1, max_size=3))))
    elif move == "episode" and history.episodes:
        ends = pick(st.booleans())
        body_: EventBody = facts.EpisodeDeleted() if ends else facts.EpisodeRestored(agent_id="o")
        history.add("Episode", pick(st.sampled_from(history.episodes)), body_)
    elif move == "close":
        history.close_session(place["namespace"], place["session_id"])
    else:
        memory_id = pick(st.sampled_from(history.memories))
        if memory_id in history.candidates(ended_too=True):
            end: EventBody = pick(
                st.sampled_from(
                    [
                        facts.MemoryDeleted(agent_id="h-1"),
                        facts.MemorySuperseded(by="m0"),
                        facts.MemoryRestored(agent_id="h-1"),
                        facts.MemoryTagged(tags=place["tags"]),
                    ]
                )
            )
            history.add("Memory", memory_id, end, pick(st.sampled_from(ACTORS)))
            return
        change = pick(
            st.sampled_from(
                [
                    facts.MemoryCorrected(content=text, source="owner_verbal", agent_id="h-2"),
                    facts.MemoryDeleted(agent_id="h-1"),
                    facts.MemoryDeprecated(agent_id="h-1"),
                    facts.MemorySuperseded(by="m0"),
                    facts.MemoryRestored(agent_id="h-1"),
                    facts.MemoryTagged(tags=place["tags"]),
                    facts.CandidateSettled(agent_id="owner"),
                    facts.CandidateSettled(agent_id="owner", content=text),
                    facts.FeedbackGiven(verdict="useful", agent_id="h-1"),
                ]
            )
        )
        history.add("Memory", memory_id, change, pick(st.sampled_from(ACTORS)))
