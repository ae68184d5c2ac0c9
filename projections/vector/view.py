"""What may be asked of the vector view: dense and lexical candidates under a filter.

Any number of processes and threads may read while the one writer writes. A reader sees every
commit at once. Each search looks at one version of the table: it asks an index for the rows, and
fetches of those that are worth it what a hit tells, so that nothing else is read.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from domain.errors import ViewBehind
from eventlog.subscription import Checkpoint
from projections.digest import ViewDigest
from projections.generation import current_generation
from projections.parking import ParkedEvent
from projections.presence import identity_of
from projections.vector.digest import digest_vector
from projections.vector.hits import Hit
from projections.vector.live_table import LiveTable
from projections.vector.reading import Near, Reading
from projections.vector.schema import TABLE
from projections.vector.search_filter import SearchFilter, where
from projections.vector.sentinel import Sentinel


class VectorView:
    """Reads the live generation under a view's directory. Thread-safe.

    A view that nobody has begun yet is empty, not an error. Damage to the files surfaces as the
    storage library's own errors (RuntimeError, ValueError, OSError): recall degrades on them.
    """

    def __init__(self, path: Path) -> None:
        """``path`` is the view's directory, ``views/vector``."""
        self._path = path
        self._table = LiveTable(path)

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come; searches after this see at least that much."""
        return self._sentinel().checkpoint

    def begun(self) -> bool:
        """Tell whether there is anything to search: not before it was begun, nor once removed."""
        return self._table.now() is not None

    def generation(self) -> str:
        """Name the live table's files; "" while there are none. Costs two looks at the file system.

        A view that was removed and begun anew has the number that it had, and another name.
        """
        generation = current_generation(self._path)
        identity = identity_of(self._path / str(generation) / f"{TABLE}.lance")
        return "" if identity is None else f"{generation} {identity}"

    def model(self) -> str | None:
        """Give the model of the vectors, as ``<embedder>/<dimension>``; None before it was begun.

        It is another than the present embedder's until the generation for that one is live.
        """
        opened = self._table.now()
        return None if opened is None else self._table.sentinel(opened).model

    def parked(self) -> int:
        """Give the number of events that the view could not show."""
        return len(self._sentinel().parked)

    def parked_events(self, first: int = 1, last: int | None = None) -> list[ParkedEvent]:
        """Give the parked events whose command wrote any of ``first`` to ``last``, by position."""
        wanted = (
            event
            for event in self._sentinel().parked
            if max(event.position, event.through) >= first
            and (last is None or event.position <= last)
        )
        return sorted(wanted, key=lambda event: event.position)

    def digest(self) -> ViewDigest:
        """Digest every row without its vector, at one position. Raises `ViewBehind`."""
        generation = current_generation(self._path)
        if generation is None or not self.begun():
            raise ViewBehind("the vector view is not built yet: start the projection worker")
        return digest_vector(self._path / str(generation))

    def vectors(self) -> int:
        """Count the rows that have their vector, those of past texts included."""
        opened = self._table.now()
        return 0 if opened is None else opened.vectors.present(opened.dataset)

    def missing_vectors(self, namespaces: frozenset[str] | None) -> int:
        """Count the open rows in those namespaces that still wait for their vector."""
        opened = self._table.now()
        scope = where(SearchFilter(namespaces=namespaces, layers=frozenset()))
        return 0 if opened is None else opened.vectors.waiting(opened.dataset, scope)

    def reading(self) -> Reading | None:
        """Give the newest version of the table to search in; None before the view was begun."""
        opened = self._table.now()
        return None if opened is None else Reading(opened)

    def dense(
        self,
        vector: NDArray[np.float32],
        search: SearchFilter,
        limit: int,
        *,
        with_vectors: bool = False,
    ) -> list[Hit]:
        """Give the nearest sources by cosine, best first, at most ``limit``.

        ``vector`` is float32[dimension], of length 1. Rows without a vector are not found here.
        """
        reading = self.reading()
        hits = [] if reading is None or limit < 1 else reading.dense(vector, search, limit)
        return hits if with_vectors else [replace(hit, vector=None) for hit in hits]

    def dense_of_many(
        self, vectors: NDArray[np.float32], search: SearchFilter, limit: int
    ) -> list[list[Near]]:
        """Give for each vector the nearest rows by cosine, best first, at most ``limit``.

        ``vectors`` is float32[n, dimension]. One look at the table for all of them costs a fraction
        of n looks. For rows of which a source has one, as memories do.
        """
        reading = self.reading()
        if reading is None or limit < 1 or not len(vectors):
            return [[] for _ in vectors]
        return reading.dense_of_many(vectors, search, limit)

    def lexical(
        self,
        query_text: str,
        search: SearchFilter,
        limit: int,
        *,
        with_vectors: bool = False,
    ) -> list[Hit]:
        """Give the sources that share terms with the query, best first, at most ``limit``."""
        reading = self.reading()
        if reading is None or limit < 1:
            return []
        hits = reading.lexical(query_text, search, limit)
        return hits if with_vectors else [replace(hit, vector=None) for hit in hits]

    def at_turns(
        self,
        turns: Collection[str],
        chunks: Collection[str],
        search: SearchFilter,
        episodes: Collection[str] = (),
    ) -> list[Hit]:
        """Give what was said at these turns of sessions, with vectors, in no order, scores all 0.

        ``turns`` are keys of `turns.turn_key`, ``chunks`` ids of rows and ``episodes`` ids of
        episodes wanted besides. Of an episode
        in many chunks come the two first and the two last, and those in ``chunks``. Only the
        scope and the position of ``search`` are applied; what is superseded now is left out.
        """
        reading = self.reading()
        return [] if reading is None else reading.at_turns(turns, chunks, search, episodes)

    def _sentinel(self) -> Sentinel:
        opened = self._table.now()
        return Sentinel() if opened is None else self._table.sentinel(opened)
