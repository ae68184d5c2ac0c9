"""From a model's cosine to a similarity in [0, 1] on which one set of thresholds works.

First version, two maps. A later order fits them on pairs that ship with the project.
"""

from __future__ import annotations


def identity(cosine: float) -> float:
    """For models whose cosines use the range (bge-m3): the cosine itself, negative ones as 0."""
    return min(1.0, max(0.0, cosine))


def linear(cosine: float, *, zero_at: float, one_at: float = 1.0) -> float:
    """Stretch ``zero_at``..``one_at`` to 0..1 and cut what lies outside.

    For models trained with a low softmax temperature (the E5 family: 0.01), whose cosines crowd
    into the top of the range, so that even unrelated texts score high: ``zero_at`` is where they
    lie. Raises `ValueError` unless ``zero_at < one_at``.
    """
    if not zero_at < one_at:
        raise ValueError(f"zero_at {zero_at} must be below one_at {one_at}")
    return min(1.0, max(0.0, (cosine - zero_at) / (one_at - zero_at)))
