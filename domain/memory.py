"""The Memory aggregate: one statement, its versions, votes and fate."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.caller import SYSTEM
from domain.errors import VersionMismatch, WrongState
from domain.events import (
    CandidateDismissed,
    CandidateSettled,
    Event,
    EventBody,
    FeedbackGiven,
    MemoryCorrected,
    MemoryDeleted,
    MemoryDeprecated,
    MemoryErased,
    MemoryProposed,
    MemoryReinforced,
    MemoryRestored,
    MemorySuperseded,
    MemoryTagged,
    MemoryVerified,
    NewMemory,
    QualityDropped,
    Source,
    TagLevel,
    Tier,
    TierChanged,
    Verdict,
)
from domain.memory_digests import exact_hash, level_digests, statement_hash, tags_hash
from domain.policies.quality import has_low_quality, quality
from domain.policies.text import text_hash
from domain.settings import DEFAULT_POLICY, PolicySettings

_DIGESTS: Final = ("content_hash", "text_hash", "statement_hash", "tags_hash")


class Memory(Struct, frozen=True, kw_only=True):
    """What a decision about a memory needs to know.

    ``version`` counts its events, ``text_version`` its texts. ``author`` committed it first.
    ``content_hash`` is of the exact present text, ``text_hash`` of its normalised form,
    ``statement_hash`` of what it says in whatever words. ``told_by`` gave it that text.
    ``episodes`` are those it was taken from or seen again in, oldest first.
    ``awaits_settling``: it was proposed and the owner has not settled it. ``is_settled``: the owner
    stands by it, and nothing but a person's word ends or changes it. ``is_unwanted``: a person
    ended this very memory; ``superseded_by`` took its place. ``verifications`` count what bore it
    out, ``faint_verifications`` what only counts; ``verified_in`` are the sessions (or, of an
    episode without one, the episode) that did either.
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
    statement_hash: str
    told_by: str
    distilled_by: str
    confidence: float
    episodes: tuple[str, ...]
    tags_hash: str
    tag_levels: tuple[tuple[str, TagLevel], ...] = ()
    expires_at: datetime | None = None
    text_version: int = 1
    corrections: int = 0
    state: Literal["candidate", "live", "tombstone", "erased"] = "live"
    is_unwanted: bool = False
    superseded_by: str | None = None
    awaits_settling: bool = False
    is_settled: bool = False
    verifications: int = 0
    faint_verifications: int = 0
    verified_in: tuple[str, ...] = ()
    tier: Tier = "normal"
    useful: int = 0
    not_useful: int = 0
    quality_has_dropped: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it is neither a candidate nor a tombstone nor erased."""
        return self.state == "live"

    @property
    def is_candidate(self) -> bool:
        """Whether it waits for the owner to settle it: it is not recalled yet."""
        return self.state == "candidate"

    @property
    def is_held(self) -> bool:
        """Whether it is live or a candidate."""
        return self.is_live or self.is_candidate

    @property
    def is_the_owners(self) -> bool:
        """Whether somebody has taken it into their own hands: settled, pinned or corrected it."""
        return self.is_settled or self.tier == "core" or self.corrections > 0

    @property
    def is_erased(self) -> bool:
        """Whether nothing of it can be read any more."""
        return self.state == "erased"


# --- decisions: what may happen next, or why not -----------------------------------------------


def is_present(memory: Memory, now: datetime) -> bool:
    """Tell whether the memory can be recalled: live, and not past its ``expires_at``."""
    return memory.is_live and (memory.expires_at is None or now < memory.expires_at)


def reinforce(
    memory: Memory, episode_id: str, delta: float, match: Literal["exact", "similar"] = "exact"
) -> list[EventBody]:
    """Note that this statement was seen again in that episode, in the same or in other words."""
    require_held(memory)
    return [MemoryReinforced(episode_id=episode_id, match=match, delta=delta)]


def verification_place(episode_id: str, session_id: str | None) -> str:
    """Give where a memory is borne out at most once."""
    return session_id or episode_id


def supersede(memory: Memory, by: str, reason: str | None = None) -> list[EventBody]:
    """Let another take its place. Nothing happens to a tombstone."""
    return [MemorySuperseded(by=by, reason=reason)] if memory.is_held else []


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
    return [MemoryDeprecated(agent_id=agent_id, reason=reason)] if memory.is_held else []


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


def delete(
    memory: Memory, *, agent_id: str, reason: str | None = None, with_episode: str | None = None
) -> list[EventBody]:
    """Make it a tombstone, perhaps with the last episode that said it. Nothing happens to one."""
    if not memory.is_held:
        return []
    return [MemoryDeleted(agent_id=agent_id, reason=reason, with_episode=with_episode)]


def restore(memory: Memory, *, agent_id: str) -> list[EventBody]:
    """Make a tombstone what it was, with the text it had. Nothing happens to what is none.

    Whether another memory has taken its text meanwhile is for the text claim to say.
    """
    require_not_erased(memory)
    return [] if memory.is_held else [MemoryRestored(agent_id=agent_id)]


def erase(memory: Memory) -> list[EventBody]:
    """Let nothing of it be read any more. Nothing happens to one that was erased."""
    return [] if memory.is_erased else [MemoryErased()]


def change_tier(memory: Memory, tier: Tier) -> list[EventBody]:
    """Pin (``core``) or unpin (``normal``)."""
    _require_live(memory)
    return [] if memory.tier == tier else [TierChanged(tier=tier)]


def set_tags(memory: Memory, tags: Iterable[str], level: TagLevel | None = None) -> list[EventBody]:
    """Replace its tags; order and repeats do not matter.

    ``level`` is that of each of them; without it a tag that stays keeps the one it was given.
    """
    require_held(memory)
    wanted = sorted(set(tags))
    known = dict(memory.tag_levels)
    levels: dict[str, TagLevel] = {}
    for tag in wanted:
        given = level or known.get(exact_hash(tag))
        if given is not None:
            levels[tag] = given
    if tags_hash(wanted) == memory.tags_hash and level_digests(levels) == memory.tag_levels:
        return []
    return [MemoryTagged(tags=wanted, levels=levels)]


def require_not_erased(memory: Memory) -> None:
    """Raise `WrongState` if nothing is left of it."""
    if memory.is_erased:
        raise WrongState(f"memory {memory.id} was erased: nothing of it is left")


def require_held(memory: Memory) -> None:
    """Raise `WrongState` unless it is live or a candidate."""
    require_not_erased(memory)
    if not memory.is_held:
        raise WrongState(f"memory {memory.id} is a tombstone: restore it first")


def _require_live(memory: Memory) -> None:
    require_held(memory)
    if memory.is_candidate:
        raise WrongState(f"memory {memory.id} is a candidate: settle it first")


# --- the fold ----------------------------------------------------------------------------------


def fold(memory: Memory | None, event: Event) -> Memory:
    """Apply one event of the log to the state."""
    body = event.body
    if isinstance(body, NewMemory):
        return _created(body, event)
    if memory is None:
        raise ValueError(f"memory {event.aggregate_id} begins with {event.type}")
    return _changed(replace(memory, version=event.version), body)


def _created(body: NewMemory, event: Event) -> Memory:
    is_proposed = isinstance(body, MemoryProposed)
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
        statement_hash=statement_hash(body.content),
        told_by=body.agent_id,
        distilled_by=body.distilled_by,
        confidence=body.confidence,
        episodes=tuple(body.derived_from),
        tags_hash=tags_hash(body.tags),
        expires_at=body.expires_at,
        tier=body.tier,
        state="candidate" if is_proposed else "live",
        awaits_settling=is_proposed,
    )


def _changed(memory: Memory, body: EventBody) -> Memory:
    if memory.is_erased:
        return memory
    match body:
        case MemoryErased():
            # Its digests would tell whoever guesses the text that the guess is right.
            return replace(memory, state="erased", tag_levels=(), **dict.fromkeys(_DIGESTS, ""))
        case MemoryReinforced(episode_id=episode, delta=delta):
            seen = memory.episodes
            return replace(
                memory,
                confidence=memory.confidence + delta,
                episodes=seen if episode in seen else (*seen, episode),
            )
        case MemoryVerified():
            return _verified(memory, body)
        case CandidateSettled():
            return _settled(memory, body)
        case FeedbackGiven(verdict="useful", weight=weight):
            return replace(memory, useful=memory.useful + weight)
        case FeedbackGiven(weight=weight):
            return replace(memory, not_useful=memory.not_useful + weight)
        case MemoryCorrected(content=content, source=source, agent_id=told_by):
            return _reworded(memory, content, source, told_by)
        case MemoryDeleted(with_episode=str()):
            return replace(memory, state="tombstone")
        case (
            MemoryDeprecated(agent_id=by)
            | MemoryDeleted(agent_id=by)
            | CandidateDismissed(agent_id=by)
        ):
            return replace(memory, state="tombstone", is_unwanted=not by.startswith(SYSTEM))
        case MemorySuperseded(by=heir):
            return replace(memory, state="tombstone", superseded_by=heir)
        case MemoryRestored():
            state = "candidate" if memory.awaits_settling else "live"
            return replace(memory, state=state, is_unwanted=False, superseded_by=None)
        case TierChanged(tier=tier):
            return replace(memory, tier=tier)
        case MemoryTagged(tags=tags, levels=levels):
            return replace(memory, tags_hash=tags_hash(tags), tag_levels=level_digests(levels))
        case QualityDropped():
            return replace(memory, quality_has_dropped=True)
        case _:
            return memory


def _reworded(memory: Memory, content: str, source: Source, told_by: str) -> Memory:
    return replace(
        memory,
        content_hash=exact_hash(content),
        text_hash=text_hash(content),
        statement_hash=statement_hash(content),
        source=source,
        told_by=told_by,
        text_version=memory.text_version + 1,
        corrections=memory.corrections + 1,
    )


def _settled(memory: Memory, body: CandidateSettled) -> Memory:
    if body.content is not None:
        memory = _reworded(memory, body.content, body.source or memory.source, body.agent_id)
    state = "live" if memory.is_candidate else memory.state
    return replace(memory, state=state, awaits_settling=False, is_settled=True)


def _verified(memory: Memory, body: MemoryVerified) -> Memory:
    place = verification_place(body.episode_id, body.session_id)
    return replace(
        memory,
        confidence=memory.confidence + body.delta,
        verifications=memory.verifications + (not body.faint),
        faint_verifications=memory.faint_verifications + body.faint,
        verified_in=(*memory.verified_in, place),
    )


MEMORY = AggregateKind("Memory", Memory, fold, grows=True)
