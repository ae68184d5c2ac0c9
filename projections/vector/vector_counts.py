"""Counts the rows of a table that have a vector, and those that wait for one.

Only reading a row's vector tells whether it has one, and those of a million rows are 1.5 GB. But a
row is never changed in its place (`kept_rows`): a fragment in which no row waits will have none
that does, and how many of its rows lack a vector changes only with what is deleted from it. So a
count reads what was written since the last one.
"""

from __future__ import annotations

import threading
from typing import Any, Final

_WAITS: Final = "vector IS NULL AND to_position IS NULL"
_LACKS: Final = "vector IS NULL"


class VectorCounts:
    """Counts in any version of one table. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._filled: set[int] = set()
        self._lacking: dict[int, tuple[int, int]] = {}

    def waiting(self, dataset: Any, condition: str) -> int:
        """Count the open rows that a condition holds for and that have no vector."""
        counted = 0
        for fragment in dataset.get_fragments():
            number = fragment.fragment_id
            if number in self._filled:
                continue
            if fragment.count_rows(_WAITS):
                counted += fragment.count_rows(f"{_LACKS} AND {condition}")
            else:
                with self._lock:
                    self._filled.add(number)
        return counted

    def present(self, dataset: Any) -> int:
        """Count the rows that have a vector, those of past texts included."""
        return int(dataset.count_rows()) - sum(map(self._lacking_in, dataset.get_fragments()))

    def _lacking_in(self, fragment: Any) -> int:
        number, deleted = fragment.fragment_id, fragment.num_deletions
        then, lacking = self._lacking.get(number, (-1, -1))
        if then != deleted and lacking != 0:
            lacking = fragment.count_rows(_LACKS)
            with self._lock:
                self._lacking[number] = deleted, lacking
        return lacking
