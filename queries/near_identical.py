"""Which texts are the same but for their dress, and what no two same texts may differ in.

Two texts are near-identical if they have the same words in the same order: apart from capitals at
the beginning of words, punctuation around words, full-width forms and articles. Whatever
else differs makes them two: a digit, a sign within a number or a name, capitals within one, a
question mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final, TypeVar

_CJK: Final = "\u3005\u3007\u3041-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT: Final = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")
_OPENING: Final = "\"'“”‘’«»([{<《「『（【*_"
_CLOSING: Final = "\"'“”‘’«»)]}>》」』）】*_.,;:!…。、"
_LEFT_OUT: Final = frozenset({"a", "an", "the"})
_EXACT: Final = re.compile(r"\d|[^\W_][_/\\@.:=+#~-]+[^\W_]|[a-z][A-Z]|[A-Z]{2}")
_NEGATIONS: Final = frozenset(
    {"not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "cannot"}
    | set("不没无未别勿非")
)

T = TypeVar("T")


def once(
    ranked: Sequence[T], text_of: Callable[[T], str], rough_of: Callable[[T], Hashable]
) -> list[tuple[T, list[T]]]:
    """Give the first of each group of near-identical texts, with the others of its group.

    ``rough_of`` is quick to tell and the same for all of a group: what differs in it is not the
    same whatever the texts say. Everything keeps its order.
    """
    rough = [rough_of(one) for one in ranked]
    alike = Counter(rough)
    groups: dict[Hashable, tuple[T, list[T]]] = {}
    for one, key in zip(ranked, rough, strict=True):
        exact = (key, wording(text_of(one))) if alike[key] > 1 else key
        if exact in groups:
            groups[exact][1].append(one)
        else:
            groups[exact] = one, []
    return list(groups.values())


def wording(text: str) -> tuple[str, ...]:
    """Give what near-identical texts have in common, and no others.

    A text of nothing but what is left out is compared by all of it.
    """
    units = _units(text)
    kept = tuple(unit for unit in units if unit not in _LEFT_OUT)
    return kept or tuple(units) or (text,)


def values(text: str) -> frozenset[str]:
    """Give the numbers, identifiers and negations of a text: another value is another statement."""
    found = set()
    for unit in _units(text):
        if _EXACT.search(unit):
            found.add(unit)
        elif unit in _NEGATIONS or unit.endswith(("n't", "n’t")):
            found.add("not")
    return frozenset(found)


def _units(text: str) -> list[str]:
    units = []
    for number, run in enumerate(_UNIT.findall(unicodedata.normalize("NFKC", text))):
        bare = run.lstrip(_OPENING).rstrip(_CLOSING)
        if not bare:
            continue
        # Only the first word's capital is dress for a single letter: "vitamin A" has no article.
        plain = bare[1:].islower() or (len(bare) == 1 and number == 0)
        units.append(bare.lower() if plain else bare)
    return units
