"""From rows of the state view to items of the wire: what time and policy make of them is added.

Everything here is a pure function of rows, the present and the policy's numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from msgspec import structs

from domain.caller import Caller, may_read
from domain.policies.ageing import days_between, last_attended
from domain.policies.confidence import effective_confidence, initial_confidence, is_low_confidence
from domain.policies.importance import importance, retention
from domain.policies.quality import quality
from domain.policies.trust import DISTILLED_BY_CALLER, trust
from domain.policies.volatility import is_volatile
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import CandidateItem, Chunk, MemoryDetail, RecallItem
from projections.state.rows import (
    EpisodeOrigin,
    EpisodeOutline,
    EpisodeRow,
    MemoryOutline,
    MemoryRow,
)

EXTERNAL_ID: Final = "external_id"
"""The metadata key under which an importer keeps a line's own id."""

FRESH: Final = "fresh"
"""The only freshness there is until corrections spread to what depends on them."""


def memory_item(
    row: MemoryRow,
    now: datetime,
    *,
    score: float = 0.0,
    triggers: Iterable[str] = (),
    external_ids: Iterable[str] = (),
    parts: Mapping[str, float] | None = None,
    policy: PolicySettings = DEFAULT_POLICY,
) -> RecallItem:
    """Give a memory as a result, with the text it has now.

    ``triggers`` are what its corrections named as their cause. ``external_ids`` are those of its
    episodes; when there are any they stand in the metadata as one list.
    """
    confidence = effective_confidence(row.confidence, row.last_seen_at, now, policy)
    volatile = is_volatile(row.corrections, policy)
    warnings = []
    if volatile:
        warnings.append("volatile")
    if is_low_confidence(confidence, policy):
        warnings.append("low_confidence")
    if row.superseded_by is not None:
        warnings.append("superseded")
    return RecallItem(
        id=row.id,
        layer="memory",
        version=row.version,
        content=row.content,
        score=score,
        namespace=row.namespace,
        agent_id=row.agent_id,
        category=row.category,
        source=row.source,
        trust=_trust_of_memory(row, policy),
        confidence=confidence,
        freshness=FRESH,
        warnings=warnings,
        triggers=sorted(set(triggers)) if volatile else [],
        tier=row.tier,
        observed_at=row.observed_at,
        recorded_at=row.recorded_at,
        derived_from=list(row.derived_from),
        metadata=_with_external_ids(row.metadata, list(external_ids)),
        position=row.version_position,
        session_id=row.session_id,
        parts=None if parts is None else dict(parts),
    )


def episode_item(
    row: EpisodeRow,
    *,
    score: float = 0.0,
    content: str | None = None,
    chunk: Chunk | None = None,
    warnings: Iterable[str] = (),
    parts: Mapping[str, float] | None = None,
    policy: PolicySettings = DEFAULT_POLICY,
) -> RecallItem:
    """Give an episode as a result; ``content`` is its best chunk's text where it has several.

    Nobody has judged what it says yet: its confidence is the least that a memory made from it
    could start with.
    """
    return RecallItem(
        id=row.id,
        layer="episode",
        version=1,
        content=row.content if content is None else content,
        score=score,
        namespace=row.namespace,
        agent_id=row.agent_id,
        category=row.category,
        source=row.source,
        trust=trust(row.source, row.agent_id, policy=policy),
        confidence=initial_confidence(0.0, policy),
        freshness=FRESH,
        warnings=list(warnings),
        tier="normal",
        observed_at=row.observed_at,
        recorded_at=row.recorded_at,
        derived_from=[],
        metadata=dict(row.metadata),
        position=row.created_position,
        speaker=row.speaker,
        session_id=row.session_id,
        chunk=chunk,
        parts=None if parts is None else dict(parts),
    )


def memory_detail(
    row: MemoryRow,
    now: datetime,
    *,
    triggers: Iterable[str] = (),
    external_ids: Iterable[str] = (),
    policy: PolicySettings = DEFAULT_POLICY,
) -> MemoryDetail:
    """Give a memory with what is known of its life. Its score is 0: nothing was asked."""
    item = memory_item(row, now, triggers=triggers, external_ids=external_ids, policy=policy)
    volatile = is_volatile(row.corrections, policy)
    days = days_between(last_attended(row.created_at, row.observed_at, row.last_reinforced_at), now)
    retained = retention(days, row.decay_class, volatile=volatile, tier=row.tier, policy=policy)
    return MemoryDetail(
        **_fields(item),
        importance=importance(
            days=days,
            recall_count=row.recall_count,
            retained=retained,
            useful=row.useful,
            not_useful=row.not_useful,
            policy=policy,
        ),
        quality=quality(row.useful, row.not_useful),
        recall_count=row.recall_count,
        useful_count=row.useful,
        not_useful_count=row.not_useful,
        volatile=volatile,
        tags=list(row.tags),
        entities=[{"name": entity.name, "type": entity.type} for entity in row.entities],
        depends_on=list(row.depends_on),
        state=row.state,
        observations=row.observations,
        last_recalled_at=row.last_recalled_at,
        clarity=row.clarity,
        evidence=row.evidence,
        distilled_by=row.distilled_by,
        verifications=row.verifications,
        settled_at=row.settled_at,
    )


