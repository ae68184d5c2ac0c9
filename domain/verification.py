"""What bears a memory out, and what that gives it (spec: lifecycle.md, "Confidence")."""

from __future__ import annotations

from typing import Final

from domain.events import EventBody, MemoryVerified, ValidationRule
from domain.memory import Memory, require_held, verification_place
from domain.settings import DEFAULT_POLICY, PolicySettings

FAINT_VERIFICATIONS_THAT_COUNT: Final = 3


def verify(
    memory: Memory,
    rule: ValidationRule,
    delta: float,
    *,
    episode_id: str,
    session_id: str | None,
    policy: PolicySettings = DEFAULT_POLICY,
) -> list[EventBody]:
    """Note that an episode bears it out: once in a session, and nothing where nothing is gained.

    ``delta`` is what the rule gives; of the signs that give 0 every third gains. Nothing is lifted
    above 1.0.
    """
    require_held(memory)
    if verification_place(episode_id, session_id) in memory.verified_in:
        return []
    faint = delta == 0
    if faint and (memory.faint_verifications + 1) % FAINT_VERIFICATIONS_THAT_COUNT == 0:
        delta = policy.faint_verification_delta
    room = max(0.0, 1.0 - memory.confidence)
    confirms = not faint and memory.verifications < policy.verifications_that_confirm
    if room == 0 and not confirms:
        return []
    return [
        MemoryVerified(
            episode_id=episode_id,
            session_id=session_id,
            rule=rule,
            delta=min(delta, room),
            faint=faint,
        )
    ]
