"""English words without their inflections, by Snowball's rules."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Final

import snowballstemmer

_snowball: Final = snowballstemmer.stemmer("english")
_one_at_a_time: Final = threading.Lock()
"""The stemmer keeps the word that it works on in itself: two threads would mix theirs."""


LONGEST_KEPT: Final = 40
"""Characters: a longer word is hardly a word, and what is kept of many of them would be much."""


def english_stem(word: str) -> str:
    """Give the Snowball stem of a word in lower case. Thread-safe."""
    return _kept(word) if len(word) <= LONGEST_KEPT else _stem(word)


@lru_cache(maxsize=32768)
def _kept(word: str) -> str:
    return _stem(word)


def _stem(word: str) -> str:
    with _one_at_a_time:
        return str(_snowball.stemWord(word))