def candidate_item(
    row: MemoryRow,
    now: datetime,
    *,
    external_ids: Iterable[str] = (),
    policy: PolicySettings = DEFAULT_POLICY,
) -> CandidateItem:
    """Give a candidate with what the owner judges it by."""
    return CandidateItem(
        **_fields(memory_item(row, now, external_ids=external_ids, policy=policy)),
        clarity=row.clarity,
        evidence=row.evidence,
        observations=row.observations,
    )


def episode_tombstone(row: EpisodeRow, policy: PolicySettings = DEFAULT_POLICY) -> MemoryDetail:
    """Give a deleted episode as it stands among the tombstones, beside memories."""
    return MemoryDetail(
        **_fields(episode_item(row, policy=policy)),
        importance=0.0,
        quality=None,
        recall_count=0,
        useful_count=0,
        not_useful_count=0,
        volatile=False,
        tags=list(row.tags),
        entities=[],
        depends_on=[],
        state="tombstone",
    )


def seen_by(caller: Caller, row: MemoryRow, episodes: Mapping[str, EpisodeOrigin]) -> MemoryRow:
    """Give a memory without those of its sources that the caller may not know of.

    Then without the words of a source too: nobody knows of which they are. ``episodes`` are its
    sources by id; one that is not among them is nobody's and stays.
    """
    known = [
        source
        for source in row.derived_from
        if source not in episodes or may_read(caller, episodes[source].namespace)
    ]
    evidence = row.evidence if len(known) == len(row.derived_from) else None
    return structs.replace(row, derived_from=known, evidence=evidence)


def external_ids_of(row: MemoryOutline, episodes: Mapping[str, EpisodeOrigin]) -> list[str]:
    """Give the external ids of the episodes that a memory came from, in their order."""
    known = [episodes[episode_id] for episode_id in row.derived_from if episode_id in episodes]
    ids = [episode.metadata.get(EXTERNAL_ID) for episode in known]
    return [external_id for external_id in ids if isinstance(external_id, str)]


def changed_since(row: EpisodeOutline, memories: Mapping[str, MemoryOutline]) -> list[str]:
    """Give why a distilled episode must not be recalled: its memories say something else now.

    ``memories`` holds those it made and reinforced, as of now. The answer is made of the warnings
    ``memory_deleted`` and ``superseded``, and empty while every one of them is live with the text
    it had when the episode was distilled (spec: recall.md, "Superseded and deleted text"), or waits
    to be settled. For one that went when its episode was distilled anew the others answer.
    """
    reasons = set()
    for memory_id in [*row.memory_ids, *row.reinforced_ids]:
        memory = memories.get(memory_id)
        if memory is not None and memory.ended_by == "redistilled":
            continue
        if memory is None or (memory.state == "tombstone" and memory.ended_by != "superseded"):
            reasons.add("memory_deleted")
        elif memory.state == "tombstone":
            reasons.add("superseded")
        elif memory_id in row.memory_ids:
            if memory.version > 1:
                reasons.add("superseded")
        elif memory.version_position > row.reinforcements.get(memory_id, row.position):
            reasons.add("superseded")
    return sorted(reasons)


def _trust_of_memory(row: MemoryRow, policy: PolicySettings) -> float:
    # A corrected text is its corrector's own statement, not what a distiller made of an episode;
    # and what the owner stands by, or what was borne out, is worth what its source is worth.
    confirmed = (
        row.version > 1
        or row.settled_at is not None
        or row.verifications >= policy.verifications_that_confirm
    )
    distilled_by = DISTILLED_BY_CALLER if confirmed else row.distilled_by
    return trust(row.source, row.told_by, distilled_by, policy)


def _with_external_ids(metadata: Mapping[str, Any], external_ids: list[str]) -> dict[str, Any]:
    return {**metadata, EXTERNAL_ID: external_ids} if external_ids else dict(metadata)


def _fields(item: RecallItem) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__struct_fields__}
