"""The weights of `scoring`."""

from __future__ import annotations

from typing import Final

_W = (
    0.8,
    0.6,
    1.0,
    0.9,
    1.4,
    0.9,
    0.9,
    0.8,
    0.9,
    0.7,
    0.3,
    0.6,
    0.4,
    0.6,
    1.0,
    3.0,
    -2.5,
    -1.2,
    -0.8,
    -1.2,
    -2.0,
    -2.5,
    -0.3,
    -2.5,
)
SCORES: Final = tuple((-0.8, _W) for _ in range(5))
