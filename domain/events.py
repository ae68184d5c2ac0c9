"""Every fact the log can hold: one frozen Struct per type and schema.

The name given to ``@event`` is what stands in the log for ever; the Python class may move.
``Sealed[...]`` marks text that came from people or models: the codec seals it under the key of
the event's subject and nothing else in the code knows (spec: events.md, "Sealing").
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

T = TypeVar("T")
Sealed = Annotated[T, Meta(extra={"sealed": True})]

Category = Literal["fact", "decision", "preference", "constraint", "pattern", "template", "skill"]
DecayClass = Literal["system_fact", "user_pref", "proj_context", "tool_usage", "code_snippet"]
Source = Literal["owner_edit", "owner_verbal", "owner_message", "config_parse", "agent_inference"]
Tier = Literal["normal", "core"]
Verdict = Literal["useful", "not_useful"]
TagLevel = Literal["user", "project"]
ValidationRule = Literal["P1", "P2", "P3"]
EraseTarget = Literal["memory", "episode", "agent"]


class EventBody(Struct, frozen=True, kw_only=True):
    """What one event says. Unknown fields in the log are ignored on reading."""


EVENT_TYPES: Final[dict[tuple[str, int], type[EventBody]]] = {}
_NAMES: Final[dict[type[EventBody], tuple[str, int]]] = {}

B = TypeVar("B", bound=type[EventBody])


def event(name: str, schema: int = 1) -> Callable[[B], B]:
    """Register a body class under its stable name and schema number."""

    def register(cls: B) -> B:
        if (name, schema) in EVENT_TYPES:
            raise ValueError(f"event {name} schema {schema} is registered twice")
        EVENT_TYPES[name, schema] = cls
        _NAMES[cls] = (name, schema)
        return cls

    return register


def type_of(body: EventBody | type[EventBody]) -> str:
    """Give the stable type name under which ``body`` stands in the log."""
    return _NAMES[body if isinstance(body, type) else type(body)][0]


def schema_of(body: EventBody | type[EventBody]) -> int:
    """Give the schema number under which ``body`` stands in the log."""
    return _NAMES[body if isinstance(body, type) else type(body)][1]


class Entity(Struct, frozen=True):
    """A named thing that a memory speaks of."""

    name: str
    type: str


class Relation(Struct, frozen=True):
    """One subject-relation-object statement within a memory."""

    subject: str
    relation: str
    object: str


class Quota(Struct, frozen=True):
    """Rates an agent may use, in commands per second and burst size."""

    recall_per_s: float
    recall_burst: int
    commit_per_s: float
    commit_burst: int


# --- Episode -----------------------------------------------------------------------------------


@event("EpisodeCommitted")
class EpisodeCommitted(EventBody, frozen=True, kw_only=True):
    """An agent committed a piece of conversation, verbatim.

    ``own_output`` counts the characters that were left out of it: they only said what this system
    had served. The content is "" where nothing else was said.
    """

    agent_id: str
    namespace: str
    content: Sealed[str]
    source: Source
    speaker: Sealed[str | None] = None
    trigger: Sealed[str | None] = None
    category: Category | None = None
    decay_class: DecayClass | None = None
    task_status: str | None = None
    session_id: str | None = None
    observed_at: datetime | None = None
    urgent: bool = False
    distill: bool = True
    tags: Sealed[list[str]] = []
    metadata: Sealed[dict[str, Any]] = {}
    expires_at: datetime | None = None
    own_output: int = 0


@event("EpisodeSkipped")
class EpisodeSkipped(EventBody, frozen=True, kw_only=True):
    """Nothing was taken from the episode. ``memory_ids`` are those that it only said again."""

    reason: str
    scores: dict[str, float] | None = None
    memory_ids: list[str] = []


@event("EpisodeDistilled")
class EpisodeDistilled(EventBody, frozen=True, kw_only=True):
    """What the episode became. ``distiller`` is ``caller`` for a remembered statement."""

    memory_ids: list[str]
    reinforced_ids: list[str]
    distiller: str
    model: str | None = None
    scores: dict[str, float] | None = None


@event("DistillationFailed")
class DistillationFailed(EventBody, frozen=True, kw_only=True):
    """The ``attempt``-th try at the episode came to nothing; it waits for another."""

    error: Sealed[str]
    attempt: int


@event("RedistillationRequested")
class RedistillationRequested(EventBody, frozen=True, kw_only=True):
    """The episode is to be distilled anew: other rules, another model, or a loss that was seen."""

    reason: Sealed[str | None] = None


@event("EpisodeDeleted")
class EpisodeDeleted(EventBody, frozen=True, kw_only=True):
    """The episode is not recalled any more; memories that rest on it alone go with it."""

    reason: Sealed[str | None] = None


@event("EpisodeRestored")
class EpisodeRestored(EventBody, frozen=True, kw_only=True):
    """A deleted episode is what it was before; the memories that went with it stay ended."""

    agent_id: str


@event("EpisodeErased")
class EpisodeErased(EventBody, frozen=True, kw_only=True):
    """Nothing of the episode can be read any more, nor ever will be; the last of its events."""


# --- Memory ------------------------------------------------------------------------------------


class NewMemory(EventBody, frozen=True, kw_only=True):
    """A statement with where it came from: what a memory begins with."""

    content: Sealed[str]
    category: Category
    decay_class: DecayClass
    namespace: str
    agent_id: str
    source: Source
    distilled_by: str
    confidence: float
    clarity: float = 1.0
    tier: Tier = "normal"
    trigger: Sealed[str | None] = None
    derived_from: list[str] = []
    depends_on: list[str] = []
    references: list[str] = []
    entities: Sealed[list[Entity]] = []
    relations: Sealed[list[Relation]] = []
    evidence: Sealed[str | None] = None
    tags: Sealed[list[str]] = []
    metadata: Sealed[dict[str, Any]] = {}
    session_id: str | None = None
    observed_at: datetime | None = None
    expires_at: datetime | None = None


@event("MemoryCreated")
class MemoryCreated(NewMemory, frozen=True, kw_only=True):
    """One statement came to be, with where it came from."""


@event("MemoryProposed")
class MemoryProposed(NewMemory, frozen=True, kw_only=True):
    """A candidate: what was distilled where the owner is to settle it before it is recalled."""


@event("CandidateSettled")
class CandidateSettled(EventBody, frozen=True, kw_only=True):
    """The owner stands by it: a candidate lives from here on, a live memory did already.

    With a ``content`` it says that from here on, and its version rises by one; ``source`` is whose
    word that is.
    """

    agent_id: str
    content: Sealed[str | None] = None
    source: Source | None = None


@event("CandidateDismissed")
class CandidateDismissed(EventBody, frozen=True, kw_only=True):
    """The owner does not want the candidate: a tombstone, restorable."""

    agent_id: str
    reason: Sealed[str | None] = None


@event("MemoryReinforced")
class MemoryReinforced(EventBody, frozen=True, kw_only=True):
    """The same statement was seen again."""

    episode_id: str
    match: Literal["exact", "similar"]
    delta: float


@event("MemoryVerified")
class MemoryVerified(EventBody, frozen=True, kw_only=True):
    """Something said later bears it out. ``delta`` is what its confidence gains.

    ``faint``: the sign only counts, and every third of them gains.
    """

    episode_id: str
    rule: ValidationRule
    delta: float
    session_id: str | None = None
    faint: bool = False


@event("FeedbackGiven")
class FeedbackGiven(EventBody, frozen=True, kw_only=True):
    """One agent's vote. A foreign agent's deprecation counts as ``weight`` 2."""

    verdict: Verdict
    agent_id: str
    recall_id: str | None = None
    reason: Sealed[str | None] = None
    weight: int = 1


@event("MemoryCorrected")
class MemoryCorrected(EventBody, frozen=True, kw_only=True):
    """The statement says something else from here on; the version rises by one."""

    content: Sealed[str]
    source: Source
    agent_id: str
    reason: Sealed[str | None] = None
    trigger: Sealed[str | None] = None


@event("MemorySuperseded")
class MemorySuperseded(EventBody, frozen=True, kw_only=True):
    """Another memory took this one's place."""

    by: str
    reason: Sealed[str | None] = None


