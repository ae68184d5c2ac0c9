"""The words of a text, each with what it does in its sentence, for `same_statement`.

English and Chinese side by side. Nothing is understood: a word's part comes from the tables, from
its ending and from its neighbours. A word that no table knows is taken for a name of something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct

from domain.policies import same_statement_chinese as chinese
from domain.policies import same_statement_english as english
from domain.policies import statement_words as words
from domain.policies.same_statement_english import set_of
from domain.policies.statement import CHINESE, english_stem, tidied

Part = Literal["thing", "inert", "number", "verb", "marker", "binding", "auxiliary", "be", "and",
               "adverb", "stop"]  # fmt: skip


class Token(Struct, frozen=True):
    """A word that means something, or a sign that parts others.

    ``unit`` is its base form. ``past``: it has the form of the past or of a participle. ``inert``
    things (a port, a day, a language) and numbers do nothing to others.
    """

    unit: str
    part: Part
    past: bool = False


STOP: Final = Token(unit="|", part="stop")
_POSSESSIVE: Final = Token(unit="'s", part="marker")
_NOT: Final = Token(unit="not", part="binding")

_INNER: Final = r"[._:/\\@#+'’&=~%?-]+"
_LETTERS: Final = rf"(?:(?![{CHINESE}])\w)+"
_TOKEN: Final = re.compile(
    rf"(?P<chinese>[{CHINESE}]+)"
    rf"|(?P<word>(?:(?<![\w.])(?:--?|[~.]{{0,2}}/|[.@$€£¥])(?={_LETTERS}))?"
    rf"{_LETTERS}(?:{_INNER}{_LETTERS})*(?:\+\+|\#(?!\w)|%)?)"
    r"|(?P<sign><=|>=|!=|==|->|=>|[<>=≤≥≠±×*^&%$€£¥~+])"
    r"|(?P<stop>[^\w\s`*'\"“”‘’«»_]+|\n+)"
)
_MEASURE: Final = re.compile(r"([-+$€£¥]?\d+(?:[.:,/]\d+)*)([a-z%°]{1,6})")
_VERSION: Final = re.compile(r"v(\d+(?:\.\d+)*\S*)")
_INFLECTED: Final = re.compile(r"(?:|e|y|s|es|[bdfgklmnprtzvy]?ing|e?ying)")
_CONTRACTIONS: Final = {
    "'ll": [Token(unit="will", part="auxiliary")],
    "'ve": [Token(unit="have", part="verb")],
    "'re": [Token(unit="", part="be")],
    "'m": [Token(unit="", part="be")],
    "'d": [Token(unit="would", part="auxiliary")],
}
_SUBJECTS: Final = set_of("it that there what who here he she i you we they where how")
_POINTING: Final = set_of("the this that which each every no any another")
_ARTICLES: Final = set_of("a an the my your our his her its their this these no any")
_ASKING: Final = set_of("is are was were does did can could should would")
_NO_NOUNS: Final = english.BE | english.AUXILIARY | {"and", "or", "but", "has", "does", "not"}
_ASKED: Final = set_of("how why what where who which when")


def tokens(text: str) -> list[Token]:
    """Give the meaningful words of a text in order; ``STOP`` where punctuation parts them."""
    found: list[Token] = []
    before = ""
    begins = True
    raw = [(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(tidied(text))]
    for at, (kind, said) in enumerate(raw):
        if kind == "stop":
            found.append(STOP)
            begins, before = True, ""
            continue
        if kind == "chinese":
            found.extend(_chinese(said))
        elif kind == "sign":
            found.append(Token(unit=said, part="binding"))
        else:
            following = raw[at + 1][1].casefold() if at + 1 < len(raw) else ""
            if begins and _is_question(said.casefold(), following):
                found.append(Token(unit=f"?{said.casefold()}", part="auxiliary"))
            found.extend(_english(said, before, following))
        before = said.casefold()
        begins = False
    return found


def _is_question(first: str, second: str) -> bool:
    if first in _ASKED:
        return second in _ASKING or second in ("do", "will", "shall")
    return first in _ASKING or (first == "do" and second in _SUBJECTS)


# --- English -----------------------------------------------------------------------------------


def _english(said: str, before: str, following: str) -> Iterator[Token]:
    word = said.replace("’", "'").strip("_") or said
    folded = word if _keeps_case(word) else word.casefold()
    if folded.endswith("n't") or folded in ("cannot", "cant", "dont", "wont", "doesnt", "isnt"):
        stem = {"can": "can", "wo": "will", "sha": "shall"}.get(folded[:-3], folded[:-3])
        stem = "can" if folded.startswith("can") else stem
        yield from _word(stem, before, "not") if folded.endswith("n't") or stem == "can" else ()
        yield _NOT
        return
    head, apostrophe, tail = folded.rpartition("'")
    if apostrophe and "'" + tail in _CONTRACTIONS:
        yield from _word(head, before, following)
        yield from _CONTRACTIONS["'" + tail]
        return
    if apostrophe and tail == "s":
        yield from _word(head, before, following)
        is_verb = head in _SUBJECTS or following.endswith("ing")
        yield Token(unit="", part="be") if is_verb else _POSSESSIVE
        return
    yield from _word(folded.strip("'"), before, following)


def _word(folded: str, before: str, following: str) -> Iterator[Token]:
    measure = _MEASURE.fullmatch(folded)
    if measure:
        yield Token(unit=measure.group(1), part="number")
        yield Token(unit=measure.group(2), part="inert")
        return
    if folded in words.NUMBERS_ENGLISH:
        yield Token(unit=words.NUMBERS_ENGLISH[folded], part="number")
    elif folded == "one":
        if before not in _POINTING:
            yield Token(unit="1", part="number")
    elif any(map(str.isdigit, folded)):
        version = _VERSION.fullmatch(folded)
        yield Token(unit=version.group(1) if version else folded, part="number")
    elif folded == "am" and before[-1:].isdigit():
        yield Token(unit="am", part="inert")
    elif folded in english.BE:
        yield Token(unit="", part="be")
    elif folded == "and":
        yield Token(unit="", part="and")
    elif folded == "or":
        yield Token(unit="or", part="and")
    elif folded == "a" and _is_name_before(following):
        yield Token(unit="a", part="thing")
    elif (
        folded in english.EMPTY_ENGLISH and not (folded == "do" and following == "not")
    ) or folded in ("do", "does"):
        return
    elif re.search(_INNER, folded):
        yield Token(unit=folded, part="thing")
    else:
        yield _simple(folded, is_noun=before in _ARTICLES or before.endswith("'s"))


def _is_name_before(following: str) -> bool:
    """Tell whether an A is no article: nothing follows that it could belong to."""
    return (
        not following[:1].isalnum()
        or following in english.MARKERS_ENGLISH
        or following in _NO_NOUNS
        or (following.endswith("s") and base(following)[0] in _VERBS)
    )


@lru_cache(maxsize=16384)
def _simple(word: str, *, is_noun: bool) -> Token:
    """Give a word of letters only."""
    if word in ("was", "were"):
        return Token(unit="was", part="auxiliary", past=True)
    marker = english.MARKERS_ENGLISH.get(word)
    if marker:
        return Token(unit=marker, part="marker")
    unit, past = base(word)
    unit = _LIKE.get(unit, unit)
    if unit in _BINDING:
        return Token(unit=unit, part="binding")
    if unit in english.AUXILIARY and unit != "have":
        return Token(unit=unit, part="auxiliary")
    if unit in _INERT:
        return Token(unit=unit, part="inert")
    if unit in _VERBS and not is_noun:
        return Token(unit=unit, part="verb", past=past)
    if word.endswith("ly"):
        return Token(unit=unit, part="adverb")
    return Token(unit=unit, part="thing", past=past)


def base(word: str) -> tuple[str, bool]:
    """Give what a word is without its inflection, and whether it has the form of the past.

    Derivations stay apart, as a stemmer would not have them: a customer is no custom, and what is
    important is not imported.
    """
    irregular = english.IRREGULAR_ENGLISH.get(word)
    past = irregular is not None and irregular[1]
    singular = irregular[0] if irregular else _singular(word)
    if not singular.isascii():
        return singular, past
    stem = str(english_stem(singular))
    rest = singular[_common_length(singular, stem) :]
    if rest.endswith("d") and singular.endswith("ed"):
        return stem, True
    return (stem if _INFLECTED.fullmatch(rest) else f"{stem}:{rest}"), past


def _common_length(one: str, other: str) -> int:
    length = min(len(one), len(other))
    return next((at for at in range(length) if one[at] != other[at]), length)


def _singular(word: str) -> str:
    if len(word) < 4 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zzes")) else word[:-1]


def _keeps_case(word: str) -> bool:
    """Tell whether capitals tell it from others: a path, a flag of one letter."""
    return word[:1] in "~/." or word.count("/") > 1 or "\\" in word or word[:1] == "-"


def _units(table: Iterable[str]) -> frozenset[str]:
    return frozenset(_LIKE.get(unit, unit) for word in table for unit in (base(word)[0],))


_LIKE: Final = {base(word)[0]: base(head)[0] for word, head in english.LIKE_ENGLISH.items()}
_VERBS: Final = _units(english.VERBS_ENGLISH)
_INERT: Final = _units(english.NOUNS_THAT_DO_NOTHING)
_BINDING: Final = _units(english.BINDING_ENGLISH)
SUBORDINATING: Final = _units(english.SUBORDINATING) | chinese.SUBORDINATING_CHINESE


# --- Chinese -----------------------------------------------------------------------------------

_BE_CHINESE: Final = frozenset({"是", "就是", "即是", "便是"})
_AND_CHINESE: Final = {"和": "", "或": "or"}
_AFTER_A_WORD: Final = set_of("里 中 内 上")
_NUMERALS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
}
_SCALES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_NUMERAL: Final = re.compile(f"[{''.join(_NUMERALS)}{''.join(_SCALES)}]+")


def _parts_of_chinese() -> dict[str, Token | None]:
    parts: dict[str, Token | None] = dict.fromkeys(chinese.EMPTY_CHINESE)
    levels: tuple[tuple[Iterable[str], Part], ...] = (
        (chinese.GIVEN_WHOLE_CHINESE, "thing"),
        (chinese.LIKE_CHINESE, "thing"),
        (chinese.WORDS_CHINESE, "thing"),
        (chinese.VERBS_CHINESE, "verb"),
        (chinese.NOTHING_DOING_CHINESE, "inert"),
        (chinese.MARKERS_CHINESE, "marker"),
        (chinese.BINDING_CHINESE, "binding"),
        (_BE_CHINESE, "be"),
        (_AND_CHINESE, "and"),
    )
    meanings = {
        word: chinese.MARKERS_CHINESE.get(meaning, meaning)
        for word, meaning in chinese.LIKE_CHINESE.items()
    }
    kinds: dict[str, Part] = {word: part for table, part in levels for word in table}
    for word, part in kinds.items():
        meaning = meanings.get(word, chinese.MARKERS_CHINESE.get(word, word))
        own = "marker" if meaning == "@" else kinds.get(meaning, part)
        if own == "be":
            meaning = ""
        parts[word] = Token(unit=_AND_CHINESE.get(meaning, meaning), part=own)
    return parts


_PARTS: Final = _parts_of_chinese()
_LONGEST_FIRST: Final = re.compile("|".join(sorted(_PARTS, key=len, reverse=True)))


def _chinese(run: str) -> Iterator[Token]:
    at, stretch = 0, ""
    last: Token | None = None
    for found in [*_LONGEST_FIRST.finditer(run), None]:
        stretch += run[at : found.start() if found else len(run)]
        token = _PARTS[found.group()] if found else STOP
        if token is not None:
            between = list(_unknown(stretch, last))
            yield from between
            last = between[-1] if between else last
            stretch = ""
            if found:
                last = token
                yield token
        if found:
            at = found.end()


def _unknown(stretch: str, last: Token | None) -> Iterator[Token]:
    """Give what stands between two known words: a numeral, or the name of something."""
    numeral = _NUMERAL.match(stretch)
    if numeral and stretch[: numeral.end()] not in ("万", "千", "百"):
        yield Token(unit=str(_number(numeral.group())), part="number")
        stretch = stretch[numeral.end() :]
    if stretch in ("个", "着") or (last is not None and stretch in _AFTER_A_WORD):
        return
    if last is not None and last.part == "verb":
        stretch = stretch.removeprefix("着")
    if stretch:
        yield Token(unit=stretch, part="thing")


def _number(numeral: str) -> int:
    """Read a Chinese numeral; one of digits only is read digit by digit."""
    if not any(c in _SCALES for c in numeral):
        return int("".join(str(_NUMERALS[c]) for c in numeral))
    total = section = digit = 0
    for character in numeral:
        if character in _NUMERALS:
            digit = _NUMERALS[character]
        elif character == "万":
            total, section, digit = (total + (section + digit or 1)) * 10_000, 0, 0
        else:
            section += (digit or 1) * _SCALES[character]
            digit = 0
    return total + section + digit
