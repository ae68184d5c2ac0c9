"""The words of a text, each with what it does in its sentence, for `same_statement`.

English and Chinese side by side. Nothing is understood: a word's part comes from the tables, from
its ending and from its neighbours. A word that no table knows is taken for a name of something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from domain.policies import same_statement_chinese as chinese
from domain.policies import same_statement_english as english
from domain.policies.chinese_tokens import chinese_tokens
from domain.policies.english_tokens import ARTICLES, INNER, SUBJECTS, english_tokens, units_of
from domain.policies.same_statement_english import set_of
from domain.policies.statement import CHINESE, tidied
from domain.policies.statement_token import COLON, POSSESSIVE, STOP, Token, is_chinese

SUBORDINATING: Final = (
    units_of(english.SUBORDINATING) | chinese.SUBORDINATING_CHINESE | {"before", "after"}
)
"""Bounds that begin a clause of their own."""

_TAKING: Final = frozenset({"thing", "inert", "marker", "binding", "be", "number"})
_OWNED: Final = frozenset({"thing", "inert", "adverb"})
_MAY_BE_VERBS: Final = frozenset(chinese.MARKERS_CHINESE)
_WITH: Final = "使用"
_LETTERS: Final = rf"(?:(?![{CHINESE}])\w)+"
_TOKEN: Final = re.compile(
    rf"(?P<chinese>[{CHINESE}]+)"
    rf"|(?P<word>(?:(?:(?<![\w.])|(?<=[{CHINESE}]))(?:--?|[~.]{{0,2}}/|[.@$€£¥])(?={_LETTERS}))?"
    rf"{_LETTERS}(?:{INNER}{_LETTERS})*(?:\+\+|\#(?!\w)|%)?)"
    r"|(?P<sign><=|>=|!=|==|->|=>|[<>=≤≥≠±×*^&%$€£¥~+])"
    r"|(?P<stop>[^\w\s`*'\"“”‘’«»_]+|\n+)"
)
_PHRASES: Final = re.compile(rf"\b(?:{'|'.join(english.PHRASES)})\b", re.IGNORECASE)
_ASKING: Final = set_of("is are was were does did can could should would")
_ASKED: Final = set_of("how why what where who which when")


def tokens(text: str) -> list[Token]:
    """Give the words that mean something in order; ``STOP`` or ``COLON`` where a sign parts."""
    found: list[Token] = []
    before = ""
    begins = True
    raw = [(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(_plain(text))]
    for at, (kind, said) in enumerate(raw):
        if kind == "stop":
            found.append(COLON if ":" in said else STOP)
            begins, before = True, ""
            continue
        if kind == "chinese":
            found.extend(chinese_tokens(said, found[-1] if found else STOP))
        elif kind == "sign":
            found.append(Token(unit=said, part="binding"))
        else:
            following = raw[at + 1][1].casefold() if at + 1 < len(raw) else ""
            if begins and _is_question(said.casefold(), following):
                found.append(Token(unit=f"?{said.casefold()}", part="auxiliary"))
            meant = english_tokens(said, before, following)
            if before in ARTICLES and meant:
                found.append(replace(meant[0], begins=True))
                meant = meant[1:]
            found.extend(meant)
        before = said.casefold()
        begins = False
    return [_in_place(found, at) for at in range(len(found)) if _counts(found, at)]


def _plain(text: str) -> str:
    return _PHRASES.sub(lambda found: english.PHRASES[found.group().casefold()], tidied(text))


def _counts(said: Sequence[Token], at: int) -> bool:
    """Tell whether a word is none, or one that says something where it stands."""
    if said[at].unit in ("只", "仅") and at and said[at - 1].part == "number":
        return False
    if said[at] != POSSESSIVE or at == 0:
        return said[at] != POSSESSIVE
    following = said[at + 1] if at + 1 < len(said) else STOP
    return said[at - 1].part in ("thing", "inert") and following.part in _OWNED


def _in_place(said: Sequence[Token], at: int) -> Token:
    """Give a word as what it is where it stands."""
    token = said[at]
    before = said[at - 1] if at else STOP
    following = said[at + 1] if at + 1 < len(said) else STOP
    if token.part == "verb":
        return _verb_in_place(said, at, before, following)
    if token.part == "marker" and token.unit in _MAY_BE_VERBS:
        is_verb = following.part in ("stop", "auxiliary")
        return replace(token, part="verb") if is_verb else token
    counts = before.part in _TAKING or following.part in ("thing", "inert")
    if token.part == "number" and not counts and "verb" in (before.part, following.part):
        # A number that counts nothing may do something: 10.0.0.1 pings 10.0.0.2.
        return replace(token, part="thing")
    return token


def _verb_in_place(said: Sequence[Token], at: int, before: Token, following: Token) -> Token:
    token = said[at]
    end = next((i for i in range(at + 1, len(said)) if said[i].part == "stop"), len(said))
    has_later = any(other.part == "verb" for other in said[at + 1 : end])
    if token.unit == _WITH and has_later and following.part in ("thing", "inert"):
        # 用英文写: what follows is the means.
        return Token(unit="用", part="marker")
    if is_chinese(token.unit):
        if has_later and following.part == "thing" and before.part in ("stop", "marker"):
            # 测试服务器监听: what is done tells which one it is.
            return replace(token, part="thing")
        return token
    if token.past:
        return token
    start = next((i for i in range(at - 1, -1, -1) if said[i].part == "stop"), -1)
    has_earlier = any(other.part == "verb" for other in said[start + 1 : max(at - 1, 0)])
    is_last = at + 1 == end and has_earlier and before.part != "marker"
    if following.part in ("be", "auxiliary") or (is_last and before.part in ("thing", "inert")):
        return replace(token, part="thing")
    return token


def _is_question(first: str, second: str) -> bool:
    if first in _ASKED:
        return second in _ASKING or second in ("do", "will", "shall")
    return first in _ASKING or (first == "do" and second in SUBJECTS)
