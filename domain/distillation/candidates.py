"""The sentences of a turn that may become a statement, each with what decides about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from domain.distillation.modality import Modality, modality, stated_before_asking
from domain.distillation.modality_words import OTHERS, PRESENTING, WISDOM
from domain.distillation.openings import without_closing, without_opening
from domain.distillation.sentences import Sentence, sentences
from domain.distillation.turns import Turn
from domain.distillation.worth import Worth, worth

LONGEST: Final = 800
"""Characters of a sentence that is read; a longer one is no sentence."""

_MY: Final = re.compile(r"(?i)\b(?:my|me|mine)\b|我(?!们)")


class Candidate(Struct, frozen=True):
    """A sentence: where it stands, and what it says without greeting and name called."""

    sentence: Sentence
    plain: str
    how: Modality
    worth: Worth
    addressed: bool

    @property
    def states(self) -> bool:
        """Tell whether it states something."""
        return self.how.states


class Heard(Struct, frozen=True):
    """A turn taken apart. ``asks`` counts its questions, ``shows`` what is handed over with it."""

    candidates: list[Candidate]
    asks: int
    shows: int


def heard(text: str, turn: Turn, called: Sequence[str]) -> Heard:
    """Take a turn apart."""
    found: list[Candidate] = []
    asks = shows = 0
    for sentence in sentences(text, turn.start, turn.end):
        if sentence.kind == "aside":
            shows += 1
            continue
        if len(sentence.text) > LONGEST:
            continue
        if sentence.kind in ("config", "code", "row"):
            found.append(_as_it_stands(sentence))
            continue
        plain = without_closing(without_opening(sentence.text, called), called)
        if not plain:
            continue
        how = modality(plain)
        if how.question:
            asks += 1
            plain = stated_before_asking(plain)
            if not plain:
                continue
            how = modality(plain)
        shows += PRESENTING.search(plain) is not None
        addressed = OTHERS.search(plain) is not None
        has = worth(plain, how)
        if how.states and _is_wisdom(plain, has):
            how = msgspec.structs.replace(how, reaction=True)
        found.append(Candidate(_cut(sentence, plain), plain, how, has, addressed))
    return Heard(found, asks, shows)


def _asks(rest: str) -> bool:
    return any(map(str.isalpha, rest)) and modality(rest.lstrip(" ,;，；–—-")).question


def _cut(sentence: Sentence, plain: str) -> Sentence:
    """Give a sentence up to the end of what was taken from it."""
    at = sentence.text.find(plain)
    if at < 0 or not _asks(sentence.text[at + len(plain) :]):
        return sentence
    end = at + len(plain)
    return msgspec.structs.replace(sentence, text=sentence.text[:end], end=sentence.start + end)


def _is_wisdom(plain: str, has: Worth) -> bool:
    of_somebody = has.himself or has.names or has.numbers or has.times or _MY.search(plain)
    return not of_somebody and WISDOM.search(plain) is not None


def _as_it_stands(sentence: Sentence) -> Candidate:
    how = Modality()
    plain = _row(sentence) if sentence.kind == "row" else sentence.text
    return Candidate(sentence, plain, how, worth(plain, how), False)


def _row(sentence: Sentence) -> str:
    """Give a row of a table with the names of its columns."""
    lines = (sentence.lead, sentence.text)
    names, cells = ([cell.strip() for cell in line.strip(" |").split("|")] for line in lines)
    told = [f"{name}: {cell}" for name, cell in zip(names, cells, strict=False) if cell]
    return "; ".join(told)
