"""What each feature counts in each score of `scoring`.

Fitted by ``python -m bench scoring_fit`` on the labelled utterances of tests/domain/worth.py, and
written down as it prints them; `tests/domain/test_worth.py` fits again and compares.
"""

from __future__ import annotations

from typing import Final

BIAS: Final = (0.25, 0.22, 0.13, 0.26, 0.13)
"""For IS, SU, PA, VD, RU, as all below."""

WEIGHTS: Final = {
    "self": (0.34, 0.21, 0.01, 0.38, 0.41),
    "others": (0.44, 0.17, 0.11, 0.58, 0.56),
    "topics": (0.88, 0.79, 0.74, 0.89, 0.96),
    "specific": (0.65, 0.45, 0.41, 0.69, 0.82),
    "informative": (2.17, 2.01, 1.96, 2.36, 2.36),
    "lasting": (0.57, 0.57, 0.51, 0.77, 0.71),
    "likes": (0.38, 0.51, 0.68, 0.61, 0.60),
    "decided": (0.57, 0.71, 0.46, 0.41, 0.37),
    "ordered": (0.50, 0.77, 0.97, 0.77, 0.58),
    "howto": (0.84, 0.87, 1.26, 1.01, 0.95),
    "because": (0.57, 0.48, 0.74, 0.78, 0.66),
    "intends": (0.40, 0.66, 0.38, 0.17, 0.52),
    "when": (0.81, 0.33, 0.06, 0.68, 0.90),
    "happened": (0.14, 0.02, 0.00, 0.10, 0.09),
    "technical": (0.70, 0.83, 0.76, 0.78, 0.79),
    "remember": (0.93, 0.94, 0.95, 1.04, 1.18),
    "answers": (1.28, 1.11, 1.08, 1.70, 1.75),
    "asks": (-1.79, -1.93, -1.78, -2.29, -1.89),
    "supposes": (-1.41, -1.20, -1.34, -2.22, -1.82),
    "passing": (-1.49, -1.81, -1.37, -2.26, -1.91),
    "to_other": (-0.41, -0.40, -0.54, -0.38, -0.49),
    "chatter": (-2.20, -2.38, -1.93, -2.90, -2.53),
    "advises": (-0.88, -0.95, -0.68, -0.98, -1.12),
    "by_agent": (-0.05, -0.10, 0.00, 0.00, -0.14),
    "noise": (-2.14, -2.18, -1.85, -2.42, -2.32),
    "abstract": (-2.54, -2.55, -2.53, -2.92, -2.94),
    "thin": (-1.62, -1.65, -1.70, -1.70, -1.66),
}
"""Of the features of `scoring_features`."""
