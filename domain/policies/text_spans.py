"""Parts of a text by where they begin and end, and what is left when some are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]


def rest_of(text: str, spans: Sequence[Span]) -> str:
    """Give what lies outside the spans, each piece on lines of its own."""
    kept = "\n".join(
        text[start:end].strip(" \t")
        for start, end in gaps(spans, len(text))
        if text[start:end].strip()
    )
    return re.sub(r"\n{3,}", "\n\n", kept).strip()


def gaps(spans: Sequence[Span], length: int) -> list[Span]:
    """Give what of ``[0, length)`` lies in none of the spans."""
    at = 0
    found: list[Span] = []
    for start, end in sorted(spans):
        if at < start:
            found.append((at, start))
        at = max(at, end)
    return [*found, (at, length)] if at < length else found


def line_start(text: str, at: int) -> int:
    """Give where the line begins, if only quoting marks stand before; else ``at``."""
    begin = text.rfind("\n", 0, at) + 1
    return begin if not text[begin:at].strip("> \t*`") else at


def lines_of(text: str, start: int, end: int) -> Iterator[Span]:
    """Give the lines between two places, each with its line break."""
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop + 1
        yield at, stop
        at = stop