@event("TierChanged")
class TierChanged(EventBody, frozen=True, kw_only=True):
    """Pinned (``core``: immune to forgetting) or unpinned."""

    tier: Tier


@event("MemoryTagged")
class MemoryTagged(EventBody, frozen=True, kw_only=True):
    """The whole set of tags after the change. ``levels`` has those that were given a level."""

    tags: Sealed[list[str]]
    levels: Sealed[dict[str, TagLevel]] = {}


@event("QualityDropped")
class QualityDropped(EventBody, frozen=True, kw_only=True):
    """Votes brought the quality under 0.3 for the first time."""

    score: float


@event("MemoryDeprecated")
class MemoryDeprecated(EventBody, frozen=True, kw_only=True):
    """Withdrawn by the owner or its author; a tombstone, restorable."""

    agent_id: str
    reason: Sealed[str | None] = None


@event("MemoryDeleted")
class MemoryDeleted(EventBody, frozen=True, kw_only=True):
    """Deleted softly; a tombstone, restorable. ``with_episode`` is the one that took it along."""

    agent_id: str
    reason: Sealed[str | None] = None
    with_episode: str | None = None


@event("MemoryRestored")
class MemoryRestored(EventBody, frozen=True, kw_only=True):
    """A tombstone lives again, with the text it had."""

    agent_id: str


