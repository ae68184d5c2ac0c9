"""How much a piece of talk is worth keeping: five scores (spec: lifecycle.md, "Distillation").

Without a model the scores come from features of its sentences (`scoring_features`) through logistic
functions whose weights (`scoring_weights`) were fitted on labelled utterances. A supporting feature
has no negative weight in any score and an opposing one no positive, so the scores are monotone. A
text is worth what its best sentence is worth: whatever is said around it takes nothing away.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from domain.distillation.sentences import sentences
from domain.policies import scoring_weights as fitted
from domain.policies.scoring_cues import ASKS
from domain.policies.scoring_features import (
    FEATURES,
    features,
    latin_words,
    size_of,
    specifics,
    weight_of,
)
from domain.policies.social import is_social
from domain.settings import DEFAULT_POLICY, PolicySettings

WEIGHTS: Final = {"IS": 0.20, "SU": 0.20, "PA": 0.15, "VD": 0.25, "RU": 0.20}
"""What each score counts in `Scores.overall`."""

LONG: Final = 2_000
"""Characters of one sentence that are read; a longer one is no sentence."""


class Scores(Struct, frozen=True):
    """Five scores in [0, 1] and what they come to."""

    information_significance: float
    strategic_utility: float
    practical_applicability: float
    validation_durability: float
    recall_usability: float

    @property
    def overall(self) -> float:
        """The weighted sum: .20 IS + .20 SU + .15 PA + .25 VD + .20 RU."""
        return sum(WEIGHTS[name] * score for name, score in self._named().items())

    def as_dict(self) -> dict[str, float]:
        """Give the scores as an event carries them, to four decimals."""
        named = {**self._named(), "overall": self.overall}
        return {name: round(score, 4) for name, score in named.items()}

    def _named(self) -> dict[str, float]:
        return {
            "IS": self.information_significance,
            "SU": self.strategic_utility,
            "PA": self.practical_applicability,
            "VD": self.validation_durability,
            "RU": self.recall_usability,
        }


NOTHING: Final = Scores(0.0, 0.0, 0.0, 0.0, 0.0)


def scores(text: str) -> Scores:
    """Give the scores of a text: those of its best sentence; all 0 where it has none."""
    return best_of(scores_of(features(sentence.text[:LONG])) for sentence in sentences(text))


def best_of(rated: Iterable[Scores]) -> Scores:
    """Give the scores that let most through; all 0 where there are none."""
    return max(rated, key=lambda one: (is_worth_distilling(one), one.overall), default=NOTHING)


def scores_of(read: Sequence[float]) -> Scores:
    """Give the scores of a sentence from its features, in the order of `FEATURES`."""
    return Scores(*(_logistic(bias, column, read) for bias, column in _COLUMNS))


def is_worth_distilling(rated: Scores, policy: PolicySettings = DEFAULT_POLICY) -> bool:
    """Tell whether the scores let a text through: overall > 0.7, or durability > 0.8."""
    return (
        rated.overall > policy.distil_overall_above
        or rated.validation_durability > policy.distil_durability_above
    )


def asks(sentence: str) -> bool:
    """Tell whether a sentence asks something, and not only how one is."""
    return ASKS.search(sentence) is not None and not is_social(sentence)


def density(text: str) -> float:
    """Give in [0, 1] how much of what is said says something: the most of any sentence.

    Of one sentence it is the share of its words that are neither connecting words nor fillers nor
    repeated, where a name or a number counts double; under two such words it falls to nothing. Two
    Chinese characters count as one word.
    """
    return max((_density_of(one.text[:LONG]) for one in sentences(text)), default=0.0)


def _density_of(sentence: str) -> float:
    words = latin_words(sentence)
    size = size_of(sentence, words)
    said = weight_of(sentence, words)
    said += specifics(sentence) if said else 0
    return min(1.0, said / size, said / 2) if size else 0.0


def _logistic(bias: float, weights: Sequence[float], read: Sequence[float]) -> float:
    at = bias + sum(weight * value for weight, value in zip(weights, read, strict=True))
    return 1.0 / (1.0 + math.exp(-at))


_COLUMNS: Final = tuple(
    (bias, tuple(fitted.WEIGHTS[name][score] for name in FEATURES))
    for score, bias in enumerate(fitted.BIAS)
)
