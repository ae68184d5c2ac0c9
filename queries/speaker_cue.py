"""Who the query names: "what did Anna say", "小李喜欢什么"."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_NAME: Final = re.compile(r"[\u3400-\u9fff]{2,}|[^\W\d_\u3400-\u9fff]{2,}")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")


def named_speakers(query: str, speakers: Collection[str]) -> frozenset[str]:
    """Give the speakers one of whose names stands in the query.

    A name is a word of its own there, whatever its case; a Chinese one stands anywhere, for
    nothing separates words. Names of one letter name nobody.
    """
    folded = query.casefold()
    return frozenset(
        speaker
        for speaker in speakers
        if any(_stands_in(folded, name) for name in _NAME.findall(speaker.casefold()))
    )


def _stands_in(folded: str, name: str) -> bool:
    if _HAN.search(name):
        return name in folded
    return re.search(rf"(?<![^\W\d_]){re.escape(name)}(?![^\W\d_])", folded) is not None
