"""Whether anything is to be taken from an episode at all, before a distiller reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from domain.distillation.finding import Talk
from domain.distillation.hard_rules import HardReason, skip_reason
from domain.distillation.sentences import sentences
from domain.distillation.turns import last_said, turns
from domain.policies.scoring import LONG, Scores, asks, best_of, is_worth_distilling, scores_of
from domain.policies.scoring_features import features
from domain.settings import DEFAULT_POLICY, PolicySettings

LOW_SCORES: Final = "low_scores"
"""Nothing rules an episode out, and no sentence of it scores enough."""


class Verdict(Struct, frozen=True):
    """Why an episode is skipped, None if it is to be distilled; and what it scores."""

    skip_reason: HardReason | Literal["low_scores"] | None
    scores: Scores


def judged(
    talk: Talk, *, task_status: str | None, policy: PolicySettings = DEFAULT_POLICY
) -> Verdict:
    """Hold an episode against the hard rules, then against what it must score."""
    rated = worth(talk)
    reason = skip_reason(talk, task_status=task_status, policy=policy)
    if reason is None and not is_worth_distilling(rated, policy):
        return Verdict(LOW_SCORES, rated)
    return Verdict(reason, rated)


def worth(talk: Talk) -> Scores:
    """Give the scores of an episode: those of its best sentence.

    An answer is worth more than the same words unasked; the question is looked for in the turn that
    came just before, if somebody else said it. Of a transcript, what an agent says is worth less.
    """
    return best_of(map(scores_of, features_of(talk)))


def features_of(talk: Talk) -> Iterator[tuple[float, ...]]:
    """Give the features (`domain.policies.scoring_features`) of each sentence of an episode."""
    said = turns(talk)
    answers = _answers(talk)
    for turn in said:
        labelled = len(said) > 1 or turn.start > 0
        for sentence in sentences(talk.content, turn.start, turn.end):
            yield features(
                sentence.text[:LONG],
                answers=answers and turn is said[0],
                by_agent=labelled and turn.role == "assistant",
            )


def _answers(talk: Talk) -> bool:
    if not talk.before:
        return False
    speaker, content = last_said(*talk.before[-1])
    return speaker != talk.speaker and any(asks(sentence.text) for sentence in sentences(content))
