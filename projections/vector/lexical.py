"""Our own lexical analysis: which tokens a text is found by (spec: recall.md, decision 0010).

Documents and queries pass through the same analysis, so it is the only place that decides what
matches what. A token never holds white space: the index splits the column on white space and
does nothing else.

- Chinese, Japanese and Korean runs: overlapping character bigrams, in reading order, so that a
  phrase query finds any substring of two characters or more; traditional characters are folded
  to simplified ones one by one, so the folding of a character never depends on its neighbours.
  Each distinct single character follows at the end of the document, for queries of one.
- English words: Snowball stems, stop words left out. Accents are folded.
- Identifiers, paths, addresses, versions, ports, numbers: whole, and in parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import opencc
from msgspec import Struct

from domain.policies.english_stem import english_stem
from projections.vector.stop_words import ENGLISH_STOP_WORDS

MAX_TOKEN_CHARACTERS: Final = 96
"""A longer identifier is known by its beginning."""

MAX_QUERY_TERMS: Final = 64
"""Terms of a query beyond these are left out; the first ones of the text are kept."""

_CJK = (
    "\u3005\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = rf"(?:(?![{_CJK}_])\w)"
_STRONG = r"/\\:@=&~#?"
_WEAK = r"._\-+"
_SCANNER: Final = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<word>{_LETTER}+(?:[{_STRONG}{_WEAK}'’]{{1,3}}{_LETTER}+)*(?:\+\+|#)?)"
)
_GROUPED_NUMBER: Final = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_PIECES: Final = (
    re.compile(r"://|[?#]"),
    re.compile(r"://|[?#/\\&]+"),
    re.compile(rf"[{_STRONG}]+"),
)
"""Where a compound comes apart, coarse to fine: a URL, its host and path, their parts."""
_SEGMENTS: Final = re.compile(rf"[{_STRONG}{_WEAK}]+")
_CAMEL: Final = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DOTTED_NUMBER: Final = re.compile(r"\d+(?:\.\d+)+")

_to_simplified: Final = opencc.OpenCC("t2s")


class LexicalQuery(Struct, frozen=True):
    """What a query text asks the index for.

    ``terms`` are distinct tokens, in the order of the text. ``phrases`` are token sequences that
    stood side by side in one run of the query: a document that holds one holds that substring.
    """

    terms: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]


def document_tokens(text: str) -> list[str]:
    """Give the tokens of a document, repeats included, in the order that phrases rely on."""
    tokens: list[str] = []
    characters: dict[str, None] = {}
    for run, is_cjk in _runs(text):
        if is_cjk:
            tokens.extend(_bigrams(run))
            characters.update(dict.fromkeys(run))
        else:
            tokens.extend(_word_tokens(run))
    tokens.extend(characters)
    return tokens


def query_of(text: str) -> LexicalQuery:
    """Give the terms and phrases to look for. Both are empty where nothing in it distinguishes."""
    terms: dict[str, None] = {}
    phrases: dict[tuple[str, ...], None] = {}
    for run, is_cjk in _runs(text):
        if not is_cjk:
            terms.update(dict.fromkeys(_word_tokens(run)))
            continue
        bigrams = tuple(_bigrams(run)) or (run,)
        terms.update(dict.fromkeys(bigrams))
        if len(bigrams) > 1:
            phrases[bigrams] = None
    kept = tuple(terms)[:MAX_QUERY_TERMS]
    known = set(kept)
    return LexicalQuery(kept, tuple(phrase for phrase in phrases if known.issuperset(phrase)))


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Split normalised text into runs: (characters, whether they are CJK)."""
    plain = _GROUPED_NUMBER.sub(
        lambda match: match.group().replace(",", ""), unicodedata.normalize("NFKC", text)
    )
    for match in _SCANNER.finditer(plain):
        if match.lastgroup == "cjk":
            yield "".join(map(_simplified, match.group())), True
        else:
            yield match.group(), False


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


@lru_cache(maxsize=65536)
def _word_tokens(word: str) -> tuple[str, ...]:
    """Give the tokens of one word or compound: the whole first, then each part once."""
    bare = _without_accents(_without_apostrophes(word))
    tokens: dict[str, None] = {}
    segments = [part for part in _SEGMENTS.split(bare) if part]
    pieces = [_CAMEL.findall(part) if part.isascii() else [part] for part in segments]
    if len(segments) == 1 and len(pieces[0]) == 1 and bare.isalnum():
        _keep(tokens, bare)
        return tuple(tokens)
    tokens[_token(bare)] = None
    for level in _PIECES:
        for piece in level.split(bare):
            _keep(tokens, piece)
    for number in _DOTTED_NUMBER.findall(bare):
        parts = number.split(".")
        for length in range(2, len(parts) + 1):
            _keep(tokens, ".".join(parts[:length]))
    for segment, words in zip(segments, pieces, strict=True):
        _keep(tokens, segment)
        for part in words if len(words) > 1 else ():
            if len(part) > 1 or part.isdigit():
                _keep(tokens, part)
    return tuple(tokens)


def _keep(tokens: dict[str, None], part: str) -> None:
    if part and part.casefold() not in ENGLISH_STOP_WORDS:
        tokens[_token(part)] = None


def _without_apostrophes(word: str) -> str:
    """Turn ``Anna's`` into ``Anna`` and ``don't`` into ``dont`` (which is a stop word)."""
    straight = word.replace("’", "'")
    if "'" not in straight:
        return word
    return straight.removesuffix("'s").removesuffix("'S").replace("'", "")


def _token(part: str) -> str:
    folded = part.casefold()
    if folded.isascii() and folded.isalpha():
        return english_stem(folded[:MAX_TOKEN_CHARACTERS])
    return folded[:MAX_TOKEN_CHARACTERS]


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn") or word


@lru_cache(maxsize=65536)
def _simplified(character: str) -> str:
    folded = str(_to_simplified.convert(character))
    return folded if len(folded) == 1 else character
