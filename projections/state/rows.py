"""What the state view answers with: rows as the events left them.

What time does to a row (confidence, importance) is computed by whoever shows it; only ``at``
looks at a clock reading, because an expired row must not be taken for a live one. An outline is
part of a row: what it is ranked by.

Times are aware UTC datetimes. ``position`` is the log position that last changed the row. What is
read row by row from a table takes its fields by place, too: by name each costs as much again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct

from domain.events import (
    Category,
    DecayClass,
    Entity,
    EvaluationFinished,
    Quota,
    Relation,
    Source,
    Tier,
    ValidationRule,
)

EpisodeStatus = Literal["pending", "distilled", "skipped", "failed", "deleted"]
MemoryState = Literal["candidate", "live", "tombstone"]
EndedBy = Literal["deprecated", "deleted", "superseded", "expired", "dismissed", "redistilled"]


class EpisodeOrigin(Struct, frozen=True, gc=False):
    """What a memory tells of an episode that it came from."""

    id: str
    namespace: str
    metadata: dict[str, Any]


class EpisodeOutline(EpisodeOrigin, frozen=True, gc=False):
    """What an episode is ranked by: a hundred are read for ten that are shown.

    ``memory_ids`` it created, ``reinforced_ids`` it confirmed; ``reinforcements`` has the position
    of that for each memory.
    """

    content: str
    speaker: str | None
    distill: bool
    observed_at: datetime | None
    recorded_at: datetime
    expires_at: datetime | None
    status: EpisodeStatus
    memory_ids: list[str]
    reinforced_ids: list[str]
    reinforcements: dict[str, int]
    position: int

    def at(self, now: datetime) -> EpisodeOutline:
        """Give the outline as it is at ``now``: gone, once ``expires_at`` has passed."""
        if self.status == "deleted" or self.expires_at is None or self.expires_at > now:
            return self
        return msgspec.structs.replace(self, status="deleted")


class EpisodeRow(EpisodeOutline, frozen=True, gc=False):
    """One episode in full."""

    agent_id: str
    session_id: str | None
    source: Source
    trigger: str | None
    category: Category | None
    decay_class: DecayClass | None
    task_status: str | None
    urgent: bool
    tags: list[str]
    reason: str | None
    distiller: str | None
    deleted_at: datetime | None
    created_position: int

    def at(self, now: datetime) -> EpisodeRow:
        """Give the row as it is at ``now``: gone, once ``expires_at`` has passed."""
        if self.status == "deleted" or self.expires_at is None or self.expires_at > now:
            return self
        return msgspec.structs.replace(
            self, status="deleted", reason="expired", deleted_at=self.expires_at
        )


class MemoryOutline(Struct, frozen=True, gc=False):
    """What a memory is ranked by: a hundred are read for ten that are shown.

    ``version`` counts texts from 1; ``recorded_at`` and ``version_position`` are those of the
    present text, ``created_at`` that of the first. ``confidence`` is the sum that the events give,
    without decay. ``useful`` and ``not_useful`` are sums of vote weights.
    """

    id: str
    namespace: str
    content: str
    version: int
    decay_class: DecayClass
    tier: Tier
    distilled_by: str
    clarity: float
    confidence: float
    derived_from: list[str]
    metadata: dict[str, Any]
    observed_at: datetime | None
    recorded_at: datetime
    created_at: datetime
    last_reinforced_at: datetime | None
    expires_at: datetime | None
    useful: int
    not_useful: int
    corrections: int
    state: MemoryState
    ended_by: EndedBy | None
    version_position: int
    position: int

    @property
    def last_seen_at(self) -> datetime:
        """When the statement was last observed: its creation or its last reinforcement."""
        return self.last_reinforced_at or self.created_at

    def at(self, now: datetime) -> MemoryOutline:
        """Give the outline as it is at ``now``: a tombstone, once ``expires_at`` has passed."""
        if self.state == "tombstone" or self.expires_at is None or self.expires_at > now:
            return self
        return msgspec.structs.replace(self, state="tombstone", ended_by="expired")


class MemoryRow(MemoryOutline, frozen=True, gc=False):
    """One memory in full, with its present text.

    ``created_position`` is that of the first text. ``observed_in`` are the episodes that reinforced
    it, oldest first. A tombstone says what ended it. ``recall_count`` counts the answers that it
    was in, as of now even in a row of the past. ``agent_id`` is who gave the first text,
    ``told_by`` who gave the present one. ``settled_at`` is when the owner first stood by it,
    ``verifications`` counts what bore it out.
    """

    agent_id: str
    told_by: str
    session_id: str | None
    category: Category
    source: Source
    trigger: str | None
    depends_on: list[str]
    references: list[str]
    entities: list[Entity]
    relations: list[Relation]
    evidence: str | None
    tags: list[str]
    observations: int
    observed_in: list[str]
    ended_at: datetime | None
    ended_reason: str | None
    superseded_by: str | None
    quality_dropped_at: datetime | None
    recall_count: int
    last_recalled_at: datetime | None
    settled_at: datetime | None
    verifications: int
    created_position: int

    def at(self, now: datetime) -> MemoryRow:
        """Give the row as it is at ``now``: a tombstone, once ``expires_at`` has passed."""
        if self.state == "tombstone" or self.expires_at is None or self.expires_at > now:
            return self
        return msgspec.structs.replace(
            self, state="tombstone", ended_by="expired", ended_at=self.expires_at
        )


class VersionRow(Struct, frozen=True):
    """One text that a memory had. ``updated_by`` is the agent (or owner) who gave it."""

    memory_id: str
    version: int
    content: str
    updated_by: str
    source: Source
    trigger: str | None
    reason: str | None
    recorded_at: datetime
    position: int


class ObservationRow(Struct, frozen=True):
    """One more time that a statement was seen. ``delta`` is what its confidence gained."""

    episode_id: str
    match: Literal["exact", "similar"]
    delta: float
    seen_at: datetime
    position: int


class VerificationRow(Struct, frozen=True):
    """One episode that bears a memory out. ``faint``: the sign only counts."""

    episode_id: str
    session_id: str | None
    rule: ValidationRule
    delta: float
    faint: bool
    seen_at: datetime
    position: int


class SettledRow(Struct, frozen=True, kw_only=True):
    """Who first stood by a memory, and when."""

    by: str
    at: datetime
    position: int


class Redistillable(Struct, frozen=True, kw_only=True):
    """Episodes that came to an end up to position ``up_to``, the oldest end first.

    ``remaining`` counts those beyond ``ids``. Whoever asks on with the same ``up_to`` comes to an
    end: what is distilled anew ends behind it.
    """

    ids: list[str]
    remaining: int
    up_to: int


class QueueRow(Struct, frozen=True, kw_only=True):
    """Episodes that wait for the distiller, ``failed`` of them after a try, and since when."""

    waiting: int
    failed: int
    oldest_at: datetime | None


class AgentRow(Struct, frozen=True):
    """One agent. ``namespace`` is its main one, ``granted`` what it may read besides its own."""

    agent_id: str
    aggregate_id: str
    kind: str
    namespace: str
    key_hash: str
    quota: Quota
    may_claim: list[Source]
    granted: frozenset[str]
    active: bool
    registered_at: datetime
    key_changed_at: datetime
    key_expires_at: datetime | None
    position: int


class TagRow(Struct, frozen=True, kw_only=True):
    """A tag, on how many live memories it stands, and how many of those are ``user_pref``.

    ``at_user`` and ``at_project`` count those on which it was given that level.
    """

    tag: str
    count: int
    user_preferences: int
    at_user: int = 0
    at_project: int = 0


class NamespaceRow(Struct, frozen=True, kw_only=True):
    """One namespace with what it holds. Deleted episodes count as tombstones."""

    namespace: str
    memories: int
    episodes: int
    tombstones: int


class StatsRow(Struct, frozen=True, kw_only=True):
    """Counts over a scope. ``distillation`` counts episodes by status."""

    position: int
    memories: int
    episodes: int
    tombstones: int
    by_category: dict[str, int]
    by_namespace: dict[str, int]
    distillation: dict[str, int]
    candidates: int
    queue: QueueRow


class GoldenSetRow(Struct, frozen=True):
    """A set of questions that was generated. ``position`` is that of its generation."""

    set: str
    seed: int
    generator: Literal["templates", "llm"]
    model: str | None
    questions: int
    generated_at: datetime
    position: int


class GoldenQuestionRow(Struct, frozen=True):
    """One question of a set; ``namespace`` is that of what it expects."""

    set: str
    number: int
    query: str
    expected_ids: list[str]
    question_class: str
    level: str
    namespace: str


class EvaluationRow(Struct, frozen=True):
    """One run of a set."""

    set: str
    position: int
    actor: str
    finished_at: datetime
    figures: EvaluationFinished


class ScanHit(Struct, frozen=True, kw_only=True):
    """A row whose text holds ``terms`` of the terms looked for."""

    id: str
    layer: Literal["memory", "episode"]
    terms: int
    position: int
