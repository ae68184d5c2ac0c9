"""A text cut into what is said in it, English and Chinese."""

from __future__ import annotations

import re
from typing import Final

_END: Final = re.compile(
    r"(?<=[。！？；…])[\"'”’」』）)]*(?![。！？；…])|(?<=[.!?;])(?<!\.\.)[\"'”’)]*\s+|\n+"
    r"|\s(?=\[[a-z\u4e00-\u9fff])"
)
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|etc|no|approx|a\.m|p\.m|jan|feb|mar|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec)|\b[A-Z]|^\s*\d{1,2})\.$",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """Give the sentences in order, each with its closing mark, without blanks around it.

    A line ends a sentence, and so does an opening bracket that holds an attachment. A full stop in
    a number, a name or an abbreviation does not.
    """
    found: list[str] = []
    held = ""
    at = 0
    for end in _END.finditer(text):
        piece = held + text[at : end.end()]
        at = end.end()
        if _ABBREVIATED.search(piece.rstrip()) and "\n" not in end.group():
            held = piece
            continue
        held = ""
        found.append(piece)
    found.append(held + text[at:])
    return [piece.strip() for piece in found if piece.strip()]
