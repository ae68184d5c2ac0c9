"""A block of context where it is quoted: whole, escaped, cut off, or line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from domain.policies.context_block import (
    INSTRUCTION,
    REFERENCE_DIGITS,
    SECTIONS,
    reference,
    unescaped,
)
from domain.policies.served_text import bare
from domain.policies.text_spans import Span, line_start, lines_of, rest_of

_LESS: Final = r"(?:<|&(?:amp;)*lt;|＜)"
_GREATER: Final = r"(?:>|&(?:amp;)*gt;|＞)"
_OPENING: Final = re.compile(
    rf"(?i)(?P<less>{_LESS})\s*memoryweave-context\b[^>\n]{{0,40}}{_GREATER}"
)
_CLOSING: Final = re.compile(
    rf"(?i)(?P<less>{_LESS})\s*/\s*memoryweave-context\b[^>\n]{{0,40}}{_GREATER}"
)
_MARKED_LINE: Final = re.compile(
    rf"^\s*[-*•]?\s*\([^()\n]*#(?P<reference>[0-9a-f]{{{REFERENCE_DIGITS}}})\s*\)\s*(?P<text>\S.*)$"
)
MARKS: Final = re.compile(rf"(?i)memoryweave-context|#[0-9a-f]{{{REFERENCE_DIGITS}}}\s*\)")
SECTION_LINE: Final = re.compile(rf"^\W*\[(?:{'|'.join(SECTIONS)})\]\W*$", re.IGNORECASE)
LEAD: Final = re.compile(
    r"^(?:\s|>|[-*•+](?=\s)|#{1,6}\s|\d{1,3}[.)、]\s?|\*\*|"
    r"(?:user|assistant|system|agent|ai|human|bot|owner|memory|context|note|助手|用户|系统|机器人|记忆|备注)"
    r"\s*(?:\([^()\n]{1,30}\)\s*)?[:：])*",
    re.IGNORECASE,
)


class MarkedLine(Struct, frozen=True):
    """A line of a block: the reference that it carries, and what it says (unescaped)."""

    reference: str
    text: str

    @property
    def is_unchanged(self) -> bool:
        """Whether it says what was served."""
        return reference(self.text) == self.reference


IsChanged = Callable[[MarkedLine], bool]
"""Tells whether a line says something else than what was served under its reference."""


def without_blocks(text: str) -> str:
    """Take out what stands between the marks of a block, and the marks."""
    spans = list(block_spans(text, _unchanged))
    return rest_of(text, spans) if spans else text


def block_spans(text: str, is_changed: IsChanged) -> Iterator[Span]:
    """Find what stands between a block's marks; lines whose numbers were changed are left."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        closing = _next(_CLOSING, text, opening)
        following = _next(_OPENING, text, opening)
        if closing is None or (following is not None and following.start() < closing.start()):
            end = _end_of_lines(text, opening.end())
        else:
            end = closing.end()
        begin = line_start(text, opening.start())
        changed = [
            span
            for span in lines_of(text, opening.end(), end)
            if (line := marked_line(text[span[0] : span[1]])) and is_changed(line)
        ]
        for start, stop in pairwise([begin, *(at for span in changed for at in span), end]):
            if (start, stop) not in changed and start < stop:
                yield start, stop
        at = end


def _next(mark: re.Pattern[str], text: str, opening: re.Match[str]) -> re.Match[str] | None:
    """Find the next mark that is escaped as the opening one is; one escaped more is content."""
    found = mark.finditer(text, opening.end())
    return next((mark for mark in found if mark["less"] == opening["less"]), None)


def _end_of_lines(text: str, start: int) -> int:
    """Give where a block ends that lost its closing mark: behind the last line that is like its."""
    end = start
    for begin, stop in lines_of(text, start, len(text)):
        line = LEAD.sub("", text[begin:stop]).strip()
        if line and not is_of_a_block(text[begin:stop]):
            break
        end = stop
    return end


def is_of_a_block(line: str) -> bool:
    """Tell whether only a block has such a line."""
    return (
        marked_line(line) is not None
        or SECTION_LINE.match(LEAD.sub("", line)) is not None
        or bare(LEAD.sub("", line)) in _INSTRUCTIONS
        or _CLOSING.search(line) is not None
    )


def marked_line(line: str) -> MarkedLine | None:
    """Give a line of a block taken apart, None for any other."""
    found = _MARKED_LINE.match(unescaped(re.sub(r"^[\s>*]+", "", line)))
    return None if found is None else MarkedLine(found["reference"], found["text"])


_INSTRUCTIONS: Final = frozenset(
    bare(sentence) for sentence in [INSTRUCTION, *re.split(r"(?<=\.) ", INSTRUCTION)]
)


def _unchanged(_line: MarkedLine) -> bool:
    return False
