"""Whether an episode bears out a statement that somebody else has written about it.

A model may copy what was said, or make it up; this tells one from the other as far as words can.
Nothing here understands a text: a statement is refused for what it has that the episode has not,
and for what it left out that turned the meaning. A statement in another language than its episode
is held against it by its numbers and technical names alone.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.distillation import grounding_words as words
from domain.distillation.entities import entities
from domain.distillation.finding import Talk
from domain.distillation.language import is_translated
from domain.distillation.modality import Modality, modality
from domain.distillation.numbers import unsaid_numbers
from domain.distillation.sentences import sentences
from domain.policies.statement import JOINTS
from domain.policies.statement import statement as reduced

Fault = Literal[
    "longer_than_source",
    "invented_number",
    "invented_name",
    "taken_as_fact",
    "negation_changed",
    "unsupported",
]

LONGEST: Final = 1_000
"""Characters of a statement; one that needs more is no statement."""

LEAST_QUOTED: Final = 2
"""Letters and digits that a quotation must have to be found by them."""

LEAST_SHARED: Final = 0.2
"""Share of a statement's words of meaning that its episode must have."""

_ROOM: Final = 40
"""Characters that a name for a pronoun and a date for "tomorrow" may add."""

_CHARACTERS_OF_A_SIGN: Final = 3
"""Characters of other scripts that a Chinese one stands for, in lengths."""

_GAPS: Final = re.compile(r"\s*(?:\[?(?:\.{3,}|…+)\]?)\s*")
_COMMAS: Final = re.compile(r"[，；]|[,;]\s|\s[-–—]+\s")
_MIXED: Final = re.compile(r"\b(?=\w*[A-Za-z])(?:\w*[a-z]\w*[A-Z]\w*|\w*\d\w*)\b", re.ASCII)
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_HAN: Final = re.compile("[\u3400-\u9fff]")
_NUMBERED: Final = frozenset({"port", "version"})
_TECHNICAL: Final = frozenset({"url", "email", "path", "host", "identifier"})


class Quotation(Struct, frozen=True):
    """A part of an episode, verbatim, and the sentences that it stands in."""

    text: str
    around: str


def quotation(evidence: str, text: str) -> Quotation | None:
    """Find what somebody says to have copied from a text; None if it is not there.

    Letters and digits must be the same and in order; case, blanks, punctuation and marks between
    them need not. Three dots may stand for what was left out.
    """
    folded, places = _folded(text)
    start = end = -1
    at = 0
    for piece in _GAPS.split(evidence):
        wanted, _ = _folded(piece)
        if len(wanted) < LEAST_QUOTED and wanted != folded:
            continue
        found = folded.find(wanted, at)
        if found < 0 or not wanted:
            return None
        at = found + len(wanted)
        start = places[found] if start < 0 else start
        end = places[at - 1] + 1
    if start < 0:
        return None
    return _at(text, start, end)


def likeliest(statement: str, text: str) -> Quotation | None:
    """Give the sentence of a text that shares most with a statement; None if none shares half."""
    mine = set(reduced(statement).units)
    rated = [(_share(mine, set(reduced(one.text).units)), one.text) for one in sentences(text)]
    best, sentence = max(rated, key=lambda pair: pair[0], default=(0.0, ""))
    return quotation(sentence, text) if best >= 0.5 else None


def fault(statement: str, quoted: Quotation, talk: Talk) -> Fault | None:
    """Say what is wrong with a statement that rests on a part of an episode, None for nothing."""
    before = " \n".join(text for _, text in talk.before)
    speakers = " ".join(filter(None, (talk.speaker, *(speaker for speaker, _ in talk.before))))
    source = f"{talk.content} \n{before} \n{speakers}"
    if len(statement) > LONGEST or _length(statement) > _room(talk, before):
        return "longer_than_source"
    if unsaid_numbers(statement, source, talk.said_at):
        return "invented_number"
    translated = is_translated(statement, talk.content)
    if unsaid_names(statement, source, translated=translated):
        return "invented_name"
    if _is_taken_as_fact(statement, quoted):
        return "taken_as_fact"
    if not translated and _negation_changed(statement, quoted):
        return "negation_changed"
    if not translated and not _is_supported(statement, source):
        return "unsupported"
    return None


def unsaid_names(statement: str, source: str, *, translated: bool = False) -> list[str]:
    """Give the names of a statement that a text does not have.

    ``translated``: names of people and places may be written otherwise, technical ones may not.
    """
    plain = _plain(source)
    unsaid = []
    for entity in entities(statement):
        if entity.type in _NUMBERED or (translated and entity.type not in _TECHNICAL):
            continue
        name = _plain(entity.name)
        if name not in plain and not _all_said(name, plain):
            unsaid.append(entity.name)
    if not translated:
        unsaid += [
            word
            for word in _MIXED.findall(unicodedata.normalize("NFKC", statement))
            if not word.isdecimal() and not word[0].isdigit() and _plain(word) not in plain
        ]
        if _HAN.search(statement):
            unsaid += [w for w in _LATIN.findall(statement) if not _all_said(_plain(w), plain)]
    return list(dict.fromkeys(unsaid))


