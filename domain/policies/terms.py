"""Terms by which two texts are seen to speak of the same: words, pairs of characters, numbers.

What the memories of a namespace are counted by and what passive validation looks up must be the
same, so both come here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

from domain.policies.common_words import COMMON_CHINESE, COMMON_ENGLISH
from domain.policies.english_stem import english_stem
from domain.policies.kept_readings import kept_where_short
from domain.policies.statement_words import EMPTY_CHINESE, EMPTY_ENGLISH

LEAST_LETTERS: Final = 3
"""A shorter English word is no term."""

_TOKEN: Final = re.compile(r"[a-z0-9]+(?:[._:/@'’-][a-z0-9]+)*|[㐀-䶿一-鿿]+")
_PARTS: Final = re.compile(r"['’][a-z]{1,2}(?![a-z])|[._:/@'’-]+")
_BETWEEN: Final = re.compile(
    "|".join(sorted({*COMMON_CHINESE, *EMPTY_CHINESE}, key=len, reverse=True))
    + "|[的了是在和与及跟就都也吗呢吧啊呀哦嗯很这那我你您他她它们请把将会不没有个之其而且但所因或"
    "于以被给让对为到从向地得着过还又再更最太只才能要想说去来上下里中后前些样么一二两三四五六七八九十几每某各该此]+"
)
"""Chinese words that say nothing of what a text is about: no term spans one."""


@kept_where_short(8192)
def terms(text: str) -> frozenset[str]:
    """Give the stems of its English words, its tokens with digits, its pairs of characters.

    Words of any talk and Chinese function characters are left out.
    """
    found: set[str] = set()
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if token[0] >= "㐀":
            for stretch in stretches(token):
                found.update(one + other for one, other in pairwise(stretch))
        else:
            found.update(_word_terms(token))
    return frozenset(found)


def stretches(run: str) -> list[str]:
    """Give what is left of a run of Chinese characters between words that say nothing."""
    return [part for part in _BETWEEN.split(run) if len(part) > 1]


@lru_cache(maxsize=65536)
def _word_terms(token: str) -> tuple[str, ...]:
    if any(map(str.isdigit, token)):
        return (token,)
    return tuple(
        stem
        for word in _PARTS.split(token)
        if len(word) >= LEAST_LETTERS
        and word not in EMPTY_ENGLISH
        and (stem := english_stem(word)) not in _COMMON
    )


_COMMON: Final = frozenset(map(english_stem, COMMON_ENGLISH))
