"""The words of a run of Chinese characters, for `same_statement`.

There is no dictionary: what stands between two words of the tables is taken whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from domain.policies import same_statement_chinese as chinese
from domain.policies.same_statement_english import set_of
from domain.policies.statement_token import INSIDE, POSSESSIVE, STOP, TURNED_BE, Part, Token

_BE_CHINESE: Final = set_of("是 就是 即是 便是 的是")
_AND_CHINESE: Final = {"和": "", "或": "or"}
_AFTER_A_WORD: Final = set_of("里 中 内 上 里面 上面")
_NUMERALS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
}
_SCALES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_NUMERAL: Final = re.compile(f"[{''.join(_NUMERALS)}{''.join(_SCALES)}]+")
_COUNTED: Final = re.compile(_NUMERAL.pattern + "$")
_BEHIND: Final = {"后": "以后", "前": "以前"}
_COUNTING: Final = set_of("天 月 年 号 日 点 分 秒 小时 分钟 周")


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
            meaning = TURNED_BE.unit if word == TURNED_BE.unit else ""
        parts[word] = Token(unit=_AND_CHINESE.get(meaning, meaning), part=own)
    return parts


_PARTS: Final = _parts_of_chinese() | {
    "的": POSSESSIVE,
    **{word: Token(unit=word, part="auxiliary") for word in ("了", "过", "吗")},
}
_LONGEST_FIRST: Final = re.compile("|".join(sorted(_PARTS, key=len, reverse=True)))


def chinese_tokens(run: str, before: Token) -> Iterator[Token]:
    """Give the words of a run of Chinese characters, the longest known ones first."""
    at, stretch = 0, ""
    last = None if before.part == "stop" else before
    for found in [*_LONGEST_FIRST.finditer(run), None]:
        stretch += run[at : found.start() if found else len(run)]
        token = _PARTS[found.group()] if found else STOP
        if token is not None:
            between = list(_unknown(stretch, last, token))
            yield from between
            last = between[-1] if between else last
            stretch = ""
            if found:
                last = token
                yield token
        if found:
            at = found.end()


def _unknown(stretch: str, last: Token | None, following: Token) -> Iterator[Token]:
    """Give what stands between two known words: a numeral, or the name of something."""
    numeral = _NUMERAL.match(stretch)
    if numeral and numeral.group() not in _SCALES:
        yield Token(unit=str(_number(numeral.group())), part="number")
        stretch = stretch[numeral.end() :]
    if last is not None and last.part == "verb":
        stretch = stretch.removeprefix("着")
    if stretch == "为":
        yield Token(unit="", part="be")
        return
    if stretch in ("个", "着"):
        return
    if last is not None and last.unit in _COUNTING and stretch[:1] in _BEHIND:
        yield Token(unit=_BEHIND[stretch[0]], part="binding")
        stretch = stretch[1:]
    if last is not None and stretch in _AFTER_A_WORD:
        yield INSIDE
        return
    counted = _COUNTED.search(stretch) if following.unit in _COUNTING else None
    if counted:
        stretch = stretch[: counted.start()]
    if stretch:
        yield Token(unit=stretch, part="thing")
    if counted:
        yield Token(unit=str(_number(counted.group())), part="number")


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
