"""Found things by their place in a text."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable

from msgspec import Struct


class Found(Struct, frozen=True):
    """A named thing at ``[start, end)``, quotation marks included; ``name`` without them."""

    start: int
    end: int
    name: str
    type: str


def without_overlaps(found: Iterable[Found]) -> list[Found]:
    """Keep each thing that overlaps none before it in ``found``; give them by their place."""
    kept: list[Found] = []
    for one in found:
        # Those kept stand in order and apart: only the neighbours can overlap it.
        at = bisect(kept, one.start, key=_start)
        before_ends = at == 0 or kept[at - 1].end <= one.start
        if before_ends and (at == len(kept) or one.end <= kept[at].start):
            kept.insert(at, one)
    return kept


def _start(found: Found) -> int:
    return found.start
