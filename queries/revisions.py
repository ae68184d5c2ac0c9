"""The newest first among texts that give another value for what is asked.

"The port is 3000" and "The port is 4000" score alike for "Which port is it?", and only the newer is
true. Two results are versions of one statement when the same speaker said both, their texts differ
in one stretch only and have at least half of the shorter one in common, and of the query's terms
both hold the same ones, at least two in five. The last keeps apart what merely sounds alike: other
things, other events told in the same phrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final, TypeVar

from msgspec import Struct

from projections.vector.stop_words import ENGLISH_STOP_WORDS

LOOKED_AT: Final = 20
"""Among how many of the best results versions change places."""

IN_COMMON: Final = 0.5
ASKED: Final = 0.4

_UNIT: Final = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:['’.-][^\W_\u3400-\u9fff]+)*")
_WITHIN_NAMES: Final = frozenset({"of", "the", "and", "in", "a", "an"})

T = TypeVar("T")


class Statement(Struct, frozen=True, kw_only=True):
    """What of a result is compared. ``age`` sorts: the larger, the newer."""

    speaker: str | None
    text: str
    held: frozenset[str]
    age: tuple[float, int]


def newest_first(
    ranked: Sequence[T], statement_of: Callable[[T], Statement], terms: int
) -> list[T]:
    """Let versions of one statement change places, newest first; all others stay where they are.

    ``terms`` is how many the query has; without any nothing changes.
    """
    places = [statement_of(one) for one in ranked[:LOOKED_AT]]
    order = list(range(len(places)))
    units = cache(lambda place: units_of(places[place].text))
    for alike in _asked_alike(places, terms):
        for number, start in enumerate(alike):
            first = units(order[start])
            group = [start] + [
                place
                for place in alike[number + 1 :]
                if one_value_apart(first, units(order[place]))
            ]
            newest = sorted((order[place] for place in group), key=lambda one: places[one].age)
            for place, one in zip(group, reversed(newest), strict=True):
                order[place] = one
    return [*(ranked[one] for one in order), *ranked[LOOKED_AT:]]


def units_of(text: str) -> list[str]:
    """Give the words of a text, and its Chinese characters one by one."""
    return _UNIT.findall(text.casefold())


def one_value_apart(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two texts differ in one stretch, which holds no second statement."""
    if one == other:
        return True
    shorter = min(len(one), len(other))
    before = 0
    while before < shorter and one[before] == other[before]:
        before += 1
    after = 0
    while after < shorter - before and one[-1 - after] == other[-1 - after]:
        after += 1
    if before + after < IN_COMMON * shorter:
        return False
    mine, theirs = one[before : len(one) - after], other[before : len(other) - after]
    shared_verbs = set(mine) & set(theirs) & ENGLISH_STOP_WORDS - _WITHIN_NAMES
    return bool(mine) and bool(theirs) and not shared_verbs


def _asked_alike(places: Sequence[Statement], terms: int) -> Iterable[list[int]]:
    """Give the places that share what is asked for, by what they share."""
    alike: dict[object, list[int]] = {}
    for place, one in enumerate(places):
        if terms > 0 and len(one.held) >= ASKED * terms:
            alike.setdefault((one.speaker, one.held), []).append(place)
    return (group for group in alike.values() if len(group) > 1)
