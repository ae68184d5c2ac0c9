"""What each feature counts in each score of `scoring`.

Fitted by ``python -m bench scoring_fit`` on the labelled utterances of tests/domain/worth.py, and
written down as it prints them; `tests/domain/test_worth.py` fits again and compares.
"""

from __future__ import annotations

from typing import Final

BIAS: Final = (0.22, 0.17, 0.09, 0.22, 0.09)
"""For IS, SU, PA, VD, RU, as all below."""

WEIGHTS: Final = {
    "self": (0.35, 0.23, 0.02, 0.40, 0.43),
    "others": (0.46, 0.23, 0.15, 0.64, 0.59),
    "topics": (0.86, 0.77, 0.72, 0.88, 0.95),
    "specific": (0.65, 0.43, 0.39, 0.68, 0.82),
    "informative": (2.22, 2.07, 2.03, 2.44, 2.42),
    "lasting": (0.56, 0.57, 0.50, 0.77, 0.71),
    "likes": (0.38, 0.51, 0.67, 0.61, 0.59),
    "decided": (0.57, 0.71, 0.47, 0.43, 0.38),
    "ordered": (0.49, 0.77, 0.97, 0.77, 0.58),
    "howto": (0.84, 0.86, 1.26, 1.00, 0.95),
    "because": (0.57, 0.48, 0.75, 0.79, 0.66),
    "intends": (0.39, 0.64, 0.37, 0.15, 0.51),
    "when": (0.85, 0.39, 0.10, 0.76, 0.96),
    "happened": (0.12, 0.02, 0.00, 0.09, 0.07),
    "technical": (0.70, 0.83, 0.77, 0.77, 0.79),
    "remember": (0.93, 0.94, 0.95, 1.04, 1.18),
    "answers": (1.30, 1.14, 1.11, 1.71, 1.76),
    "asks": (-1.78, -1.91, -1.77, -2.25, -1.88),
    "supposes": (-1.41, -1.20, -1.34, -2.22, -1.82),
    "passing": (-1.30, -1.44, -1.07, -1.92, -1.67),
    "to_other": (-0.46, -0.44, -0.58, -0.43, -0.53),
    "chatter": (-2.19, -2.36, -1.92, -2.88, -2.51),
    "advises": (-0.88, -0.94, -0.67, -0.98, -1.12),
    "by_agent": (-0.05, -0.10, 0.00, 0.00, -0.14),
    "noise": (-2.14, -2.17, -1.84, -2.41, -2.32),
    "abstract": (-2.54, -2.56, -2.53, -2.92, -2.94),
    "thin": (-1.54, -1.56, -1.62, -1.61, -1.58),
}
"""Of the features of `scoring_features`."""
