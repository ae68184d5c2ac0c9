"""What a sentence says, reduced to what tells it from other sentences; for `own_output`.

No meaning is understood here. Words of no meaning fall away, inflections and a few hundred synonyms
become one, numbers, names and words that turn a statement round are kept apart: enough to see that
a sentence adds nothing to another, or that it might.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.policies import statement_words as words
from domain.policies.english_stem import LONGEST_WORD, english_stem
from domain.policies.kept_readings import kept_where_short

CHINESE: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN: Final = re.compile(
    rf"(?P<chinese>[{CHINESE}]+)"
    rf"|(?P<word>(?:(?![{CHINESE}_])\w)+(?:[._:/\\@#+'’=-]+(?:(?![{CHINESE}_])\w)+)*|%)"
)
_MEASURE: Final = re.compile(r"(-?\d+(?:[.:,]\d+)*)([a-z%]{1,6})$")
_CONTRACTED: Final = re.compile(r"(?:n't|n’t)$")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FORMERLY: Final = re.compile(r"(?i)\bused to(?= \w)(?! (?:it|this|that|the)\b)")
_NO_LONGER: Final = re.compile(r"(?i)\bno longer\b|\bnot any ?more\b")
_FROM_TO: Final = re.compile(r"(?i)\bfrom\b.+\bto\b|从.+到")
JOINTS: Final = re.compile(
    r"[,:](?!\d)|[;，；：、。！？!?\n()（）—]+|\.(?=\s|$)|\s-+\s"
    r"|\b(?:and|while|whereas|also|but)\b|以及|并且|而且|同时|另外|但是|但",
    re.IGNORECASE,
)
"""Where a sentence may join what could stand apart."""

_PHRASES: Final = {
    **dict.fromkeys(words.EMPTY_CHINESE, ""),
    **{phrase: group for phrase, group in words.SAME_CHINESE.items() if not phrase.isascii()},
}
_TURNING: Final = tuple(sorted(words.TURNING_CHINESE, key=len, reverse=True))
_LONGEST_FIRST: Final = re.compile("|".join(sorted([*_PHRASES, *_TURNING], key=len, reverse=True)))


class Clause(Struct, frozen=True):
    """A part of a sentence between two joints.

    ``units`` are its meaningful tokens in order: stems, identifiers, numbers, and of Chinese each
    character. ``pairs`` are the pairs of Chinese characters that stood side by side, and those that
    stood alone. ``turning`` are the words that turn it round, each with what it stands before.
    ``general``: it has a verb of little meaning.
    """

    units: tuple[str, ...]
    pairs: frozenset[str]
    turning: frozenset[tuple[str, str]]
    general: bool


class Statement(Struct, frozen=True):
    """The reduced text.

    ``clauses`` are its parts, and ``whole`` is all of them as one. ``names`` are units written with
    a capital; ``ordered``: the order of its units says who does what to whom. ``weight`` counts
    words, half a Chinese character being one.
    """

    clauses: tuple[Clause, ...]
    whole: Clause
    names: frozenset[str]
    ordered: bool
    weight: float

    @property
    def units(self) -> tuple[str, ...]:
        """All its units."""
        return self.whole.units


@kept_where_short(8192)
def statement(text: str) -> Statement:
    """Reduce a sentence or a text."""
    plain = tidied(text)
    names: set[str] = set()
    clauses = [_clause(part, names, at == 0) for at, part in enumerate(JOINTS.split(plain))]
    clauses = [clause for clause in clauses if clause.units or clause.general]
    whole = joined(clauses)
    chinese = sum(map(is_character, whole.units))
    said = "".join(whole.units) if chinese else ""
    return Statement(
        clauses=tuple(clauses),
        whole=whole,
        names=frozenset(names),
        ordered=not words.DIRECTED_ENGLISH.isdisjoint(whole.units)
        or any(word in said for word in words.DIRECTED_CHINESE)
        or _FROM_TO.search(plain) is not None,
        weight=len(whole.units) - chinese / 2,
    )


def tidied(text: str) -> str:
    """Give a text in Unicode form KC, with one word for what was so once or is so no longer."""
    plain = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text))
    return _FORMERLY.sub("formerly", _NO_LONGER.sub("not formerly", plain))


def joined(clauses: Sequence[Clause]) -> Clause:
    """Give several clauses as one."""
    return Clause(
        units=tuple(unit for clause in clauses for unit in clause.units),
        pairs=frozenset[str]().union(*(clause.pairs for clause in clauses)),
        turning=frozenset[tuple[str, str]]().union(*(clause.turning for clause in clauses)),
        general=any(clause.general for clause in clauses),
    )


def head(clause: Clause) -> str | None:
    """Give what a clause is about: its first unit, but for the owner, who is also called you."""
    return next((unit for unit in clause.units if unit not in words.OWNER), None)


def is_character(unit: str) -> bool:
    """Tell whether a unit is one Chinese character."""
    return len(unit) == 1 and unit >= "\u3400"


def is_number(unit: str) -> bool:
    """Tell whether a unit holds a digit: a number, a version, an identifier."""
    return any(map(str.isdigit, unit))


def _clause(text: str, names: set[str], begins: bool) -> Clause:
    units: list[str] = []
    pairs: set[str] = set()
    for found in _TOKEN.finditer(text):
        if found.lastgroup == "chinese":
            characters, beside = _chinese(found.group())
            units.extend(characters)
            pairs.update(beside)
        else:
            added = _english_units(found.group())
            units.extend(added)
            if found.group()[0].isupper() and not (begins and not text[: found.start()].strip()):
                names.update(set(added) - words.DAYS_AND_MONTHS)
    meant = [unit for unit in units if unit != words.GENERAL]
    return Clause(
        units=tuple(meant),
        pairs=frozenset(pairs),
        turning=frozenset(
            (unit, following)
            for at, unit in enumerate(meant)
            for following in (meant[at + 1] if at + 1 < len(meant) else meant[at - 1],)
            if unit in _ALL_TURNING or (unit in words.BOUNDING and is_number(following))
        ),
        general=len(meant) < len(units),
    )


@kept_where_short(16384, LONGEST_WORD)
def _english_units(word: str) -> tuple[str, ...]:
    """Give what one word of Latin letters, or one identifier, stands for."""
    folded = word.casefold().replace("’", "'")
    if _CONTRACTED.search(folded):
        return (*_english_units(folded[:-3]), "not")
    folded = folded.removesuffix("'s").removesuffix("'").split("'")[0]
    measure = _MEASURE.fullmatch(folded)
    if measure:
        return (measure.group(1), *_english_units(measure.group(2)))
    if folded == "%":
        return ("percent",)
    if any(map(str.isdigit, folded)) or folded[:1] in "/\\" or folded.count("/") > 1:
        return (folded,)
    parts = [part for part in re.split(r"[._:/\\@#+=-]+", folded) if part]
    if len(parts) > 1:
        return tuple(unit for part in parts for unit in _english_units(part))
    if folded in words.NUMBERS_ENGLISH:
        return (words.NUMBERS_ENGLISH[folded],)
    if folded in words.EMPTY_ENGLISH:
        return ()
    if folded in words.SAME_ENGLISH:
        return (words.SAME_ENGLISH[folded],)
    stem = english_stem(folded) if folded.isascii() else folded
    return ("not" if stem in ("cannot", "cant", "dont", "wont") else stem,)


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
            pairs.add(said)
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


_ALL_TURNING: Final = words.TURNING_ENGLISH | frozenset(words.TURNING_CHINESE)
