"""Sentences put together to one statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_CLOSED: Final = re.compile(r"[.!?。！？…][\"'”’」』)）]*$")


def joined(parts: Sequence[str]) -> str:
    """Join sentences, each beginning with a capital and ending with a mark."""
    out = ""
    for part in parts:
        text = part.strip().rstrip(";；,，")
        text = text[0].upper() + text[1:] if _begins_with_a_plain_word(text) else text
        if not _CLOSED.search(text):
            text += "。" if _HAN.search(text[-1]) else "."
        out += ("" if not out or _HAN.search(text[0]) else " ") + text
    return out


def _begins_with_a_plain_word(text: str) -> bool:
    """Tell whether a capital may be put: not before a path, a command or a name like iPhone."""
    word = re.match(r"[a-z]+(?=[ ,.'’!]|$)", text)
    return word is not None
