"""How a long episode becomes several rows: at most 400 tokens each, one sentence in common.

Tokens are estimated, not counted: one for each CJK character and one for every three other
characters, rounded up (the same estimate as context assembly, spec: recall.md). It is an upper
bound in practice for subword vocabularies, needs no model, and so a rebuild cuts alike for ever.
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHUNK_TOKENS: Final = 400

_CJK: Final = re.compile(
    "[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)
_SENTENCE: Final = re.compile(
    r".+?(?:[。！？!?；;…]+[”’\"')）】」』]*\s*|\.+[\"')]*(?:\s+|$)|\n+|$)", re.DOTALL
)
_BREAK: Final = re.compile(r"\s")


def chunks(text: str, limit: int = MAX_CHUNK_TOKENS) -> list[str]:
    """Cut a text into stretches of at most ``limit`` estimated tokens, in order.

    Each stretch is a substring. It begins with the last sentence of the one before, unless that
    would leave no room for a new sentence. A sentence over the limit is cut at white space, or
    between characters where there is none. A text within the limit stays whole.
    """
    if estimated_tokens(text) <= limit:
        return [text]
    pieces = [part for sentence in _SENTENCE.findall(text) for part in _bounded(sentence, limit)]
    found: list[str] = []
    current: list[str] = []
    for piece in pieces:
        if current and estimated_tokens("".join(current) + piece) > limit:
            found.append("".join(current))
            overlap = current[-1]
            current = [overlap] if estimated_tokens(overlap + piece) <= limit else []
        current.append(piece)
    found.append("".join(current))
    return [chunk for chunk in (part.strip() for part in found) if chunk] or [text]


def estimated_tokens(text: str) -> int:
    """Give the estimate: CJK characters + ceil(other characters / 3)."""
    wide = 0 if text.isascii() else sum(map(len, _CJK.findall(text)))
    return wide + -(-(len(text) - wide) // 3)


def _bounded(sentence: str, limit: int) -> list[str]:
    """Cut one sentence into parts within the limit."""
    parts = []
    while estimated_tokens(sentence) > limit:
        end = _fitting(sentence, limit)
        spaces = [match.end() for match in _BREAK.finditer(sentence, end // 2, end)]
        cut = spaces[-1] if spaces else end
        parts.append(sentence[:cut])
        sentence = sentence[cut:]
    return [*parts, sentence] if sentence else parts


def _fitting(text: str, limit: int) -> int:
    """Give the length of the longest prefix within the limit, at least 1."""
    low, high = 1, min(len(text), 3 * limit)
    while low < high:
        middle = (low + high + 1) // 2
        if estimated_tokens(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return low
