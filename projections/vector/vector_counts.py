"""Counts the rows of a table that have a vector, and those that wait for one.

Only reading a row's vector tells whether it has one, and those of a million rows are 1.5 GB. But a
row is never changed in its place (`kept_rows`): a fragment in which no row waits will have none
that does, and how many of its rows lack a vector changes only with what is deleted from it. So a
count reads what was written since the last one.

Fragments are asked through scanners alone: what a fragment is asked itself holds the interpreter's
lock while Lance's own threads wait for it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

_WAITS: Final = "vector IS NULL AND to_position IS NULL"
_LACKS: Final = "vector IS NULL"
_FRAGMENT_BITS: Final = 32
"""A row's id is its fragment's number, and below these bits its place there."""


class VectorCounts:
    """Counts in any version of one table. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._filled: set[int] = set()
        self._lacking: dict[int, tuple[int, int]] = {}

    def waiting(self, dataset: Any, condition: str) -> int:
        """Count the open rows that a condition holds for and that have no vector."""
        fragments = dataset.get_fragments()
        with self._lock:
            # What was compacted away never comes back, and must not pile up.
            self._filled.intersection_update(f.fragment_id for f in fragments)
            filled = frozenset(self._filled)
        new = [f for f in fragments if f.fragment_id not in filled]
        counted = _count_by_fragment(dataset, new, _WAITS)
        waiting = [fragment for fragment in new if counted[fragment.fragment_id]]
        with self._lock:
            self._filled.update(f.fragment_id for f in new if not counted[f.fragment_id])
        return _count_by_fragment(dataset, waiting, f"{_LACKS} AND {condition}").total()

    def present(self, dataset: Any) -> int:
        """Count the rows that have a vector, those of past texts included."""
        fragments = dataset.get_fragments()
        deleted = {f.fragment_id: f.metadata.num_deletions for f in fragments}
        with self._lock:
            for number in self._lacking.keys() - deleted.keys():
                del self._lacking[number]
            known = {
                number: lacking
                for number, (then, lacking) in self._lacking.items()
                if lacking == 0 or then == deleted[number]
            }
        new = [f for f in fragments if f.fragment_id not in known]
        counted = _count_by_fragment(dataset, new, _LACKS)
        found = {f.fragment_id: counted[f.fragment_id] for f in new}
        with self._lock:
            for number, lacking in found.items():
                self._lacking[number] = deleted[number], lacking
        return int(dataset.count_rows()) - sum(known.values()) - sum(found.values())


def _count_by_fragment(dataset: Any, fragments: Sequence[Any], condition: str) -> Counter[int]:
    if not fragments:
        return Counter()
    scanner = dataset.scanner(
        fragments=list(fragments), filter=condition, columns=[], with_row_id=True
    )
    return Counter(row >> _FRAGMENT_BITS for row in scanner.to_table()["_rowid"].to_pylist())
