"""Writes the table of a generation from its staged rows: once, in order, in bounded memory.

It is written and indexed in a folder beside its place and then renamed, so a kill at any moment
leaves a whole table or none; what is left beside is begun anew.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import lance
import pyarrow as pa
from msgspec import Struct

from projections.generation import sync_tree
from projections.heap import give_back_freed
from projections.vector.cache import VectorCache
from projections.vector.compaction import ROWS_PER_FRAGMENT
from projections.vector.indices import build_first_vector_index, create_indices
from projections.vector.maintenance import VECTOR_INDEX_FROM
from projections.vector.projector import with_vectors
from projections.vector.schema import TABLE, arrow_schema, to_arrow
from projections.vector.sentinel import Sentinel, sentinel_row
from projections.vector.staging import Staging
from projections.vector.storage_errors import told_as_os_errors

_FRAGMENTS: Final = 32
_MOST_ROWS: Final = 32_768

UNFINISHED: Final = "unfinished"
"""The folder, within a generation's, where the table is until it is whole."""


class _Stopped(Exception):
    """Whoever asked for the table has to stop."""


class Written(Struct):
    """What went into a table: rows, and how many of them have a vector."""

    rows: int = 0
    vectors: int = 0


def has_table(folder: Path) -> bool:
    """Tell whether a generation has its table."""
    return (folder / f"{TABLE}.lance").exists()


@told_as_os_errors()
def write_table(
    folder: Path,
    staging: Staging,
    sentinel: Sentinel,
    cache: VectorCache,
    stopped: Callable[[], bool],
) -> bool:
    """Write the staged rows with the vectors that the cache has; False if ``stopped`` said so.

    No more rows are held in memory than the smallest fragment has. Raises storage errors.
    """
    beside = folder / UNFINISHED
    shutil.rmtree(beside, ignore_errors=True)
    try:
        _write(beside, staging, sentinel, cache, stopped)
        sync_tree(beside)
        (beside / f"{TABLE}.lance").rename(folder / f"{TABLE}.lance")
    except _Stopped:
        return False
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return True


def rows_per_fragment(rows: int) -> int:
    """Give how many rows of a table a fragment is to hold.

    A question plans over every fragment, so a large table has larger ones; upkeep rewrites one at a
    time, while the writer waits, so there is a limit.
    """
    return max(ROWS_PER_FRAGMENT, min(_MOST_ROWS, rows // _FRAGMENTS))


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process left of a table that was not whole."""
    shutil.rmtree(folder / UNFINISHED, ignore_errors=True)


def _write(
    folder: Path,
    staging: Staging,
    sentinel: Sentinel,
    cache: VectorCache,
    stopped: Callable[[], bool],
) -> None:
    def go_on() -> None:
        if stopped():
            raise _Stopped

    schema, written = arrow_schema(cache.dimension), Written()
    batches = _batches(staging, sentinel, cache, written, stopped)
    dataset = lance.write_dataset(
        pa.RecordBatchReader.from_batches(schema, batches),
        str(folder / f"{TABLE}.lance"),
        max_rows_per_file=rows_per_fragment(staging.count()),
    )
    go_on()
    index_table(dataset, written.vectors, go_on)


def index_table(dataset: Any, vectors: int, go_on: Callable[[], None]) -> None:
    """Make every index of a table that was just written. ``go_on`` may raise between them.

    The vectors' first: it takes most memory while it is made, and gives it back, as does what was
    taken to write the table.
    """
    give_back_freed()
    if vectors >= VECTOR_INDEX_FROM:
        build_first_vector_index(dataset)
        give_back_freed()
    go_on()
    create_indices(dataset)
    go_on()


def _batches(
    staging: Staging,
    sentinel: Sentinel,
    cache: VectorCache,
    written: Written,
    stopped: Callable[[], bool],
) -> Iterator[Any]:
    """Give Arrow batches; the sentinel comes first. They end early when ``stopped`` says so."""
    yield from to_arrow([sentinel_row(sentinel)], cache.dimension).to_batches()
    for rows in staging.batches(ROWS_PER_FRAGMENT):
        if stopped():
            return
        filled = with_vectors(rows, cache)
        written.rows += len(filled)
        written.vectors += sum(row.vector is not None for row in filled)
        yield from to_arrow(filled, cache.dimension).to_batches()