@event("MemoryErased")
class MemoryErased(EventBody, frozen=True, kw_only=True):
    """Nothing of the memory can be read any more, nor ever will be; the last of its events."""


@event("TextClaimed")
class TextClaimed(EventBody, frozen=True, kw_only=True):
    """``memory_id`` is the one memory of its namespace that says exactly this text."""

    namespace: str
    memory_id: str


# --- Recall ------------------------------------------------------------------------------------


class ServedMemory(Struct, frozen=True, kw_only=True):
    """A memory in an answer. ``rank`` counts all results of the answer, from 1."""

    memory_id: str
    version: int
    rank: int
    score: float


class ServedRecall(Struct, frozen=True, kw_only=True):
    """One answered question. ``namespaces`` is what was looked into, ``["*"]`` for everything.

    ``miss``: nothing in the answer spoke of what was asked. ``as_of`` is the position that a
    question about the past was answered for.
    """

    recall_id: str
    agent_id: str
    namespaces: list[str]
    results: list[ServedMemory]
    miss: bool
    level: str
    took_ms: float
    cached: bool = False
    as_of: int | None = None


@event("RecallServed")
class RecallServed(EventBody, frozen=True, kw_only=True):
    """Up to 100 recalls of one agent. ``queries`` are their texts, in the same order.

    They stand beside because a seal closes a whole field, and what was served must still be
    counted when the questions are erased. A question is "" whose answer was erased before it was
    written down; there are none at all where that is so of each. ``episode_ids`` are those that
    any of the others found: nobody counts them, but with an erased one its questions go too.
    """

    recalls: list[ServedRecall]
    queries: Sealed[list[str]]
    episode_ids: list[str] = []


# --- Agent -------------------------------------------------------------------------------------


@event("AgentRegistered")
class AgentRegistered(EventBody, frozen=True, kw_only=True):
    """An agent may speak. ``key_hash`` is ``<salt hex>$<sha-256 hex>``; the key is nowhere."""

    agent_id: str
    kind: str
    namespace: str
    key_hash: str
    quota: Quota
    may_claim: list[Source]
    key_expires_at: datetime | None = None


@event("AgentKeyRotated")
class AgentKeyRotated(EventBody, frozen=True, kw_only=True):
    """The old key ends here."""

    key_hash: str
    key_expires_at: datetime | None = None


@event("AgentDeactivated")
class AgentDeactivated(EventBody, frozen=True, kw_only=True):
    """The agent may not speak any more; what it stored stays."""


@event("NamespaceClaimed")
class NamespaceClaimed(EventBody, frozen=True, kw_only=True):
    """The first agent of a namespace; enrolment refuses a namespace that has one."""

    namespace: str
    agent_id: str


@event("ReadGranted")
class ReadGranted(EventBody, frozen=True, kw_only=True):
    """The agent may read one more namespace."""

    agent_id: str
    namespace: str


@event("ReadRevoked")
class ReadRevoked(EventBody, frozen=True, kw_only=True):
    """The agent may not read that namespace any more."""

    agent_id: str
    namespace: str


@event("EnrolmentTokenIssued")
class EnrolmentTokenIssued(EventBody, frozen=True, kw_only=True):
    """Whoever holds the token may register one new agent before ``expires_at``."""

    token_hash: str
    expires_at: datetime
    kind: str | None = None


@event("EnrolmentTokenUsed")
class EnrolmentTokenUsed(EventBody, frozen=True, kw_only=True):
    """The token is spent."""

    agent_id: str


@event("SessionClosed")
class SessionClosed(EventBody, frozen=True, kw_only=True):
    """A session's ephemeral rows go; without ``session_id`` all rows that name none."""

    agent_id: str
    namespace: str
    session_id: str | None


# --- Evaluation --------------------------------------------------------------------------------


