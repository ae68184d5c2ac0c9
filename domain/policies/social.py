"""Whether a message only greets, thanks, or takes leave, so that there is nothing to recall.

English, Chinese, mixed, and emoji. A message is social when it comes apart, without a rest, into
phrases of `social_phrases` with at least one kind word among them. Whatever is left over makes it a
message like any other: to search for nothing costs a little, to miss a question costs the answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from domain.policies.social_phrases import ADDITIONS, COURTEOUS_QUESTIONS, KIND_WORDS

MOST_CHARACTERS: Final = 120
"""A longer message says more than that it is friendly."""

_EMOTICON: Final = re.compile(
    r"(?<![\w/])(?:[:;=8xX][-'o^]?[)(DPpOo3*\]\[|/\\]+|[:;]'?-?[)(]+|<3+|\^[_.-]?\^|[oO0][_.][oO0]"
    r"|T[_.]T|orz|-_-|>_<|\\o/|\(y\)|:\*+|[:;]D+|QAQ|QwQ|\(?[´｀`][^\w\s]{1,4}[)）])(?!\w)"
)
_SHORTCODE: Final = re.compile(r":[a-z0-9_+-]{2,32}:|\[[\u4e00-\u9fff]{1,4}\]")
_WORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)*|[\u3400-\u9fff]")
_ELONGATED: Final = re.compile(r"([a-z])\1+")
_LAUGHTER: Final = re.compile(
    r"(?:[ae]?h[aeio]){2,}h?|哈{2,}|嘿{2,}|呵{2,}|嘻{2,}|呜{2,}|6{3,}|23{2,}|w{3,}"
)
_EMOJI_CATEGORIES: Final = frozenset({"So", "Sk"})


def is_social(message: str) -> bool:
    """Tell whether the message only greets, thanks, congratulates, agrees, or takes leave."""
    return len(message) <= MOST_CHARACTERS and _is_social(message)


@lru_cache(maxsize=4096)
def _is_social(message: str) -> bool:
    plain = unicodedata.normalize("NFKC", message).replace("’", "'")
    without = _SHORTCODE.sub(" ", _EMOTICON.sub(" ", plain)).casefold()
    has_emoji = without != plain.casefold() or any(map(_is_emoji, message))
    words = [_shortened(word) for word in _WORD.findall(_LAUGHTER.sub(" 哈 ", without))]
    if not _only_words(without):
        return False
    if not words:
        return has_emoji
    return _comes_apart(words) and ("?" not in without or _asks_how_one_is(words))


def _only_words(text: str) -> bool:
    """Tell whether nothing stands in the text but known scripts, punctuation and emoji.

    Digits joined by signs (a version, a time) and letters of other scripts are content; so is a
    sign that code is made of.
    """
    rest = _WORD.sub(" ", text)
    return not any(c.isalnum() or c in "@#$%=+<>{}\\/`_|*" for c in rest if not _is_emoji(c))


def _comes_apart(words: list[str]) -> bool:
    """Find a way through the words by phrases, one of them kind; the longest sentence is short."""
    reached: set[tuple[int, bool]] = {(0, False)}
    for start in range(len(words)):
        for kind in (False, True):
            if (start, kind) in reached:
                reached.update(
                    (start + length, kind or is_kind)
                    for length, is_kind in _phrases_at(words, start)
                )
    return (len(words), True) in reached


def _asks_how_one_is(words: list[str]) -> bool:
    return any(
        tuple(words[start : start + len(phrase)]) == phrase
        for start, word in enumerate(words)
        for phrase in _COURTEOUS.get(word, ())
    )


def _phrases_at(words: list[str], start: int) -> Iterable[tuple[int, bool]]:
    for phrases, is_kind in ((_KIND, True), (_ADDED, False)):
        for phrase in phrases.get(words[start], ()):
            if tuple(words[start : start + len(phrase)]) == phrase:
                yield len(phrase), is_kind


def _by_first_word(phrases: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases:
        words = tuple(_shortened(word) for word in _WORD.findall(phrase))
        found.setdefault(words[0], []).append(words)
    return found


def _shortened(word: str) -> str:
    """Give ``thaaanks`` as ``thanks``, ``gooood`` as ``god``: as ``good`` is known here too."""
    return _ELONGATED.sub(r"\1", word)


@lru_cache(maxsize=4096)
def _is_emoji(character: str) -> bool:
    return (
        unicodedata.category(character) in _EMOJI_CATEGORIES and character not in "^`´¨"
    ) or character in "\u200d\ufe0f\u20e3❤♥"


_COURTEOUS: Final = _by_first_word(COURTEOUS_QUESTIONS)
_KIND: Final = _by_first_word(KIND_WORDS)
_ADDED: Final = _by_first_word(ADDITIONS)