def says_as_much(statement: str, known: str) -> bool:
    """Tell whether a memory says what a statement says, as far as hard words show it.

    Its numbers and names must be the memory's, and either both are negative or none is. So a
    changed port is never taken for the same.
    """
    mine, theirs = _plain(statement), _plain(known)
    translated = is_translated(statement, known)
    if _hard_numbers(mine) - _hard_numbers(theirs):
        return False
    if unsaid_names(statement, known, translated=translated):
        return False
    return translated or _is_negative(statement) == _is_negative(known)


def is_said(name: str, texts: str) -> bool:
    """Tell whether a name occurs in texts, whole or in its words."""
    plain = _plain(texts)
    wanted = _plain(name).strip()
    return bool(wanted) and (wanted in plain or _all_said(wanted, plain))


def _at(text: str, start: int, end: int) -> Quotation:
    while start > 0 and _is_inside_word(text, start):
        start -= 1
    while end < len(text) and _is_inside_word(text, end):
        end += 1
    if end < len(text) and text[end] in "。！？.!?":
        end += 1
    around = [
        sentence.text
        for sentence in sentences(text)
        if sentence.start < end and sentence.end > start
    ]
    return Quotation(text[start:end], "\n".join(around) or text[start:end])


def _is_inside_word(text: str, at: int) -> bool:
    one, other = text[at - 1], text[at]
    return one.isalnum() and other.isalnum() and not (_HAN.match(one) or _HAN.match(other))


def _folded(text: str) -> tuple[str, list[int]]:
    """Give a text's letters and digits as they are compared, and where each of them stands."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).casefold():
            if letter.isalnum():
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _all_said(name: str, plain: str) -> bool:
    """Tell whether each word of a name was said, an inflected one by its beginning."""
    parts = re.findall(r"[a-z0-9]+|[^\x00-\x7f\W]+", name)
    return bool(parts) and all(_was_said(part, plain) for part in parts)


def _was_said(word: str, plain: str) -> bool:
    if not word.isascii():
        # A character of the next word may have been taken for the name's last.
        return word in plain or (len(word) > 2 and word[:-1] in plain)
    beginning = word[:-2] if len(word) > 4 and word.isalpha() else word
    return re.search(rf"(?<![a-z]){beginning}", plain) is not None


def _length(text: str) -> int:
    signs = len(_HAN.findall(text))
    return len(text) + signs * (_CHARACTERS_OF_A_SIGN - 1)


def _room(talk: Talk, before: str) -> int:
    return _length(talk.content) + min(_length(before), 200) + _ROOM


def _is_taken_as_fact(statement: str, quoted: Quotation) -> bool:
    meant = [_meant(one.text, quoted.text) for one in sentences(quoted.around)]
    if not meant or not all(map(_is_careful, meant)):
        return False
    if _is_careful(modality(statement)) or words.KEPT_AS_SUCH.search(statement):
        return False
    asked = all(one.question for one in meant)
    return not (asked and words.REQUEST.search(quoted.around))


def _meant(sentence: str, quoted: str) -> Modality:
    """Tell how a sentence is meant, asked only where its quoted clauses ask.

    People put what they know and what they ask into one: "I finished the bowl, want to see it?"
    """
    meant = modality(sentence)
    if not meant.question:
        return meant
    clauses = [clause for clause in _COMMAS.split(sentence) if clause.strip()]
    touched = [clause for clause in clauses if clause in quoted or quoted in clause]
    asked = any(modality(clause).question for clause in touched)
    return replace(meant, question=asked or not touched)


def _is_careful(meant: Modality) -> bool:
    return meant.question or meant.hypothetical or meant.tentative or meant.hearsay


def _negation_changed(statement: str, quoted: Quotation) -> bool:
    """Tell whether one says not where the other does not, clause by clause."""
    theirs = [(part, set(reduced(part).units)) for part in JOINTS.split(quoted.around)]
    for clause in JOINTS.split(statement):
        mine = set(reduced(clause).units)
        shares = [_share(mine, units) for _, units in theirs]
        best = max(shares, default=0.0)
        nearest = [
            part for (part, _), share in zip(theirs, shares, strict=True) if share == best >= 0.5
        ]
        if nearest and all(_is_negative(part) != _is_negative(clause) for part in nearest):
            return True
    return False


def _is_negative(text: str) -> bool:
    return words.NEGATIVE.search(text.replace("’", "'")) is not None


def _is_supported(statement: str, source: str) -> bool:
    mine = set(reduced(statement).units)
    return _share(mine, set(reduced(source).units)) >= LEAST_SHARED


def _share(mine: set[str], theirs: set[str]) -> float:
    return len(mine & theirs) / len(mine) if mine else 0.0


def _hard_numbers(plain: str) -> set[str]:
    return set(re.findall(r"\d+(?:[.:]\d+)*", plain))