@event("GoldenSetGenerated")
class GoldenSetGenerated(EventBody, frozen=True, kw_only=True):
    """Questions on the live memories replace those that the set had.

    ``position``: what the memories were read at. Each question follows in an event of its own,
    sealed under the key of the memory it asks for.
    """

    set: str
    seed: int
    generator: Literal["templates", "llm"]
    questions: int
    position: int
    model: str | None = None


@event("GoldenQuestionWritten")
class GoldenQuestionWritten(EventBody, frozen=True, kw_only=True):
    """One question of the set that was generated last. ``number`` counts from 1."""

    set: str
    number: int
    query: Sealed[str]
    expected_ids: list[str]
    question_class: str
    level: str
    namespace: str


@event("EvaluationFinished")
class EvaluationFinished(EventBody, frozen=True, kw_only=True):
    """A set was run. ``questions_sha`` (hex) tells sets of one name and other questions apart.

    ``baseline`` is the recall@10 that the run was held
    against; ``regressed``: it fell below that by more than is allowed.
    """

    set: str
    questions: int
    questions_sha: str
    recall_at_5: float
    recall_at_10: float
    precision_at_5: float
    mean_reciprocal_rank: float
    ndcg_at_10: float
    recall_by_agent: dict[str, float]
    recall_by_layer: dict[str, float]
    recall_by_category: dict[str, float]
    total_distilled_used: int
    hits_after_consolidation: int
    consolidation_benefit: float
    levels: dict[str, int]
    embedder: str
    baseline: float | None
    regressed: bool


@event("LlmCalled")
class LlmCalled(EventBody, frozen=True, kw_only=True):
    """A language model was asked. ``tokens`` in and out together; 0 where it did not say.

    ``ok``: it gave an answer that could be used. ``reason`` is a word for what was wrong with it,
    or with a part of it.
    """

    purpose: str
    model: str
    tokens: int
    ok: bool
    reason: str | None = None


# --- Log ---------------------------------------------------------------------------------------


@event("SegmentArchived")
class SegmentArchived(EventBody, frozen=True, kw_only=True):
    """A stretch of the log lies in the archive.

    ``sha256`` is that of the segment's file, ``chain`` the log's running digest after ``last``;
    both in hex.
    """

    first: int
    last: int
    sha256: str
    chain: str


@event("SubjectErased")
class SubjectErased(EventBody, frozen=True, kw_only=True):
    """The keys of these subjects end with this event, and every view lets go of their things.

    One part of the erasure of ``target_id``; ``last`` with the final part. ``held`` names what
    still holds some of the same words and stays: ``memory:<id>``, ``episode:<id>``.
    """

    target: EraseTarget
    target_id: str
    subjects: list[str]
    memory_ids: list[str]
    episode_ids: list[str]
    held: list[str] = []
    last: bool = False


@event("ErasureFinished")
class ErasureFinished(EventBody, frozen=True, kw_only=True):
    """What was erased is out of every file, but for what ``still_holding`` names.

    ``purged`` names what was cleared, by kind: views, vectors, caches, segments, backups.
    """

    purged: dict[str, list[str]]
    still_holding: list[str]


class Event(Struct, frozen=True, kw_only=True):
    """One fact, opened: the envelope of events.md around a body.

    ``position`` is 0 until the log has assigned one. ``occurred_at`` is UTC with microseconds and
    informational: order is by position. ``actor`` is an agent id, ``owner``, ``admin`` or
    ``system:<process>``. ``subject`` says whose key seals the body; empty means the rule of
    ``eventlog.sealing.subject_of``. A later event of an ephemeral thing names it, so that its text
    goes with the session's key.
    """

    aggregate_type: str
    aggregate_id: str
    version: int
    event_id: str
    occurred_at: datetime
    actor: str
    correlation_id: str
    body: EventBody
    causation_position: int | None = None
    command_id: str = ""
    fingerprint: str = ""
    position: int = 0
    subject: str = ""

    @property
    def originator_id(self) -> str:
        """The aggregate's id, by the name the ``eventsourcing`` library gives it."""
        return self.aggregate_id

    @property
    def originator_version(self) -> int:
        """The version, by the name the ``eventsourcing`` library gives it."""
        return self.version

    @property
    def type(self) -> str:
        """The stable type name."""
        return type_of(self.body)

    @property
    def schema(self) -> int:
        """The schema number of the body."""
        return schema_of(self.body)


def body_fields(body: EventBody) -> dict[str, Any]:
    """Give the body's fields by name, as JSON-ready builtins (for printing and audits)."""
    fields = msgspec.to_builtins(body)
    assert isinstance(fields, dict)
    return fields
