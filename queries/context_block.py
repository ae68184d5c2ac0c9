"""Filling a block of memory within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from domain.policies.context_block import CLOSING, CUT, PREFIX, SECTIONS, Section, line
from memoryweave.contract import RecallItem
from queries.tokens import CJK, token_count

MOST_OF_BUDGET: Final = 3
"""One line takes at most a third of the budget; a longer text is cut, and marked as cut."""

TRIED: Final = 4
"""For each line of a section so many items are tried, where the first ones do not fit."""

LEAST_LINE: Final = 16
"""Tokens below which no line fits: its marks alone take as many."""

_SENTENCE_END: Final = re.compile(r"[。！？!?；;…](?=.)|\.(?=\s)|\n")

_OF_A_WORD: Final = re.compile(rf"(?!{CJK})\S")
"""Between characters of Chinese there is no blank to cut at, and none is needed."""


class Block(Struct, frozen=True):
    """A block, its size in estimated tokens, and the ids of what stands in it, in its order."""

    text: str
    tokens: int
    items: tuple[str, ...]


EMPTY: Final = Block("", 0, ())


def fill(sections: Mapping[Section, Sequence[RecallItem]], per_section: int, budget: int) -> Block:
    """Give the block of what fits: of each section up to ``per_section`` items, best first.

    A line that does not fit the rest of the budget makes room for a shorter one after it. Nothing
    stands in two sections. Without a single line there is no block.
    """
    parts, items = [PREFIX], list[str]()
    for section in SECTIONS:
        lines = list[str]()
        new = [item for item in sections.get(section, ()) if item.id not in items]
        for item in new[: TRIED * per_section]:
            left = budget - token_count("".join([*parts, CLOSING]))
            if len(lines) == per_section or left < LEAST_LINE:
                break
            shown = _line(item, budget)
            trial = "".join([*parts, _section(section, [*lines, shown]), CLOSING])
            if item.id not in items and token_count(trial) <= budget:
                lines.append(shown)
                items.append(item.id)
        if lines:
            parts.append(_section(section, lines))
    if not items:
        return EMPTY
    text = "".join([*parts, CLOSING])
    return Block(text, token_count(text), tuple(items))


def shortened(text: str, limit: int) -> str:
    """Give a text of at most ``limit`` tokens: whole, or up to a sentence's end and marked."""
    if token_count(text) <= limit:
        return text
    low, high = 0, min(len(text), 3 * limit)
    while low < high:
        middle = (low + high + 1) // 2
        if token_count(f"{text[:middle]} {CUT}") <= limit:
            low = middle
        else:
            high = middle - 1
    kept = text[:low]
    ends = [found.end() for found in _SENTENCE_END.finditer(kept)]
    if ends:
        kept = kept[: ends[-1]]
    elif _OF_A_WORD.match(text, low):
        while low and _OF_A_WORD.match(text, low - 1):
            low -= 1
        kept = text[:low] or kept
    return f"{kept.rstrip()} {CUT}"


def _section(section: Section, lines: Sequence[str]) -> str:
    return "\n".join([f"[{section}]", *lines, ""])


def _line(item: RecallItem, budget: int) -> str:
    said = f"{item.speaker}: {item.content}" if item.speaker else item.content
    return line(
        shortened(said, max(1, budget // MOST_OF_BUDGET)),
        item.confidence,
        item.observed_at or item.recorded_at,
        tuple(item.warnings),
    )
