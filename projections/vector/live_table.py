"""The live generation's table as readers hold it: always its newest version, opened once.

Readers use Lance itself, not a LanceDB connection: a question costs them half the processor time,
and what they look at is one version, so that rows found in it can be fetched from it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import lance
from msgspec import Struct

from projections.generation import current_generation
from projections.presence import identity_of
from projections.vector.indices import covers_every_answer
from projections.vector.kept_rows import KeptRows
from projections.vector.schema import TABLE
from projections.vector.sentinel import Sentinel, sentinel_in
from projections.vector.vector_counts import VectorCounts

INDEX_CACHE_BYTES: Final = 1 << 30
"""What a process keeps of the indices: those of a million rows fit."""

METADATA_CACHE_BYTES: Final = 128 << 20

_VERSIONS: Final = "_versions"
"""Lance's folder of manifests, one for each version: it finds the newest by all their names."""

_SETTLED_NS: Final = 50_000_000
"""File systems tell times by the tick, some milliseconds: what happened to a folder within so many
of a look at it may not change the time that it shows."""

_COUNTS_KEPT: Final = 256


class Opened(Struct, frozen=True):
    """One version of a table. ``dataset`` is Lance's, ``columns`` the names of its columns.

    ``rows`` counts all of them, those of the past too. What `matching` counted is kept in
    ``counted``, what `covered_by` found in ``covered``. ``kept`` are rows of this and other
    versions, as ``vectors`` counts in all of them.
    """

    dataset: Any
    version: int
    columns: frozenset[str]
    rows: int
    kept: KeptRows
    vectors: VectorCounts
    counted: dict[str, int]
    covered: dict[str, bool]

    def covered_by(self, index: str) -> bool:
        """Tell what `indices.covers_every_answer` tells, looked up once."""
        known = self.covered.get(index)
        if known is None:
            known = self.covered[index] = covers_every_answer(self.dataset, index)
        return known

    def matching(self, condition: str) -> int:
        """Count the rows that a condition holds for."""
        known = self.counted.get(condition)
        if known is None:
            known = int(self.dataset.count_rows(condition))
            if len(self.counted) >= _COUNTS_KEPT:
                self.counted.clear()
            self.counted[condition] = known
        return known


class LiveTable:
    """Opens what is live under a view's directory. Thread-safe."""

    def __init__(self, path: Path, clock: Callable[[], int] = time.time_ns) -> None:
        """``path`` is the view's directory, ``views/vector``; ``clock`` gives the file system's
        time in nanoseconds."""
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._found: object = None
        self._looked_at: int | None = None
        self._opened: Opened | None = None
        self._sentinel: tuple[Opened, Sentinel] | None = None

    def now(self) -> Opened | None:
        """Give the newest version of the live generation's table, or None while there is none."""
        generation = current_generation(self._path)
        if generation is None:
            return None
        place = self._path / str(generation) / f"{TABLE}.lance"
        # Not the number alone: a view that was removed may have begun anew with the same one.
        found = generation, identity_of(place)
        with self._lock:
            if self._opened is None or self._found != found:
                if not place.is_dir():
                    return None
                self._opened = _opened(
                    lance.dataset(
                        str(place),
                        index_cache_size_bytes=INDEX_CACHE_BYTES,
                        metadata_cache_size_bytes=METADATA_CACHE_BYTES,
                    ),
                    KeptRows(),
                    VectorCounts(),
                )
                self._found = found
                self._looked_at = None
            self._opened = self._newest(self._opened, place / _VERSIONS)
            return self._opened

    def _newest(self, opened: Opened, versions: Path) -> Opened:
        """Give the newest version of a table, which is the one that is open while its folder of
        versions shows the time that it showed when they were looked through."""
        changed_at = _changed_at(versions)
        if changed_at is not None and changed_at == self._looked_at:
            return opened
        now = self._clock()
        newest = opened.dataset.latest_version
        if newest != opened.version:
            dataset = opened.dataset.checkout_version(newest)
            opened = _opened(dataset, opened.kept, opened.vectors)
        # Only now: where the newest cannot be opened, the next look tries again.
        settled = changed_at is not None and changed_at < now - _SETTLED_NS
        self._looked_at = changed_at if settled else None
        return opened

    def sentinel(self, opened: Opened) -> Sentinel:
        """Give what that version's position row says; read once. Raises `ViewDamaged`.

        If there was an erasure since the last one read, no kept row stays.
        """
        with self._lock:
            known = self._sentinel
        if known is not None and known[0] is opened:
            return known[1]
        read = sentinel_in(opened.dataset)
        if known is None or known[1].erased != read.erased:
            opened.kept.forget(opened.version)
        with self._lock:
            self._sentinel = opened, read
        return read


def _changed_at(folder: Path) -> int | None:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return None  # whoever reads the table is told what is wrong


def _opened(dataset: Any, kept: KeptRows, vectors: VectorCounts) -> Opened:
    return Opened(
        dataset,
        dataset.version,
        frozenset(dataset.schema.names),
        dataset.count_rows(),
        kept,
        vectors,
        {},
        {},
    )
