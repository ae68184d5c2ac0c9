"""What a new generation takes over from the live one: vectors that the cache has lost.

The cache may be deleted. As long as a generation of the same model is there, nothing has to be
embedded again for that, nor if the archive has its vectors (`segments.import_vectors`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import lance
import numpy as np

from projections.vector.cache import VectorCache
from projections.vector.schema import TABLE, sql_list
from projections.vector.sentinel import sentinel_in

_ROWS_AT_ONCE: Final = 4096
_WITH_VECTOR: Final = "vector IS NOT NULL AND text_sha != ''"


def inherit_vectors(old: Path, cache: VectorCache) -> int:
    """Put the vectors of the generation in ``old`` into the cache that it lacks; tell how many.

    None are taken of another model, and none stays of a text that was erased meanwhile. The vectors
    of one batch of rows are held in memory, no more; of what was taken, 64 characters a text.
    Raises the storage library's errors (ValueError, RuntimeError, OSError) and `sqlite3.Error`.
    """
    dataset = lance.dataset(str(old / f"{TABLE}.lance"))
    if sentinel_in(dataset).model != f"{cache.model}/{cache.dimension}":
        return 0
    taken: set[str] = set()
    for row_ids in _lacking(dataset, cache):
        rows = dataset._take_rows(row_ids, columns=["text_sha", "vector"])  # noqa: SLF001  # by row id there is no other way
        vectors = np.stack(rows["vector"].to_numpy(zero_copy_only=False)).astype(np.float32)
        found = dict(zip(rows["text_sha"].to_pylist(), vectors, strict=True))
        cache.take_back(found)
        taken |= found.keys()
    # The rows were read as they were at one moment, and their writer may have erased some since:
    # what it then forgot may be out of the archive, and the cache not know any more that it was.
    left = taken - _present(old, taken)
    cache.forget(left)
    return len(cache.known(taken - left))


def _lacking(dataset: Any, cache: VectorCache) -> Iterator[Sequence[int]]:
    """Give, batch by batch, the ids of rows whose vectors the cache does not have."""
    scanner = dataset.scanner(
        columns=["text_sha"], filter=_WITH_VECTOR, with_row_id=True, batch_size=_ROWS_AT_ONCE
    )
    for batch in scanner.to_batches():
        wanted = dict(zip(batch["text_sha"].to_pylist(), batch["_rowid"].to_pylist(), strict=True))
        lacking = [wanted[sha] for sha in wanted.keys() - cache.known(wanted)]
        if lacking:
            yield sorted(lacking)


def _present(old: Path, shas: Iterable[str]) -> set[str]:
    """Tell which of these texts a row of the generation has now."""
    dataset = lance.dataset(str(old / f"{TABLE}.lance"))
    wanted, present = sorted(shas), set[str]()
    for start in range(0, len(wanted), _ROWS_AT_ONCE):
        chosen = f"text_sha IN ({sql_list(wanted[start : start + _ROWS_AT_ONCE])})"
        rows = dataset.to_table(filter=chosen, columns=["text_sha"])
        present.update(rows["text_sha"].to_pylist())
    return present
