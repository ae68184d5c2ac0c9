"""The Memory aggregate: one statement, its versions, votes and fate."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.errors import VersionMismatch, WrongState
from domain.events import (
    Event,
    EventBody,
    FeedbackGiven,
    MemoryCorrected,
    MemoryCreated,
    MemoryDeleted,
    MemoryDeprecated,
    MemoryErased,
    MemoryReinforced,
    MemoryRestored,
    MemorySuperseded,
    MemoryTagged,
    QualityDropped,
    Source,
    Tier,
    TierChanged,
    Verdict,
)
from domain.policies.quality import has_low_quality, quality
from domain.policies.text import text_hash
from domain.settings import DEFAULT_POLICY, PolicySettings


class Memory(Struct, frozen=True, kw_only=True):
    """What a decision about a memory needs to know.

    ``version`` counts its events, ``text_version`` its texts. ``author`` committed it first.
    ``content_hash`` is of the exact present text, ``text_hash`` of its normalised form.
    ``episodes`` are those it was taken from or seen again in, oldest first.
    """

    id: str
    version: int
    created_at_position: int
    namespace: str
    session_id: str | None
    author: str
    source: Source
    content_hash: str
    text_hash: str
    episodes: tuple[str, ...]
    tags_hash: str
    expires_at: datetime | None = None
    text_version: int = 1
    corrections: int = 0
    state: Literal["live", "tombstone", "erased"] = "live"
    tier: Tier = "normal"
    useful: int = 0
    not_useful: int = 0
    quality_has_dropped: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it is neither a tombstone nor erased."""
        return self.state == "live"

    @property
    def is_erased(self) -> bool:
        """Whether nothing of it can be read any more."""
        return self.state == "erased"


# --- decisions: what may happen next, or why not -----------------------------------------------


def is_present(memory: Memory, now: datetime) -> bool:
    """Tell whether the memory can be recalled: live, and not past its ``expires_at``."""
    return memory.is_live and (memory.expires_at is None or now < memory.expires_at)


def reinforce(memory: Memory, episode_id: str, delta: float) -> list[EventBody]:
    """Note that exactly this statement was seen again, in that episode."""
    _require_live(memory)
    return [MemoryReinforced(episode_id=episode_id, match="exact", delta=delta)]


def give_feedback(
    memory: Memory,
    verdict: Verdict,
    *,
    agent_id: str,
    weight: int = 1,
    recall_id: str | None = None,
    reason: str | None = None,
    policy: PolicySettings = DEFAULT_POLICY,
) -> list[EventBody]:
    """Count a vote; the first time the quality falls below 0.3 on 5 votes, say so."""
    _require_live(memory)
    vote = FeedbackGiven(
        verdict=verdict, agent_id=agent_id, recall_id=recall_id, reason=reason, weight=weight
    )
    useful = memory.useful + (weight if verdict == "useful" else 0)
    not_useful = memory.not_useful + (weight if verdict == "not_useful" else 0)
    score = quality(useful, not_useful)
    if (
        score is not None
        and not memory.quality_has_dropped
        and has_low_quality(useful, not_useful, policy)
    ):
        return [vote, QualityDropped(score=score)]
    return [vote]


def deprecate(memory: Memory, *, agent_id: str, reason: str | None = None) -> list[EventBody]:
    """Withdraw it, for its author or the owner. Nothing happens to a tombstone."""
    return [MemoryDeprecated(agent_id=agent_id, reason=reason)] if memory.is_live else []


def correct(
    memory: Memory,
    content: str,
    *,
    source: Source,
    agent_id: str,
    reason: str | None = None,
    trigger: str | None = None,
    expected_version: int | None = None,
) -> list[EventBody]:
    """Give it another text; its version rises by one.

    ``expected_version`` is the text version that the corrector has read: `VersionMismatch` if it is
    another now. The same text from the same source again changes nothing.
    """
    _require_live(memory)
    if expected_version is not None and expected_version != memory.text_version:
        raise VersionMismatch(expected_version, memory.text_version)
    if exact_hash(content) == memory.content_hash and source == memory.source:
        return []
    return [
        MemoryCorrected(
            content=content, source=source, agent_id=agent_id, reason=reason, trigger=trigger
        )
    ]


