"""Which episodes are not distilled whatever they score (spec: lifecycle.md, "Distillation").

Each rule fires only where the whole of the talk is of its kind: one sentence that tells something
takes the episode past it.
"""

from __future__ import annotations

from typing import Final, Literal

from domain.distillation.finding import Talk
from domain.distillation.sentences import sentences
from domain.distillation.turns import role_of, turns
from domain.policies.scoring import density
from domain.policies.social import is_social
from domain.policies.world_questions import asks_the_world
from domain.settings import DEFAULT_POLICY, PolicySettings

HardReason = Literal["no_user_message", "task_failed", "chit_chat", "low_density"]

FAILED: Final = frozenset({"skipped", "error"})
"""Values of ``task_status`` of what was not done, so that nothing is learnt from it."""


def skip_reason(
    talk: Talk, *, task_status: str | None, policy: PolicySettings = DEFAULT_POLICY
) -> HardReason | None:
    """Give why nothing is to be taken from an episode, or None if nothing speaks against it."""
    if not has_user_message(talk):
        return "no_user_message"
    if task_status is not None and task_status.strip().casefold() in FAILED:
        return "task_failed"
    if is_chit_chat(talk):
        return "chit_chat"
    return "low_density" if density(talk.content) < policy.distil_density_from else None


def has_user_message(talk: Talk) -> bool:
    """Tell whether anybody but an agent speaks, here or in the turns before.

    Who speaks is told by the labels of a transcript, else by the speaker's name. An episode with
    neither is what its committer has to say, and counts as a message.
    """
    if not talk.content.strip():
        return False
    if any(speaker is not None and role_of(speaker) != "assistant" for speaker, _ in talk.before):
        return True
    said = turns(talk)
    if talk.speaker is None and len(said) == 1 and said[0].start == 0:
        return True
    return any(turn.role != "assistant" for turn in said)


def is_chit_chat(talk: Talk) -> bool:
    """Tell whether people only make small talk here, or ask what anybody could answer."""
    said = turns(talk)
    people = [turn for turn in said if turn.role != "assistant"] or said
    return all(
        is_social(sentence.text) or asks_the_world(sentence.text)
        for turn in people
        for sentence in sentences(talk.content, turn.start, turn.end)
    )
