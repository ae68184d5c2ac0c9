"""Reading a log in larger pieces, for a view whose every step costs files."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from domain.events import SubjectErased, type_of
from eventlog.entry import RawEntry
from eventlog.subscription import Checkpoint
from projections.applying import Source

LARGEST: Final = 5_000
LONGEST_S: Final = 5.0
_ERASED: Final = type_of(SubjectErased)
"""Somebody waits for these."""


class Gathering:
    """Gives what another source read once there is much of it, or once it waited long enough.

    What it holds is of no view yet; lost with the process, it is read again.
    """

    def __init__(
        self,
        inner: Source,
        *,
        largest: int = LARGEST,
        longest_s: float = LONGEST_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Hold entries for at most ``longest_s`` seconds, or until ``largest`` of them came."""
        self._inner = inner
        self._largest = largest
        self._longest_s = longest_s
        self._monotonic = monotonic
        self._held: list[RawEntry] = []
        self._since = 0.0
        self._checkpoints: dict[int, Checkpoint] = {}
        self._given: dict[int, Checkpoint] = {}

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        """Give the next entries, which may be more than ``limit``; [] while they are gathered.

        Raises what the inner source raises; what was gathered is kept.
        """
        entries = self._inner.read(limit, wait_s)
        if entries and not self._held:
            self._since = self._monotonic()
        self._held += entries
        # The chain of an entry is known only until the next batch is read.
        self._checkpoints.update((e.position, self._inner.checkpoint_at(e)) for e in entries)
        waited = self._monotonic() - self._since
        urgent = any(entry.type == _ERASED for entry in entries)
        enough = urgent or len(self._held) >= self._largest or waited >= self._longest_s
        if not self._held or not enough:
            return []
        given, self._held = self._held, []
        self._given, self._checkpoints = self._checkpoints, {}
        return given

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        """Give the checkpoint of a reader that has come up to an entry of what was last given."""
        return self._given[entry.position]
