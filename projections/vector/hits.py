"""One row of the vector view as a search gives it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from projections.vector.schema import ArrowTable, moment, row_vectors

_COLUMNS: Final = (
    "id",
    "layer",
    "source_id",
    "version",
    "content",
    "tokens",
    "speaker",
    "namespace",
    "agent_id",
    "session_id",
    "source",
    "category",
    "tags",
    "metadata_pairs",
    "observed_at",
    "recorded_at",
    "derived_from",
    "superseded",
    "position",
    "chunk_index",
    "chunk_of",
)


class Hit(Struct, frozen=True, kw_only=True):
    """One memory or episode that was found, with its best chunk.

    ``score``: for dense search the cosine similarity in [-1, 1]; for lexical search BM25 with the
    bonuses of `ranking`, ≥ 0 and comparable within one answer only.
    ``vector`` is float32[dimension] when asked for and filled; ``tokens`` are the row's own.
    ``complete``: found by words, and it holds every one of the query's. ``session_seq`` numbers the
    turns of a session (`turns`), None outside one and in a view that was built before there were
    numbers.
    """

    row_id: str
    source_id: str
    layer: str
    version: int
    content: str
    score: float
    namespace: str
    agent_id: str
    source: str
    recorded_at: datetime
    position: int
    chunk_index: int = 0
    chunk_of: int = 1
    speaker: str | None = None
    session_id: str | None = None
    session_seq: int | None = None
    category: str | None = None
    observed_at: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata_pairs: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    superseded: bool = False
    tokens: str = ""
    vector: NDArray[np.float32] | None = None
    complete: bool = False


def columns_of(table: Any) -> tuple[str, ...]:
    """Give the columns to ask for; one built before turns were numbered has no numbers."""
    numbered = ("session_seq",) if "session_seq" in table.schema.names else ()
    return (*_COLUMNS, *numbered)


def hits_of(found: ArrowTable, scores: Sequence[float]) -> list[Hit]:
    """Give the rows of an Arrow table as hits; it has the columns of `columns_of`."""
    vectors: Sequence[NDArray[np.float32] | None] = [None] * found.num_rows
    if "vector" in found.column_names:
        vectors = row_vectors(found)
        found = found.drop_columns(["vector"])
    return [
        _hit(row, score, vector)
        for row, score, vector in zip(found.to_pylist(), scores, vectors, strict=True)
    ]


def _hit(row: dict[str, Any], score: float, vector: NDArray[np.float32] | None) -> Hit:
    recorded_at = moment(row["recorded_at"])
    assert recorded_at is not None
    return Hit(
        row_id=row["id"],
        source_id=row["source_id"],
        layer=row["layer"],
        version=row["version"],
        content=row["content"],
        score=score,
        namespace=row["namespace"],
        agent_id=row["agent_id"],
        source=row["source"],
        recorded_at=recorded_at,
        position=row["position"],
        chunk_index=row["chunk_index"],
        chunk_of=row["chunk_of"],
        speaker=row["speaker"],
        session_id=row["session_id"],
        session_seq=row.get("session_seq"),
        category=row["category"],
        observed_at=moment(row["observed_at"]),
        tags=tuple(row["tags"] or ()),
        metadata_pairs=tuple(row["metadata_pairs"] or ()),
        derived_from=tuple(row["derived_from"] or ()),
        superseded=bool(row["superseded"]),
        tokens=row["tokens"],
        vector=vector,
    )
