"""What is known of the worth of a memory or episode, as its score is nudged by it (`signals`)."""

from __future__ import annotations

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
from queries.signals import Signals, beside_its_episode


def worth_of(row: MemoryOutline | EpisodeOutline, now: datetime, policy: PolicySettings) -> Signals:
    """Give the signals of a result; an episode has none, whatever its age.

    A memory that was distilled has those of what came of it since it was said: what age took, it
    took of the episode too, against which nobody holds it.
    """
    if isinstance(row, EpisodeOutline):
        return Signals()
    # As of the morning: what was answered today is kept (`recall_cache`), and must not age apart.
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    attended = _aged(row, today, policy)
    if row.distilled_by == DISTILLED_BY_CALLER:
        return attended
    return beside_its_episode(attended, _aged(_left_alone(row, policy), today, policy))


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


def _left_alone(row: MemoryOutline, policy: PolicySettings) -> MemoryOutline:
    """Give a distilled memory as it would be if nothing had happened to it."""
    return replace(
        row,
        confidence=initial_confidence(row.clarity, policy),
        last_reinforced_at=None,
        tier="normal",
        corrections=0,
        useful=0,
        not_useful=0,
    )
