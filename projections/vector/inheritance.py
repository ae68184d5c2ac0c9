"""What a new generation takes over from the live one: vectors that the cache has lost.

The cache may be deleted. As long as a generation of the same model is there, nothing has to be
embedded again for that, nor if the archive has its vectors (`segments.import_vectors`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import lance
import lancedb
import numpy as np

from projections.vector.cache import VectorCache
from projections.vector.schema import TABLE
from projections.vector.sentinel import read_sentinel

_ROWS_AT_ONCE: Final = 4096
_WITH_VECTOR: Final = "vector IS NOT NULL AND text_sha != ''"


def inherit_vectors(old: Path, cache: VectorCache) -> int:
    """Put the vectors of the generation in ``old`` into the cache that it lacks; tell how many.

    None are taken of another model. The vectors of one batch of rows are held in memory, no more.
    Raises the storage library's errors (ValueError, RuntimeError, OSError) and `sqlite3.Error`.
    """
    table = lancedb.connect(old).open_table(TABLE)
    if read_sentinel(table).model != f"{cache.model}/{cache.dimension}":
        return 0
    dataset = lance.dataset(str(old / f"{TABLE}.lance"), version=table.version)
    taken = 0
    for row_ids in _lacking(dataset, cache):
        rows = dataset._take_rows(row_ids, columns=["text_sha", "vector"])  # noqa: SLF001  # by row id there is no other way
        vectors = np.stack(rows["vector"].to_numpy(zero_copy_only=False)).astype(np.float32)
        taken += cache.take_back(dict(zip(rows["text_sha"].to_pylist(), vectors, strict=True)))
    return taken


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
