"""Which episodes are not distilled whatever they score (spec: lifecycle.md, "Distillation").

Each rule fires only where the whole of the talk is of its kind: one sentence that tells something
takes the episode past it.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from domain.distillation.finding import Talk
from domain.policies.scoring import LEAST_DENSITY, density
from domain.policies.sentences import sentences
from domain.policies.social import is_social
from domain.policies.world_questions import asks_the_world

SkipReason = Literal["no_user_message", "task_failed", "chit_chat", "low_density"]

FAILED: Final = frozenset({"skipped", "error"})
"""Values of ``task_status`` of what was not done, so that nothing is learnt from it."""

_AGENT: Final = (
    r"assistant|ai|bot|chatbot|agent|model|system|tool|function|助手|助理|机器人|系统|工具|智能体"
)
_AGENT_SPEAKS: Final = re.compile(rf"(?i)(?:the )?(?:ai )?(?:{_AGENT})(?: message| result)?")
_LABELLED: Final = re.compile(
    rf"(?im)^[ \t>*_#]*(?:(?P<agent>{_AGENT})|user|human|owner|me|用户|我|主人|人类)"
    r"[*_]*[ \t]*[:：]"
)


def skip_reason(talk: Talk, *, task_status: str | None) -> SkipReason | None:
    """Give why nothing is to be taken from an episode, or None if nothing speaks against it."""
    if not has_user_message(talk):
        return "no_user_message"
    if task_status is not None and task_status.strip().casefold() in FAILED:
        return "task_failed"
    if is_chit_chat(talk.content):
        return "chit_chat"
    return "low_density" if density(talk.content) < LEAST_DENSITY else None


def has_user_message(talk: Talk) -> bool:
    """Tell whether anybody but an agent speaks, here or in the turns before.

    A text with labels (``user: …``, ``助手：…``) is read by them; a text before the first label is
    its speaker's. Who has no name, or any but an agent's, is taken for a person.
    """
    turns = [*talk.before, (talk.speaker, talk.content)]
    return any(_has_person(speaker, content) for speaker, content in turns)


def is_chit_chat(text: str) -> bool:
    """Tell whether a text is small talk, or asks what anybody could answer, and nothing else."""
    said = sentences(text)
    return all(is_social(sentence) or asks_the_world(sentence) for sentence in said)


def _has_person(speaker: str | None, content: str) -> bool:
    labels = list(_LABELLED.finditer(content))
    if any(label["agent"] is None for label in labels):
        return True
    unlabelled = content[: labels[0].start()] if labels else content
    is_agent = speaker is not None and _AGENT_SPEAKS.fullmatch(speaker.strip()) is not None
    return not is_agent and unlabelled.strip() != ""
