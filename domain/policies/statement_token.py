"""A word of a sentence with what it does there, for `same_statement`."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Part = Literal["thing", "inert", "number", "verb", "marker", "binding", "auxiliary", "be", "and",
               "adverb", "stop"]  # fmt: skip


class Token(Struct, frozen=True):
    """A word that means something, or a sign that parts others.

    ``unit`` is its base form. ``past``: it has the form of the past or of a participle.
    ``begins``: an article or the like stands before it, so it is not said of what stands before.
    ``inert`` things (a port, a day, a language) and numbers do nothing to others.
    """

    unit: str
    part: Part
    past: bool = False
    begins: bool = False


STOP: Final = Token(unit="|", part="stop")
COLON: Final = Token(unit=":", part="stop")
"""Parts like any sign, and may say that one thing is the other."""

POSSESSIVE: Final = Token(unit="'s", part="marker")
"""Makes what stands before it the owner of what follows; 的 does so too."""

INSIDE: Final = Token(unit="里", part="marker")
"""Says that something is in or on what stands before it."""

TURNED_BE: Final = Token(unit="的是", part="be")
"""Parts what is done from who does it, where that comes last."""


def is_chinese(unit: str) -> bool:
    """Tell whether a unit is a Chinese word."""
    return unit[:1] >= "\u3400"
