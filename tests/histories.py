"""Histories of facts as the write side could have written them, straight into a real log.

Every choice comes from a seed; the order of a thing's events is one that the aggregates allow.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

from domain import events as facts
from domain.events import Event, EventBody
from eventlog.codec import Codec
from eventlog.outcomes import Appended
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing, is_final
from tests.distilled_histories import MOVES

Fact = tuple[str, str, EventBody]
"""Aggregate type, aggregate id, body."""

START = datetime(2026, 3, 1, 12, 0, 0, 250, tzinfo=UTC)
WORDS = [
    *("ComfyUI", "listens", "on", "port", "8188", "the", "proxy", "lives", "in", "/etc/nginx"),
    *(
        "我喜欢喝冻顶乌龙茶",
        "数据库",
        "每天",
        "凌晨",
        "三点",
        "备份",
        "prefers",
        "𝔘nicode",
        "naïve",
    ),
]
NAMESPACES = ("shared", "hermes-main", "coder-main", "hermes-ephemeral")
SESSIONS = (None, "s-1", "s-2")


class Historian:
    """Writes facts to a log and keeps what it needs to write more."""

    def __init__(self, log: RedisLog, seed: int = 0) -> None:
        self.log = log
        self.codec = Codec(KeyRing(log.subject_keys))
        self.random = random.Random(seed)
        self.versions: Counter[str] = Counter()
        self.position = 0
        self.memories: list[str] = []
        self.gone: set[str] = set()
        self.episodes: list[str] = []
        self.ended: set[str] = set()
        self.candidates: set[str] = set()
        self.places: dict[str, tuple[str, str | None]] = {}
        self.waiting: list[str] = []
        self.became: dict[str, list[str]] = {}
        self.actor = "hermes-1"
        self.ephemeral: dict[str, str] = {}
        self.in_sessions: set[str] = set()
        self.now = START
        self.longest_step_s = 90_000

    def new_id(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(3, 12)))

    def write(self, *written: Fact) -> int:
        """Append facts as one command; give the last position."""
        self.now += timedelta(seconds=self.random.randint(0, self.longest_step_s))
        sealed = [self.codec.seal(self._event(*fact)) for fact in written]
        outcome = self.log.append(
            [one.entry for one in sealed],
            command_id=self.new_id(),
            fingerprint="f",
            subject_keys={one.subject: one.new_key for one in sealed if one.new_key},
            held_keys={one.subject: one.held_key for one in sealed if one.held_key},
            erased_keys=[s for one in sealed for s in one.destroys if is_final(s)],
            destroyed_keys=[s for one in sealed for s in one.destroys if not is_final(s)],
        )
        assert isinstance(outcome, Appended)
        self.codec.keys.adopt({one.subject: one.new_key for one in sealed if one.new_key})
        self.codec.keys.forget([subject for one in sealed for subject in one.destroys])
        self.position = outcome.last
        return outcome.last

    def commit(self, content: str = "", namespace: str = "shared", **more: object) -> str:
        episode = self.new_id()
        body = facts.EpisodeCommitted(
            agent_id="hermes-1",
            namespace=namespace,
            content=content or self.text(),
            source="agent_inference",
            **more,
        )
        self.write(("Episode", episode, body))
        self.episodes.append(episode)
        self.waiting.append(episode)
        session = more.get("session_id")
        self.places[episode] = namespace, None if session is None else str(session)
        if namespace.endswith("-ephemeral"):
            self.in_sessions.add(episode)
        return episode

    def remember(self, content: str = "", namespace: str = "shared", **more: object) -> str:
        """Commit a statement; give the memory's id."""
        episode, memory = self.new_id(), self.new_id()
        text = content or self.text()
        session = more.pop("session_id", None)
        self.write(
            (
                "Episode",
                episode,
                facts.EpisodeCommitted(
                    agent_id="hermes-1",
                    namespace=namespace,
                    content=text,
                    source="owner_message",
                    distill=False,
                    session_id=session,
                ),
            ),
            (
                "Memory",
                memory,
                facts.MemoryCreated(
                    **{
                        "content": text,
                        "category": "fact",
                        "decay_class": "system_fact",
                        "namespace": namespace,
                        "agent_id": "hermes-1",
                        "source": "owner_message",
                        "distilled_by": "caller",
                        "confidence": 0.9,
                        "derived_from": [episode],
                        "session_id": session,
                        **more,
                    }
                ),
            ),
            (
                "Episode",
                episode,
                facts.EpisodeDistilled(memory_ids=[memory], reinforced_ids=[], distiller="caller"),
            ),
            (
                "TextClaim",
                self.new_id(),
                facts.TextClaimed(namespace=namespace, memory_id=memory),
            ),
        )
        self.memories.append(memory)
        if namespace.endswith("-ephemeral"):
            self.ephemeral[memory] = f"session:{namespace}:{session or '-'}"
        return memory

    def change(self, memory: str, *bodies: EventBody) -> int:
        return self.write(*(("Memory", memory, body) for body in bodies))

    def erase(self, *things: str, finished: bool = True) -> int:
        """Erase what no open session holds, in one part; give the position of the erasure."""
        memory_ids = [thing for thing in things if thing in self.memories]
        episode_ids = [thing for thing in things if thing not in self.memories]
        subjects = [
            *(f"memory:{memory}" for memory in memory_ids),
            *(f"episode:{episode}" for episode in episode_ids),
        ]
        erasure, kind = self.new_id(), "memory" if memory_ids else "episode"
        position = self.write(
            *(("Memory", memory, facts.MemoryErased()) for memory in memory_ids),
            *(("Episode", episode, facts.EpisodeErased()) for episode in episode_ids),
            (
                "Erasure",
                erasure,
                facts.SubjectErased(
                    target=kind,
                    target_id=things[0],
                    subjects=subjects,
                    memory_ids=memory_ids,
                    episode_ids=episode_ids,
                    last=True,
                ),
            ),
        )
        if finished:
            done = facts.ErasureFinished(purged={"views": ["state"]}, still_holding=[])
            self.write(("Erasure", erasure, done))
        for thing in things:
            self.ended.discard(thing)
            self.candidates.discard(thing)
            if thing in self.waiting:
                self.waiting.remove(thing)
            (self.memories if thing in self.memories else self.episodes).remove(thing)
            self.gone.add(thing)
        return position

    def erase_some(self) -> None:
        """Erase up to two memories and an episode, none of which a session holds."""
        memories = [memory for memory in self.memories if memory not in self.ephemeral]
        chosen = self.random.sample(memories, min(2, len(memories)))
        lasting = [e for e in self.episodes if e not in self.in_sessions]
        chosen += self.random.sample(lasting, min(1, len(lasting)))
        if chosen:
            self.erase(*chosen, finished=self.random.random() < 0.5)

    def erase_some_of_sessions(self) -> None:
        """Close every session of the ephemeral namespace; erase up to three things that went."""
        for session in SESSIONS:
            self.close_session("hermes-ephemeral", session)
        went = sorted({*self.ephemeral, *self.in_sessions} - self.gone)
        chosen = self.random.sample(went, min(3, len(went)))
        if chosen:
            self.erase(*chosen)

    def close_session(self, namespace: str, session: str | None) -> int:
        """Close a session; give the position."""
        closed = facts.SessionClosed(agent_id="hermes-1", namespace=namespace, session_id=session)
        position = self.write(("Session", f"session-{namespace}-{session}", closed))
        if namespace.endswith("-ephemeral"):
            place = namespace, session
            self.waiting = [e for e in self.waiting if self.places[e] != place]
        return position

    def evaluate(self, name: str = "own") -> None:
        """Generate a set of questions on up to eight memories, and run it."""
        lasting = [memory for memory in self.memories if memory not in self.ephemeral]
        chosen = self.random.sample(lasting, min(8, len(lasting)))
        generated = facts.GoldenSetGenerated(
            set=name, seed=1, generator="templates", questions=len(chosen), position=self.position
        )
        questions = [
            facts.GoldenQuestionWritten(
                set=name,
                number=number,
                query=self.text(),
                expected_ids=[memory],
                question_class="fact",
                level="easy",
                namespace="shared",
            )
            for number, memory in enumerate(chosen, start=1)
        ]
        finished = facts.EvaluationFinished(
            set=name,
            questions=len(chosen),
            questions_sha="ab" * 32,
            recall_at_5=0.5,
            recall_at_10=1.0,
            precision_at_5=0.2,
            mean_reciprocal_rank=0.25,
            ndcg_at_10=0.5,
            recall_by_agent={"hermes-1": 0.5},
            recall_by_layer={"memory": 0.5},
            recall_by_category={},
            total_distilled_used=1,
            hits_after_consolidation=0,
            consolidation_benefit=0.0,
            levels={"hybrid": len(chosen)},
            embedder="none",
            baseline=None,
            regressed=self.random.random() < 0.5,
        )
        bodies: list[EventBody] = [generated, *questions, finished]
        self.write(*(("EvaluationSet", f"evaluation-set-{name}", body) for body in bodies))

    def recall(self, *found: Sequence[str]) -> int:
        """Serve one recall for each list of memories found, in this order; give the position."""
        recalls = [
            facts.ServedRecall(
                recall_id=self.new_id(),
                agent_id="hermes-1",
                namespaces=["hermes-main", "shared"],
                results=[
                    facts.ServedMemory(memory_id=memory, version=1, rank=rank, score=1 / rank)
                    for rank, memory in enumerate(memories, 1)
                ],
                miss=self.random.random() < 0.3,
                level="hybrid",
                took_ms=12.5,
            )
            for memories in found
        ]
        body = facts.RecallServed(recalls=recalls, queries=[self.text() for _ in recalls])
        return self.write(("Recall", self.new_id(), body))

    def live_on(self, steps: int) -> None:
        """Let ``steps`` random things happen."""
        moves: Sequence[Callable[[], object]] = (
            self._remember, self._remember, self._commit, self._commit, self._correct,
            self._reinforce, self._vote, self._vote, self._tag, self._pin, self._end, self._restore,
            self._settle_episode, self._agent, self._close_session, self._recall,
            *(partial(move, self) for move in MOVES),
        )  # fmt: skip
        for _ in range(steps):
            self.random.choice(moves)()

    # --- single moves

    def _place(self) -> dict[str, str | None]:
        return {
            "namespace": self.random.choice(NAMESPACES),
            "session_id": self.random.choice(SESSIONS),
        }

    def _remember(self) -> None:
        self.remember(
            tags=self.random.sample(["port", "tea", "备份", "ops"], self.random.randint(0, 3)),
            category=self.random.choice(["fact", "preference", "decision"]),
            decay_class=self.random.choice(["system_fact", "user_pref", "code_snippet"]),
            entities=[facts.Entity("ComfyUI", "software")],
            relations=[facts.Relation("ComfyUI", "LISTENS_ON", "8188")],
            metadata={"external_id": self.text(), "n": self.random.randint(0, 9)},
            observed_at=self.now - timedelta(days=self.random.randint(0, 400)),
            expires_at=self.now + timedelta(days=3) if self.random.random() < 0.1 else None,
            clarity=self.random.random(),
            confidence=self.random.uniform(0.5, 1.0),
            **self._place(),
        )

    def _commit(self) -> None:
        self.commit(speaker="owner", tags=["raw"], metadata={"k": [1, "二"]}, **self._place())

    def choose(self, fits: Callable[[str], bool]) -> str | None:
        """Choose a memory of those that fit, None where none does."""
        chosen = [memory for memory in self.memories if fits(memory)]
        return self.random.choice(chosen) if chosen else None

    def _some(self, *, ended: bool) -> str | None:
        """Choose a memory that is live, or one that was ended."""
        if ended:
            return self.choose(lambda memory: memory in self.ended)
        return self.choose(lambda m: m not in self.ended and m not in self.candidates)

    def held(self) -> str | None:
        """Choose a memory that is live, or a candidate."""
        return self.choose(lambda memory: memory not in self.ended)

    def _correct(self) -> None:
        if memory := self._some(ended=False):
            self.change(
                memory,
                facts.MemoryCorrected(
                    content=self.text(),
                    source="owner_message",
                    agent_id="coder-1",
                    reason="it moved",
                    trigger=self.random.choice([None, "/etc/nginx"]),
                ),
            )

    def _reinforce(self) -> None:
        if memory := self.held():
            episode = self.commit()
            self.write(
                (
                    "Episode",
                    episode,
                    facts.EpisodeDistilled(
                        memory_ids=[], reinforced_ids=[memory], distiller="caller"
                    ),
                ),
                (
                    "Memory",
                    memory,
                    facts.MemoryReinforced(episode_id=episode, match="exact", delta=0.1),
                ),
            )

    def _vote(self) -> None:
        if memory := self._some(ended=False):
            verdict = self.random.choice(["useful", "not_useful"])
            vote = facts.FeedbackGiven(
                verdict=verdict, agent_id="coder-1", weight=self.random.choice([1, 1, 2])
            )
            dropped = [facts.QualityDropped(score=0.2)] if self.random.random() < 0.1 else []
            self.change(memory, vote, *dropped)

    def _tag(self) -> None:
        if memory := self.held():
            tags = self.random.sample(["port", "tea", "茶", "ops"], self.random.randint(0, 4))
            levels = {tag: self.random.choice(["user", "project"]) for tag in tags[:1]}
            self.change(memory, facts.MemoryTagged(tags=sorted(tags), levels=levels))

    def _pin(self) -> None:
        if memory := self._some(ended=False):
            self.change(memory, facts.TierChanged(tier=self.random.choice(["core", "normal"])))

    def _end(self) -> None:
        if memory := self.held():
            body: EventBody = self.random.choice(
                [
                    facts.MemoryDeleted(agent_id="hermes-1", reason="过时"),
                    facts.MemoryDeprecated(agent_id="hermes-1"),
                    facts.MemorySuperseded(by=self.new_id(), reason="newer"),
                ]
            )
            self.change(memory, body)
            self.ended.add(memory)

    def _restore(self) -> None:
        if memory := self._some(ended=True):
            self.change(memory, facts.MemoryRestored(agent_id="owner"))
            self.ended.remove(memory)

    def _settle_episode(self) -> None:
        if not self.episodes:
            return
        episode = self.random.choice(self.episodes)
        if episode in self.ended:
            self.ended.remove(episode)
            self.write(("Episode", episode, facts.EpisodeRestored(agent_id="owner")))
        elif self.random.random() < 0.5:
            self.ended.add(episode)
            if episode in self.waiting:
                self.waiting.remove(episode)
            self.write(("Episode", episode, facts.EpisodeDeleted(reason="not mine")))
        else:
            self.write(("Episode", episode, facts.EpisodeSkipped(reason="chit_chat")))

    def _agent(self) -> None:
        name = self.random.choice(["hermes-1", "coder-1"])
        agent = f"agent-{name}"
        if self.versions[agent] == 0:
            registered = facts.AgentRegistered(
                agent_id=name,
                kind="hermes",
                namespace=f"{name}-main",
                key_hash="00$11",
                quota=facts.Quota(10, 20, 2, 5),
                may_claim=["owner_message"],
            )
            claimed = facts.NamespaceClaimed(namespace=f"{name}-main", agent_id=name)
            self.write(("Agent", agent, registered), ("NamespaceClaim", f"ns-{name}", claimed))
            return
        other = self.random.choice(["x-main", "y-main"])
        body: EventBody = self.random.choice(
            [
                facts.ReadGranted(agent_id=name, namespace=other),
                facts.ReadGranted(agent_id=name, namespace="z-main"),
                facts.ReadRevoked(agent_id=name, namespace=other),
                facts.AgentKeyRotated(key_hash="22$33", key_expires_at=self.now),
                facts.AgentDeactivated(),
            ]
        )
        self.write(("Agent", agent, body))
        if self.random.random() < 0.2:
            token = self.new_id()
            issued = facts.EnrolmentTokenIssued(token_hash=token, expires_at=self.now)
            spent = facts.EnrolmentTokenUsed(agent_id="new-1")
            self.write(("Enrolment", token, issued), ("Enrolment", token, spent))

    def _recall(self) -> None:
        chosen = [
            self.random.sample(self.memories, min(len(self.memories), 3))
            for _ in range(self.random.randint(1, 3))
        ]
        self.recall(*chosen)

    def _close_session(self) -> None:
        if self.random.random() < 0.3:
            namespace = self.random.choice(["hermes-ephemeral", "hermes-main"])
            self.close_session(namespace, self.random.choice(SESSIONS))

    def _event(self, kind: str, aggregate_id: str, body: EventBody) -> Event:
        self.versions[aggregate_id] += 1
        return Event(
            aggregate_type=kind,
            aggregate_id=aggregate_id,
            version=self.versions[aggregate_id],
            event_id=self.new_id(),
            occurred_at=self.now,
            actor=self.actor,
            correlation_id="c-1",
            body=body,
            subject=self._subject(kind, aggregate_id, body),
        )

    def _subject(self, kind: str, aggregate_id: str, body: EventBody) -> str:
        if isinstance(body, facts.GoldenQuestionWritten):
            return f"memory:{body.expected_ids[0]}"
        return self.ephemeral.get(aggregate_id, "") if kind == "Memory" else ""
