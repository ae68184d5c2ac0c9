"""Fits the weights of `domain.policies.scoring` on the labelled utterances, and judges them.

``python -m bench scoring_fit`` prints the module `domain/policies/scoring_weights.py` as it is to
be written, and how many utterances of both halves are let through or stopped as labelled. Nothing
is drawn by chance: the same labels give the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.ratio import Ratio
from domain.distillation.gate import features_of, judged
from domain.policies import scoring
from domain.policies.scoring_features import FEATURES, SUPPORTING
from domain.settings import DEFAULT_POLICY
from tests.domain.worth import TARGETS, Utterance, halves

ROUNDS: Final = 8
STEPS: Final = 400
STEP: Final = 0.5
DECISION: Final = 0.5
MISSED: Final = 4.0
"""How much worse it is to stop what is worth keeping: behind the gate a distiller still chooses."""

STEEPNESS: Final = 12.0
SHRINKAGE: Final = 0.002
LEAST_ACCURACY: Final = 0.85

TEMPLATE: Final = '''"""What each feature counts in each score of `scoring`.

Fitted by ``python -m bench scoring_fit`` on the labelled utterances of tests/domain/worth.py, and
written down as it prints them; `tests/domain/test_worth.py` fits again and compares.
"""

from __future__ import annotations

from typing import Final

BIAS: Final = ({bias})
"""For IS, SU, PA, VD, RU, as all below."""

WEIGHTS: Final = {{
{table}
}}
"""Of the features of `scoring_features`."""
'''

Matrix = NDArray[np.float64]


def main() -> list[Ratio]:
    """Fit, print the weights, and give the accuracy of the whole gate as it is written down."""
    fitting, judging = halves()
    print(module_of(*fitted(fitting)))
    return [
        Ratio(
            f"{name} half, {language}: as labelled",
            accuracy(of_language),
            floor=LEAST_ACCURACY,
            detail=f"of {len(of_language)}",
        )
        for name, half in (("fitted", fitting), ("held-out", judging))
        for language in ("en", "zh")
        for of_language in ([one for one in half if one.language == language],)
    ]


def accuracy(said: Sequence[Utterance]) -> float:
    """Give the share of utterances that the gate lets through or stops as they are labelled."""
    right = [
        (judged(one.talk(), task_status=None).skip_reason is None) == one.is_kept for one in said
    ]
    return sum(right) / len(right)


def module_of(bias: Matrix, weights: Matrix) -> str:
    """Give the text of `domain/policies/scoring_weights.py`."""
    rows = {"": bias} | dict(zip(FEATURES, weights.T, strict=True))
    lines = {name: ", ".join(f"{value + 0.0:.2f}" for value in row) for name, row in rows.items()}
    table = "\n".join(f'    "{name}": ({lines[name]}),' for name in FEATURES)
    return TEMPLATE.format(bias=lines[""], table=table)


def fitted(said: Sequence[Utterance]) -> tuple[Matrix, Matrix]:
    """Give the biases (5,) and weights (5, features) that suit the utterances best.

    Every score is a logistic function of the features of an utterance's best sentence. What is made
    least is the mean cross-entropy between scores and targets, plus that of the decision (overall
    against its threshold), plus a little of the squared weights. Supporting features are kept at
    weights of 0 or more, opposing ones at 0 or less; which sentence is the best is settled anew in
    each round.
    """
    read = [_rows(utterance) for utterance in said]
    targets = np.array([TARGETS[utterance.kind] for utterance in said])
    kept = np.array([utterance.is_kept for utterance in said], dtype=float)
    share = np.array(list(scoring.WEIGHTS.values()))
    sign = np.array([1.0 if name in SUPPORTING else -1.0 for name in FEATURES])
    weights = np.tile(sign, (len(share), 1))
    bias = np.zeros(len(share))
    for _ in range(ROUNDS):
        best = np.array(
            [rows[np.argmax(_logistic(rows @ weights.T + bias) @ share)] for rows in read]
        )
        for _ in range(STEPS):
            scores = _logistic(best @ weights.T + bias)
            decided = _logistic(STEEPNESS * (scores @ share - DEFAULT_POLICY.distil_overall_above))
            cost = DECISION * STEEPNESS * np.where(kept > 0, MISSED, 1.0) * (decided - kept)
            pull = cost[:, None] * share * scores * (1 - scores)
            slope = ((scores - targets) / len(share) + pull) / len(said)
            weights -= STEP * len(share) * (slope.T @ best + SHRINKAGE * weights / len(share))
            weights = sign * np.maximum(sign * weights, 0.0)
            bias -= STEP * len(share) * slope.sum(axis=0)
    return bias, weights


def _rows(utterance: Utterance) -> Matrix:
    nothing = tuple(0.0 for _ in FEATURES)
    return np.array(list(features_of(utterance.talk())) or [nothing])


def _logistic(at: Matrix) -> Matrix:
    return 1.0 / (1.0 + np.exp(-at))
