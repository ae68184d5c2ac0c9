"""Giving way to whoever else stores: people wait for their commits, nobody waits for a memory.

The positions of one's own appends tell: where they do not follow one another, somebody stored in
between, and is likely to store again. Then the next append waits a moment, so that the log's
server, its disk and the processor are theirs, and goes by itself. While nobody else stores, nothing
waits, and several appends share a round trip and a write to the disk: twice as many each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

REST_S: Final = 0.02
"""A few commits long."""

MOST_TOGETHER: Final = 8
"""Appends in one round trip: whoever commits meanwhile waits for them all."""


class Pace:
    """How fast one process appends. For one thread."""

    def __init__(self, rest: Callable[[float], None] = time.sleep) -> None:
        self._rest = rest
        self._reached = 0
        self._together = 1

    @property
    def together(self) -> int:
        """How many appends to send at once."""
        return self._together

    def stored(self, position: int, events: int) -> None:
        """Note an append of so many events that ends at a position, and rest where others store."""
        alone = self._reached in (0, position - events)
        self._reached = position
        if alone:
            self._together = min(2 * self._together, MOST_TOGETHER)
        else:
            self._together = 1
            self._rest(REST_S)
