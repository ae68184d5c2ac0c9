"""What a sentence says, reduced to what tells it from other sentences; for `own_output`.

No meaning is understood here. Words of no meaning fall away, inflections and a few hundred synonyms
become one, numbers, names and words that turn a statement round are kept apart: enough to see that
a sentence adds nothing to another, or that it might.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

import snowballstemmer
from msgspec import Struct

from domain.policies import statement_words as words

_english: Final = snowballstemmer.stemmer("english")

_CHINESE: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN: Final = re.compile(
    rf"(?P<chinese>[{_CHINESE}]+)"
    rf"|(?P<word>(?:(?![{_CHINESE}_])\w)+(?:[._:/\\@#+'’=-]+(?:(?![{_CHINESE}_])\w)+)*|%)"
)
_MEASURE: Final = re.compile(r"(-?\d+(?:[.:,]\d+)*)([a-z%]{1,6})$")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CONTRACTED: Final = re.compile(r"(?:n't|n’t)$")

_PHRASES: Final = {
    **dict.fromkeys(words.EMPTY_CHINESE, ""),
    **{phrase: group for phrase, group in words.SAME_CHINESE.items() if not phrase.isascii()},
}
_TURNING: Final = tuple(sorted(words.TURNING_CHINESE, key=len, reverse=True))
_LONGEST_FIRST: Final = re.compile("|".join(sorted([*_PHRASES, *_TURNING], key=len, reverse=True)))


class Statement(Struct, frozen=True):
    """The reduced sentence.

    ``units`` are its meaningful tokens in order: stems, identifiers, numbers, and of Chinese each
    character. ``pairs`` are the pairs of Chinese characters that stood side by side, and those that
    stood alone. ``general``:
    it has a verb of little meaning. ``turning`` and ``ordered`` are those of its units that turn it
    round, and whether the order of its units says who does what to whom. ``weight`` counts words,
    half a Chinese character being one.
    """

    units: tuple[str, ...]
    pairs: frozenset[str]
    numbers: tuple[str, ...]
    names: frozenset[str]
    turning: frozenset[str]
    general: bool
    ordered: bool
    weight: float


@lru_cache(maxsize=8192)
def statement(text: str) -> Statement:
    """Reduce a sentence or a text."""
    plain = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text))
    plain = re.sub(r"(?i)\bused to(?= \w)(?! (?:it|this|that|the)\b)", "formerly", plain)
    plain = re.sub(r"(?i)\bno longer\b|\bnot any ?more\b", "not formerly", plain)
    units: list[str] = []
    pairs: set[str] = set()
    names: set[str] = set()
    general = False
    for found in _TOKEN.finditer(plain):
        if found.lastgroup == "chinese":
            added, said = _chinese(found.group())
            units.extend(added)
            pairs.update(said)
            general |= words.GENERAL in added
        else:
            added = _english_units(found.group())
            if _is_name(found.group()):
                names.update(added)
            units.extend(added)
            general |= words.GENERAL in added
    meant = [unit for unit in units if unit != words.GENERAL]
    chinese = sum(1 for unit in meant if _is_chinese(unit))
    return Statement(
        units=tuple(meant),
        pairs=frozenset(pairs),
        numbers=tuple(unit for unit in meant if any(map(str.isdigit, unit))),
        names=frozenset(names),
        turning=frozenset(meant).intersection(_ALL_TURNING),
        general=general,
        ordered=any(unit in words.DIRECTED_ENGLISH for unit in meant)
        or any(word in plain for word in words.DIRECTED_CHINESE if len(word) > 1 or chinese),
        weight=len(meant) - chinese / 2,
    )


def _english_units(word: str) -> list[str]:
    """Give what one word of Latin letters, or one identifier, stands for."""
    folded = word.casefold().replace("’", "'")
    if _CONTRACTED.search(folded):
        return [*_english_units(folded[:-3]), "not"]
    folded = folded.removesuffix("'s").removesuffix("'").split("'")[0]
    measure = _MEASURE.fullmatch(folded)
    if measure:
        return [measure.group(1), *_english_units(measure.group(2))]
    if folded == "%":
        return ["percent"]
    if any(map(str.isdigit, folded)) or folded[:1] in "/\\" or folded.count("/") > 1:
        return [folded]
    parts = [part for part in re.split(r"[._:/\\@#+=-]+", folded) if part]
    if len(parts) > 1:
        return [unit for part in parts for unit in _english_units(part)]
    if folded in words.NUMBERS_ENGLISH:
        return [words.NUMBERS_ENGLISH[folded]]
    if folded in words.EMPTY_ENGLISH:
        return []
    if folded in words.SAME_ENGLISH:
        return [words.SAME_ENGLISH[folded]]
    stem = str(_english.stemWord(folded)) if folded.isascii() else folded
    return ["not"] if stem in ("cannot", "cant", "dont", "wont") else [stem]


def _chinese(run: str) -> tuple[list[str], set[str]]:
    """Give the characters of a run that mean something, and which stood side by side."""
    units: list[str] = []
    pairs: set[str] = set()
    at = 0
    stretch = ""
    for found in _LONGEST_FIRST.finditer(run):
        stretch += run[at : found.start()]
        at = found.end()
        said = found.group()
        if said in _TURNING:
            _keep(stretch, units, pairs)
            stretch = ""
            units.append(said)
            continue
        meant = _PHRASES[said]
        if meant == "用":
            _keep(stretch, units, pairs)
            stretch = ""
            units.append(words.GENERAL)
        elif meant:
            stretch += meant
    _keep(stretch + run[at:], units, pairs)
    return units, pairs


def _keep(stretch: str, units: list[str], pairs: set[str]) -> None:
    units.extend(stretch)
    if len(stretch) == 1:
        pairs.add(stretch)
    pairs.update(stretch[i : i + 2] for i in range(len(stretch) - 1))


def _is_name(word: str) -> bool:
    return word[:1].isupper() and word.casefold() not in words.EMPTY_ENGLISH


def _is_chinese(unit: str) -> bool:
    return bool(unit) and unit[0] >= "\u3400" and not unit[0].isascii()


_ALL_TURNING: Final = words.TURNING_ENGLISH | frozenset(words.TURNING_CHINESE)
