"""Rows that questions looked at lately: the next questions need not read them again.

A row is never changed in its place. Whoever changes it writes another one, and a place that was
given up is not used again while the table lives. So what lies at a place is the same in every
version of the table that has it, and only which places answer has to be asked anew.

A row that is read by itself costs 40 µs of processor time, one of thousands that lie together 8. So
a table that fits in here is read ahead, a part whenever a question misses many rows, until all of
it is here (measured: docs/decisions/0046).
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from projections.vector.hits import Hit

KEPT_BYTES: Final = 64 << 20
"""About twenty thousand short rows with vectors of 384 numbers."""

_READ_AHEAD: Final = 2_000
_FEWEST: Final = 50
"""Fewer rows that lie together take as long to read as one by one."""

_BYTES_BESIDE: Final = 1000
"""What a row takes beside its text, tokens and vector."""

_Key = tuple[int, int]
"""The number of a choice of columns, and a place."""


class Part(Struct, frozen=True):
    """Rows of a fragment that lie together: so many, from the first on."""

    fragment: int
    first: int
    count: int


class KeptRows:
    """Rows of one table by place, the last used up to ``most_bytes``, about. Thread-safe."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._rows: OrderedDict[_Key, Hit] = OrderedDict()
        self._choices: dict[tuple[str, ...], int] = {}
        self._bytes = 0
        self._from_version = 0
        self._read: dict[int, int] = {}

    def find(self, columns: tuple[str, ...], places: Iterable[int]) -> dict[int, Hit]:
        """Give those of the rows that are kept with these columns; the others are left out."""
        with self._lock:
            choice, rows = self._choice(columns), self._rows
            found = {
                place: hit for place in places if (hit := rows.get((choice, place))) is not None
            }
            if self._bytes > self._most_bytes // 2:  # before that nothing is let go soon
                for place in found:
                    rows.move_to_end((choice, place))
        return found

    def keep(self, columns: tuple[str, ...], rows: Mapping[int, Hit], version: int) -> None:
        """Keep rows that were read in that version of the table."""
        with self._lock:
            if version < self._from_version:
                return
            choice = self._choice(columns)
            for place, hit in rows.items():
                before = self._rows.pop((choice, place), None)
                self._bytes += _bytes_of(hit) - (0 if before is None else _bytes_of(before))
                self._rows[choice, place] = hit
            while self._bytes > self._most_bytes:
                self._bytes -= _bytes_of(self._rows.popitem(last=False)[1])

    def has_room_for(self, rows: int) -> bool:
        """Tell whether so many rows fit in here, if they are as long as those that are."""
        with self._lock:
            return rows * self._bytes <= self._most_bytes * len(self._rows)

    def next_part(self, sizes: Mapping[int, int]) -> Part | None:
        """Give what of a table to read ahead, to nobody twice; None where all that is worth it was.

        ``sizes`` are the numbers of rows of its fragments. Of a fragment that lost rows since a
        part of it was read, some may never be: they are read when they are asked for.
        """
        with self._lock:
            for fragment, rows in sizes.items():
                first = self._read.get(fragment, 0)
                if rows - first >= _FEWEST:
                    self._read[fragment] = first + _READ_AHEAD
                    return Part(fragment, first, min(_READ_AHEAD, rows - first))
        return None

    def forget(self, version: int) -> None:
        """Let go of everything, and keep nothing more that was read before that version.

        For erasures: what was erased is in no place of ``version``, and must not be kept either.
        """
        with self._lock:
            self._rows.clear()
            self._read.clear()
            self._bytes = 0
            self._from_version = max(self._from_version, version)

    def _choice(self, columns: tuple[str, ...]) -> int:
        return self._choices.setdefault(columns, len(self._choices))

    def __len__(self) -> int:
        """Count the rows that are kept."""
        with self._lock:
            return len(self._rows)


def _bytes_of(hit: Hit) -> int:
    vector = 0 if hit.vector is None else hit.vector.nbytes
    return _BYTES_BESIDE + sys.getsizeof(hit.content) + sys.getsizeof(hit.tokens) + vector