def delete(memory: Memory, *, agent_id: str, reason: str | None = None) -> list[EventBody]:
    """Make it a tombstone. Nothing happens to one that is."""
    return [MemoryDeleted(agent_id=agent_id, reason=reason)] if memory.is_live else []


def restore(memory: Memory, *, agent_id: str) -> list[EventBody]:
    """Make a tombstone live again, with the text it had. Nothing happens to a live memory.

    Whether another memory has taken its text meanwhile is for the text claim to say.
    """
    _require_not_erased(memory)
    return [] if memory.is_live else [MemoryRestored(agent_id=agent_id)]


def erase(memory: Memory) -> list[EventBody]:
    """Let nothing of it be read any more. Nothing happens to one that was erased."""
    return [] if memory.is_erased else [MemoryErased()]


def change_tier(memory: Memory, tier: Tier) -> list[EventBody]:
    """Pin (``core``) or unpin (``normal``)."""
    _require_live(memory)
    return [] if memory.tier == tier else [TierChanged(tier=tier)]


def set_tags(memory: Memory, tags: Iterable[str]) -> list[EventBody]:
    """Replace its tags; order and repeats do not matter."""
    _require_live(memory)
    wanted = sorted(set(tags))
    return [] if tags_hash(wanted) == memory.tags_hash else [MemoryTagged(tags=wanted)]


def exact_hash(content: str) -> str:
    """Give the SHA-256 (hex) of the text as it is."""
    return hashlib.sha256(content.encode()).hexdigest()


def tags_hash(tags: Iterable[str]) -> str:
    """Give the SHA-256 (hex) of a set of tags."""
    return hashlib.sha256("\x1f".join(sorted(set(tags))).encode()).hexdigest()


def _require_not_erased(memory: Memory) -> None:
    if memory.is_erased:
        raise WrongState(f"memory {memory.id} was erased: nothing of it is left")


def _require_live(memory: Memory) -> None:
    _require_not_erased(memory)
    if not memory.is_live:
        raise WrongState(f"memory {memory.id} is a tombstone: restore it first")


# --- the fold ----------------------------------------------------------------------------------


def fold(memory: Memory | None, event: Event) -> Memory:
    """Apply one event of the log to the state."""
    body = event.body
    if isinstance(body, MemoryCreated):
        return _created(body, event)
    if memory is None:
        raise ValueError(f"memory {event.aggregate_id} begins with {event.type}")
    return _changed(replace(memory, version=event.version), body)


def _created(body: MemoryCreated, event: Event) -> Memory:
    return Memory(
        id=event.aggregate_id,
        version=event.version,
        created_at_position=event.position,
        namespace=body.namespace,
        session_id=body.session_id,
        author=body.agent_id,
        source=body.source,
        content_hash=exact_hash(body.content),
        text_hash=text_hash(body.content),
        episodes=tuple(body.derived_from),
        tags_hash=tags_hash(body.tags),
        expires_at=body.expires_at,
        tier=body.tier,
    )


def _changed(memory: Memory, body: EventBody) -> Memory:
    if memory.is_erased:
        return memory
    match body:
        case MemoryErased():
            # Its digests would tell whoever guesses the text that the guess is right.
            return replace(memory, state="erased", content_hash="", text_hash="", tags_hash="")
        case MemoryReinforced(episode_id=episode):
            seen = memory.episodes
            return replace(memory, episodes=seen if episode in seen else (*seen, episode))
        case FeedbackGiven(verdict="useful", weight=weight):
            return replace(memory, useful=memory.useful + weight)
        case FeedbackGiven(weight=weight):
            return replace(memory, not_useful=memory.not_useful + weight)
        case MemoryCorrected(content=content, source=source):
            return replace(
                memory,
                content_hash=exact_hash(content),
                text_hash=text_hash(content),
                source=source,
                text_version=memory.text_version + 1,
                corrections=memory.corrections + 1,
            )
        case MemoryDeprecated() | MemoryDeleted() | MemorySuperseded():
            return replace(memory, state="tombstone")
        case MemoryRestored():
            return replace(memory, state="live")
        case TierChanged(tier=tier):
            return replace(memory, tier=tier)
        case MemoryTagged(tags=tags):
            return replace(memory, tags_hash=tags_hash(tags))
        case QualityDropped():
            return replace(memory, quality_has_dropped=True)
        case _:
            return memory


MEMORY = AggregateKind("Memory", Memory, fold, grows=True)
