"""Sentences put together to one statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_CLOSED: Final = re.compile(r"(?:[.!?。！？…][\"'”’」』)）]*|[)）])$")
_PLAIN_WORD: Final = re.compile(r"[a-z]+(?=[ ,.'’!]|$)")


def joined(parts: Sequence[str]) -> str:
    """Join sentences, each beginning with a capital and ending with a mark."""
    out = ""
    for part in parts:
        text = closed(part)
        # Not before a path, a command or a name like iPhone.
        text = text[0].upper() + text[1:] if _PLAIN_WORD.match(text) else text
        out += ("" if not out or _HAN.search(text[0]) else " ") + text
    return out


def closed(part: str) -> str:
    """Give a sentence with a mark at its end."""
    text = part.strip().rstrip(";；,，")
    if _CLOSED.search(text):
        return text
    return text + ("。" if _HAN.search(text) else ".")
