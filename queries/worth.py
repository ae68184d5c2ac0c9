"""What is known of the worth of a memory or episode, as its score is nudged by it (`signals`)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import replace

from domain.policies.ageing import days_between, last_attended
from domain.policies.confidence import effective_confidence, initial_confidence
from domain.policies.importance import importance, retention
from domain.policies.trust import DISTILLED_BY_CALLER
from domain.policies.volatility import is_volatile
from domain.settings import PolicySettings
from projections.state.rows import EpisodeOutline, MemoryOutline
from queries.items import FRESH
from queries.signals import NOTHING_KNOWN, Signals, beside_its_episode


def worths_of(
    rows: Iterable[MemoryOutline | EpisodeOutline], now: datetime, policy: PolicySettings
) -> list[Signals]:
    """Give the signals of results; an episode has none, whatever its age.

    A memory that was distilled has those of what came of it since it was said: what age took, it
    took of the episode too, against which nobody holds it.
    """
    # As of the morning: what was answered today is kept (`recall_cache`), and must not age apart.
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return [
        NOTHING_KNOWN if isinstance(row, EpisodeOutline) else _worth_of(row, today, policy)
        for row in rows
    ]


def _worth_of(row: MemoryOutline, today: datetime, policy: PolicySettings) -> Signals:
    attended = _aged(row, today, policy)
    if row.distilled_by == DISTILLED_BY_CALLER:
        return attended
    confidence = initial_confidence(row.clarity, policy)
    if _is_left_alone(row, confidence):
        return beside_its_episode(attended, attended)
    return beside_its_episode(attended, _aged(_left_alone(row, confidence), today, policy))


def _aged(row: MemoryOutline, today: datetime, policy: PolicySettings) -> Signals:
    volatile = is_volatile(row.corrections, policy)
    days = days_between(
        last_attended(row.created_at, row.observed_at, row.last_reinforced_at), today
    )
    return Signals(
        confidence=effective_confidence(row.confidence, row.last_seen_at, today, policy),
        importance=importance(
            days=days,
            recall_count=0,  # what is recalled often must not come first for that alone
            retained=retention(
                days, row.decay_class, volatile=volatile, tier=row.tier, policy=policy
            ),
            useful=row.useful,
            not_useful=row.not_useful,
            policy=policy,
        ),
        useful=row.useful,
        not_useful=row.not_useful,
        freshness=FRESH,
    )


def _is_left_alone(row: MemoryOutline, confidence: float) -> bool:
    """Tell whether `_left_alone` gives the row itself, as it does of most."""
    return (
        row.confidence == confidence
        and row.last_reinforced_at is None
        and row.tier == "normal"
        and not row.corrections
        and not row.useful
        and not row.not_useful
    )


def _left_alone(row: MemoryOutline, confidence: float) -> MemoryOutline:
    """Give a distilled memory as it would be if nothing had happened to it.

    ``confidence`` is what it began with.
    """
    return replace(
        row,
        confidence=confidence,
        last_reinforced_at=None,
        tier="normal",
        corrections=0,
        useful=0,
        not_useful=0,
    )
