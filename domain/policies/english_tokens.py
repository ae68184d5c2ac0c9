"""What one English word, number or identifier stands for, for `same_statement`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from domain.policies import same_statement_english as english
from domain.policies import statement_words as words
from domain.policies.english_stem import english_stem
from domain.policies.same_statement_english import set_of
from domain.policies.statement_token import POSSESSIVE, Part, Token

INNER: Final = r"[._:/\\@#+'’&=~%?-]+"
"""Signs that join the parts of an identifier."""

_NOT: Final = Token(unit="not", part="binding")
_MEASURE: Final = re.compile(r"([-+$€£¥]?\d+(?:[.:,/]\d+)*)([a-z%°]{1,6})")
_NUMBER: Final = re.compile(r"[-+$€£¥]?\d[\d.,:/-]*%?")
_VERSION: Final = re.compile(r"v(\d+(?:\.\d+)*)")
_INFLECTED: Final = re.compile(r"(?:|e|y|s|es|[bdfgklmnprtzvy]?ing|e?ying)")
_CONTRACTIONS: Final = {
    "'ll": [Token(unit="will", part="auxiliary")],
    "'ve": [Token(unit="have", part="verb")],
    "'re": [Token(unit="", part="be")],
    "'m": [Token(unit="", part="be")],
    "'d": [Token(unit="would", part="auxiliary")],
}
SUBJECTS: Final = set_of("it that there what who here he she i you we they where how")
_POINTING: Final = set_of("the this that which each every no any another")
ARTICLES: Final = set_of("a an the my your our his her its their this these no any")
_BEFORE_NOUNS: Final = (
    ARTICLES
    | (frozenset(english.MARKERS_ENGLISH) - {"to", "before", "after"})
    | set_of("every each some all which")
)
_NEGATED: Final = set_of("cannot cant dont wont doesnt isnt")
_CHANGEABLE: Final = _NEGATED | set_of("one may am before after a")
_NO_NOUNS: Final = english.BE | english.AUXILIARY | {"and", "or", "but", "has", "does", "not"}


def english_tokens(said: str, before: str, following: str) -> Sequence[Token]:
    """Give what one word, number or identifier stands for, between its neighbours."""
    is_noun = before in _BEFORE_NOUNS or before.endswith("'s")
    folded = said.casefold()
    if folded.isalpha() and folded not in _CHANGEABLE:
        return _alone(folded, is_noun=is_noun)
    return tuple(_beside(said, before, following, is_noun=is_noun))


@lru_cache(maxsize=32768)
def _alone(folded: str, *, is_noun: bool) -> Sequence[Token]:
    return tuple(_word(folded, "", "", is_noun=is_noun))


def _beside(said: str, before: str, following: str, *, is_noun: bool) -> Iterator[Token]:
    word = said.replace("’", "'").strip("_") or said
    folded = word if _keeps_case(word) else word.casefold()
    if folded in _NEGATED or folded.endswith("n't"):
        stem = {"wo": "will", "sha": "shall", "can": "can"}.get(folded[:-3], folded[:-3])
        if folded.startswith("can"):
            stem = "can"
        if folded.endswith("n't") or stem == "can":
            yield from _word(stem, before, "not", is_noun=False)
        yield _NOT
        return
    head, apostrophe, tail = folded.rpartition("'")
    if apostrophe and "'" + tail in _CONTRACTIONS:
        yield from _word(head, before, following, is_noun=is_noun)
        yield from _CONTRACTIONS["'" + tail]
        return
    if apostrophe and tail == "s":
        yield from _word(head, before, following, is_noun=is_noun)
        is_verb = head in SUBJECTS or following in ARTICLES or following.endswith("ing")
        yield Token(unit="", part="be") if is_verb else POSSESSIVE
        return
    yield from _word(folded.strip("'"), before, following, is_noun=is_noun)


def _word(folded: str, before: str, following: str, *, is_noun: bool) -> Iterator[Token]:
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
    elif version := _VERSION.fullmatch(folded):
        yield Token(unit=version.group(1), part="number")
    elif any(map(str.isdigit, folded)):
        part: Part = "number" if _NUMBER.fullmatch(folded) else "thing"
        yield Token(unit=_LIKE.get(folded, folded), part=part)
    elif folded == "may" and (before in _BEFORE_NOUNS or before.isdigit() or following.isdigit()):
        yield Token(unit="may", part="inert")
    elif folded == "am" and before[-1:].isdigit():
        yield Token(unit="am", part="inert")
    elif folded in english.BE:
        yield Token(unit="", part="be")
    elif folded == "and":
        yield Token(unit="", part="and")
    elif folded == "or":
        yield Token(unit="or", part="and")
    elif folded in ("before", "after") and following.endswith("ing") and len(following) > 5:
        yield Token(unit=folded, part="binding")
    elif folded == "a" and _is_name_before(following):
        yield Token(unit="a", part="thing")
    elif folded in english.EMPTY_ENGLISH or folded in ("do", "does"):
        return
    elif re.search(INNER, folded):
        yield Token(unit=folded, part="thing")
    else:
        yield _simple(folded, is_noun=is_noun)


def _is_name_before(following: str) -> bool:
    """Tell whether an A is no article: nothing follows that it could belong to."""
    return (
        not following[:1].isalnum()
        or following in english.MARKERS_ENGLISH
        or following in _NO_NOUNS
        or (following.endswith("s") and base(following)[0] in _VERBS)
    )


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
    if not singular.isascii() or (irregular and singular.endswith("ing")):
        return singular, past
    stem = english_stem(singular)
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


def units_of(table: Iterable[str]) -> frozenset[str]:
    """Give the base forms of words, like ones as one."""
    return frozenset(_LIKE.get(unit, unit) for word in table for unit in (base(word)[0],))


_LIKE: Final = {base(word)[0]: base(head)[0] for word, head in english.LIKE_ENGLISH.items()}
_VERBS: Final = units_of(english.VERBS_ENGLISH)
_INERT: Final = units_of(english.NOUNS_THAT_DO_NOTHING)
_BINDING: Final = units_of(english.BINDING_ENGLISH)
