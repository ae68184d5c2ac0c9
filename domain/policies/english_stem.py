"""English words without their inflections, by Snowball's rules."""

from __future__ import annotations

import threading
from typing import Final

import snowballstemmer

from domain.policies.kept_readings import kept_where_short

_snowball: Final = snowballstemmer.stemmer("english")
_one_at_a_time: Final = threading.Lock()
"""The stemmer keeps the word that it works on in itself: two threads would mix theirs."""


LONGEST_WORD: Final = 40
"""Characters: a longer word is hardly a word, and what is kept of many of them would be much."""


@kept_where_short(32768, LONGEST_WORD)
def english_stem(word: str) -> str:
    """Give the Snowball stem of a word in lower case. Thread-safe."""
    with _one_at_a_time:
        return str(_snowball.stemWord(word))
