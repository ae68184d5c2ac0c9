"""The indices of a vector table: which there are, how they are made, how the vectors' is asked.

The vectors' is IVF_SQ: cells of about `ROWS_PER_CELL` rows, a byte for each number; the best found
are measured again with the full vectors. How many cells a question looks at follows from how many
rows may answer it, so that about as many of those are looked at whatever the filter; where only few
may, all of them are (measured: docs/decisions/0030).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from lance.indices import IndicesBuilder

from projections.vector.schema import SENTINEL_ID, TABLE, sql_text

VECTOR_INDEX: Final = "vector_idx"
TEXT_INDEX: Final = "tokens_idx"

ROWS_PER_CELL: Final = 1000
LOOKED_AT: Final = 20_000
"""How many of the rows that may answer are looked at, about."""

FEWEST_CELLS: Final = 20
SCANNED: Final = 2_000
SCANNED_SHARE: Final = 50
"""Where no more rows may answer, and no more than one of so many, all of them are measured without
the index: to look at every cell for them would cost more."""

_SAMPLES_PER_CELL: Final = 64
"""Vectors that the cells are found by: a quarter of the usual is enough, and fits in memory."""

_ROWS_OF_FIRST_PART: Final = 65_536
"""Enough to see between which numbers those of all vectors lie: by them each becomes a byte."""

_TREES: Final = ("id", "source_id", "session_id", "turn")
_BITMAPS: Final = ("namespace", "layer", "ended_by", "superseded")


def create_indices(dataset: Any) -> None:
    """Create the scalar and full-text indices of a Lance dataset: those that LanceDB makes."""
    for column in (*_TREES, *_BITMAPS):
        create_scalar_index(dataset, column)
    build_text_index(dataset)


def create_scalar_index(dataset: Any, column: str) -> None:
    """Create one of the scalar indices of a Lance dataset."""
    dataset.create_scalar_index(column, "BTREE" if column in _TREES else "BITMAP")


def missing_indices(dataset: Any) -> list[str]:
    """Give the columns of a Lance dataset that lack their scalar index: an older make had fewer."""
    present = {index.name for index in dataset.describe_indices()}
    return [
        column
        for column in (*_TREES, *_BITMAPS)
        if column in dataset.schema.names and f"{column}_idx" not in present
    ]


def build_text_index(dataset: Any) -> None:
    """Build the full-text index anew; its files keep the words of rows that are gone until then."""
    dataset.create_scalar_index(
        "tokens",
        "INVERTED",
        replace=True,
        base_tokenizer="whitespace",
        with_position=True,
        max_token_length=None,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )


def build_first_vector_index(dataset: Any) -> None:
    """Build the index of the vectors of a table that nobody reads yet.

    It is made of a first part of the rows; the others join it then, which keeps no more of them in
    memory at a time than a part has. `build_vector_index` takes all at once.
    """
    cells = max(1, dataset.count_rows() // ROWS_PER_CELL)
    made = IndicesBuilder(dataset, "vector").train_ivf(
        cells, distance_type="cosine", sample_rate=_SAMPLES_PER_CELL
    )
    fragments = _first_fragments(dataset)
    first = dataset.create_index_uncommitted(
        "vector",
        "IVF_SQ",
        name=VECTOR_INDEX,
        metric="cosine",
        num_partitions=cells,
        ivf_centroids=made.centroids,
        sample_rate=_SAMPLES_PER_CELL,
        fragment_ids=fragments,
    )
    dataset.commit_existing_index_segments(VECTOR_INDEX, "vector", [first])
    if len(fragments) == len(dataset.get_fragments()):
        return
    optimize = dataset.optimize.optimize_indices
    optimize(index_names=[VECTOR_INDEX], num_indices_to_merge=0)
    optimize(index_names=[VECTOR_INDEX], num_indices_to_merge=2)


def build_vector_index(folder: Path) -> None:
    """Build the index of the vectors anew, in the place of one that is there."""
    import lancedb
    from lancedb.index import IvfSq

    table = lancedb.connect(folder).open_table(TABLE)
    cells = max(1, table.count_rows() // ROWS_PER_CELL)
    table.create_index(
        "vector",
        config=IvfSq(distance_type="cosine", num_partitions=cells, sample_rate=_SAMPLES_PER_CELL),
        replace=True,
    )


def _first_fragments(dataset: Any) -> list[int]:
    first: list[int] = []
    rows = 0
    for fragment in dataset.get_fragments():
        first.append(fragment.fragment_id)
        # Not asked itself: that holds the interpreter's lock while Lance's threads wait for it.
        rows += dataset.scanner(
            fragments=[fragment], filter="vector IS NOT NULL", columns=[], with_row_id=True
        ).count_rows()
        if rows >= _ROWS_OF_FIRST_PART:
            break
    return first


def has_outgrown(dataset: Any, times: int) -> bool:
    """Tell whether the vectors' cells hold ``times`` as many rows as they were built for."""
    parts = dataset.stats.index_stats(VECTOR_INDEX)["indices"]
    cells = max(part["num_partitions"] for part in parts)
    return bool(dataset.count_rows() > times * ROWS_PER_CELL * cells)


def covers_every_answer(dataset: Any, index: str) -> bool:
    """Tell whether an index knows every row that can answer; False where there is no such index.

    After each commit the position row alone is in a fragment that no index knows yet, and it never
    answers. A search that looks into such a fragment too costs up to twice the processor time.
    """
    covered = {
        fragment
        for found in dataset.describe_indices()
        if found.name == index
        for part in found.segments
        for fragment in part.fragment_ids
    }
    left = [one for one in dataset.get_fragments() if one.fragment_id not in covered]
    rows = sum(one.metadata.num_rows for one in left)
    if not covered or rows > 1:
        return False
    position_row = f"id = {sql_text(SENTINEL_ID)}"
    return rows == 0 or bool(
        dataset.scanner(
            fragments=left, filter=position_row, columns=[], with_row_id=True
        ).count_rows()
    )


def cells_to_look_at(rows: int, matching: int) -> int | None:
    """Give how many cells to look at, in a table of ``rows``, of which ``matching`` may answer.

    None where there are so few that they are better scanned.
    """
    if matching <= min(SCANNED, rows // SCANNED_SHARE):
        return None
    return max(FEWEST_CELLS, -(-rows * LOOKED_AT // (ROWS_PER_CELL * matching)))
