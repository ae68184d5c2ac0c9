"""From a model's cosine to a similarity in [0, 1] on which one set of thresholds works.

On that scale 0.2 is what texts have that share nothing, 0.5 parts those from texts about one
subject, 0.8 parts these from texts that say the same, and 1 is a cosine of 1. How a model's cosines
lie on it depends on the texts too: the bundled model puts unrelated Chinese sentences as near as
related English ones, and a query farther from a text than another text. So a model has a curve for
each such kind of pair (`calibration_fit` fits them), and one for pairs of which nothing is known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from msgspec import Struct

Role = Literal["query", "document"]
"""How the first text of a pair was embedded; the second is always a document."""

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD: Final = re.compile(r"[^\W\d_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")


class TextPair(Struct, frozen=True):
    """What kind of pair a cosine is of. ``chinese`` in [0, 1]: how far both texts are Chinese."""

    first: Role
    chinese: float


class Curve(Struct, frozen=True):
    """A smooth map that never falls, from cosine to [0, 1]: cubic pieces between knots.

    ``slopes`` are its derivatives at the knots. Made by `curve_through`.
    """

    cosines: tuple[float, ...]
    similarities: tuple[float, ...]
    slopes: tuple[float, ...]

    def __call__(self, cosine: float) -> float:
        """Give the similarity; beyond the outer knots it is that of the outer knot."""
        knots = self.cosines
        if cosine <= knots[0]:
            return self.similarities[0]
        if cosine >= knots[-1]:
            return self.similarities[-1]
        left = bisect_right(knots, cosine) - 1
        low, high = self.similarities[left], self.similarities[left + 1]
        width = knots[left + 1] - knots[left]
        t = (cosine - knots[left]) / width
        start, end = self.slopes[left] * width, self.slopes[left + 1] * width
        # The cubic Hermite polynomial, as a step above ``low``.
        step = t * (start + t * (3 * (high - low) - 2 * start - end))
        step += t * t * t * (start + end - 2 * (high - low))
        return min(high, max(low, low + step))


class Calibration(Struct, frozen=True):
    """A model's curves, by kind of pair. ``any`` is for pairs of which nothing is known."""

    any: Curve
    query_en: Curve
    query_zh: Curve
    document_en: Curve
    document_zh: Curve

    def __call__(self, cosine: float, pair: TextPair | None = None) -> float:
        """Give the similarity; of partly Chinese pairs the mean of both languages' curves."""
        if pair is None:
            return self.any(cosine)
        english, chinese = (
            (self.query_en, self.query_zh)
            if pair.first == "query"
            else (self.document_en, self.document_zh)
        )
        if pair.chinese == 0:
            return english(cosine)
        return (1 - pair.chinese) * english(cosine) + pair.chinese * chinese(cosine)


def identity(cosine: float, pair: TextPair | None = None) -> float:  # noqa: ARG001  # for all pairs
    """For models whose cosines use the range (bge-m3): the cosine itself, negative ones as 0."""
    return min(1.0, max(0.0, cosine))


def pair_of(first: Role, one: str, other: str) -> TextPair:
    """Tell what kind of pair two texts are; across languages it counts as English.

    Measured with the bundled model: its cosines across languages lie where the English ones do.
    """
    return TextPair(first, min(chinese_share(one), chinese_share(other)))


def chinese_share(text: str) -> float:
    """Give how much of a text is Chinese, in [0, 1]: two characters count as a word."""
    characters = 0.0 if text.isascii() else len(_HAN.findall(text)) / 2
    return characters / (characters + len(_WORD.findall(text))) if characters else 0.0


def curve_through(cosines: Sequence[float], similarities: Sequence[float]) -> Curve:
    """Give the curve through knots, both rising, that rises between them too.

    Slopes are harmonic means of the neighbouring pieces' (F. N. Fritsch, J. Butland, A Method for
    Constructing Local Monotone Piecewise Cubic Interpolants, 1984), 0 at the lower end, where the
    map stays at its least. Raises `ValueError` unless both rise strictly.
    """
    for values in (cosines, similarities):
        if len(values) < 2 or any(not one < other for one, other in pairwise(values)):
            raise ValueError(f"knots must rise: {list(values)}")
    pieces = [
        (y1 - y0) / (x1 - x0)
        for (x0, x1), (y0, y1) in zip(pairwise(cosines), pairwise(similarities), strict=True)
    ]
    inner = [2 * one * other / (one + other) for one, other in pairwise(pieces)]
    return Curve(tuple(cosines), tuple(similarities), (0.0, *inner, pieces[-1]))
