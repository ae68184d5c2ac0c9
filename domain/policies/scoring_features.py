"""What a sentence shows of its worth: features in [0, 1], read from words and signs alone."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from domain.policies import scoring_cues as cues
from domain.policies import scoring_words as words
from domain.policies.kept_readings import kept_where_short
from domain.policies.social import is_social

SUPPORTING: Final = (
    "self", "others", "topics", "specific", "informative", "lasting", "likes", "decided", "ordered",
    "howto", "because", "intends", "when", "happened", "technical", "remember",
    "answers",
)  # fmt: skip
"""More of one never makes a sentence worth less."""

OPPOSING: Final = (
    "asks", "supposes", "passing", "to_other", "chatter", "advises", "by_agent",
    "noise", "abstract", "thin",
)  # fmt: skip
"""More of one never makes a sentence worth more."""

FEATURES: Final = (*SUPPORTING, *OPPOSING)

_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_CHINESE_RUN: Final = re.compile(r"[\u3400-\u9fff]+")
_LATIN: Final = re.compile(
    r"(?:(?![\u3400-\u9fff])[^\W\d_])(?:(?![\u3400-\u9fff])[\w'’-])*(?<![-'’])"
    r"|\d(?:(?![\u3400-\u9fff])[\w.,:/%-])*"
)
_TECHNICAL: Final = re.compile(
    "|".join(
        (
            r"`[^`]+`|(?<![\w.])(?:~|\.{0,2})/[\w.-]+(?:/[\w.*-]+)+|https?://\S+",
            r"\b\w+(?:_\w+)+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z]{2,}(?:_[A-Z]+)+\b|--[a-z][\w-]+",
            r"\bv?\d+\.\d+(?:\.\d+)*\b|\bport \d+|端口\s*(?:是|为)?\s*\d+",
            r"\b[\w-]+\.(?:py|js|ts|go|rs|md|toml|ya?ml|json|sh|sql|conf|ini|env|txt|csv)\b",
            r"\b[\w-]+\.(?:local|internal|com|org|io|net|cn)\b",
        )
    )
)
_QUOTED: Final = re.compile(r"[“\"《「『]([^”\"》」』]{1,60})[”\"》」』]")
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_CHINESE_NUMBER: Final = re.compile(
    r"[一二三四五六七八九十百千万几两半]+(?=[个只条位岁年月天号日点块元次家本部套台辆公里小分米斤瓶杯层楼届])"
)
_PLACE: Final = re.compile(
    r"[\u4e00-\u9fff]{2,6}(?:公园|医院|大学|公司|[市省区县镇村]|路|街|店|馆|中学|小学|酒店|机场|车站|集团|银行"
    r"|寺|山|湖|岛|广场|大厦|小区|学院|研究所|工作室|俱乐部)"
)
_NAMED: Final = re.compile(
    r"(?<=[\w,;:'’\-] )(?!I\b|I['’])[A-Z][\w'’-]+|(?<=\()[A-Z]\w+|\b[A-Z]{2,}\d*\b"
)
_NOISE: Final = re.compile(
    "|".join(
        (
            r"^\s*(?:at [\w.$<>]+\(|File \"|Traceback|@@|\$ |>>> )",
            r"^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d",
            r"^\s*(?:\[?(?:INFO|DEBUG|WARN|ERROR|TRACE)\b|[+-]{3} |[{}()\[\];,]+\s*$|npm )",
            r"^\s*(?:import|from|def|class|return|const|let|var|function|public|private|if|for|while"
            r"|else|elif|try|except|fn|func|#include|SELECT|INSERT|<\w+|</)\b.*[:;{}()=<>]",
            r"^\s*(?:\w+\s*[=+-]?=\s*\S+;?|[\w.]+\(.*\);?)$",
            r"\b[0-9a-f]{24,}\b|[A-Za-z0-9+/]{48,}={0,2}",
        )
    )
)
CHARACTERS: Final = 2.0
"""Chinese characters that say something, to a word: the words around them are left out."""

_SEVERAL: Final = 3.0
_MANY_WORDS: Final = 12.0


@kept_where_short(4096)
def features(sentence: str, *, answers: bool = False, by_agent: bool = False) -> tuple[float, ...]:
    """Give the features of one sentence, in the order of `FEATURES`.

    ``answers``: it was said in reply to a question; ``by_agent``: an agent said it.
    """
    plain = unicodedata.normalize("NFKC", sentence).replace("’", "'")
    latin = [word.casefold() for word in _LATIN.findall(plain)]
    informative = weight_of(plain, latin)
    abstract = sum(word in words.VERDICTS or word in words.ABSTRACT for word in latin)
    abstract += len(words.ABSTRACT_CHINESE.findall(plain))
    return (
        _any(cues.SELF, plain),
        _any(cues.OTHERS, plain),
        _share(len(set(map(str.casefold, cues.TOPICS.findall(plain)))), _SEVERAL),
        _share(specifics(plain), _SEVERAL),
        _share(informative, _MANY_WORDS),
        _any(cues.LASTING, plain),
        _any(cues.LIKES, plain),
        _any(cues.DECIDED, plain),
        _any(cues.ORDERED, plain),
        _any(cues.HOWTO, plain),
        _any(cues.BECAUSE, plain),
        _any(cues.INTENDS, plain),
        _any(cues.WHEN, plain),
        float(any(map(_is_past, latin)) or cues.HAPPENED_CHINESE.search(plain) is not None),
        _share(len(_TECHNICAL.findall(plain)), 2.0),
        _any(cues.REMEMBER, plain),
        float(answers),
        _any(cues.ASKS, plain),
        _any(cues.SUPPOSES, plain),
        _any(cues.PASSING, plain),
        _any(cues.TO_OTHER, plain),
        _any(cues.CHATTER, plain),
        _any(cues.ADVISES, plain),
        float(by_agent),
        _any(_NOISE, plain),
        _share(abstract, _SEVERAL),
        1.0 - _share(informative, 3.0),
    )


def specifics(plain: str) -> int:
    """Count what a sentence names: numbers, quoted words, places, names."""
    found = (_NUMBER, _CHINESE_NUMBER, _QUOTED, _PLACE, _NAMED)
    return sum(len(pattern.findall(plain)) for pattern in found)


def weight_of(plain: str, latin: list[str]) -> float:
    """Give how many words of a sentence say something; two Chinese characters are a word."""
    if is_social(plain):
        return 0.0
    said = {w for w in latin if w not in words.EMPTY and w not in words.FILLERS}
    rest = "".join(words.EMPTY_CHINESE.sub(" ", run) for run in _CHINESE_RUN.findall(plain))
    return len(said) + len(set(_CHINESE.findall(rest))) / CHARACTERS


def size_of(plain: str, latin: list[str]) -> float:
    """Give how many words a sentence has, two Chinese characters being one."""
    return len(latin) + len(_CHINESE.findall(plain)) / 2


def latin_words(plain: str) -> list[str]:
    """Give the words of Latin letters and the numbers, folded, in order."""
    return [word.casefold() for word in _LATIN.findall(plain)]


def _is_past(word: str) -> bool:
    return word in words.PAST or (
        len(word) > 4 and word.endswith("ed") and word not in words.NOT_PAST
    )


def _any(pattern: re.Pattern[str], text: str) -> float:
    return float(pattern.search(text) is not None)


def _share(count: float, enough: float) -> float:
    return min(count / enough, 1.0)
