"""One row of the vector view as a search gives it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import repeat
from typing import Any, Final, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from projections.vector import told
from projections.vector.schema import ArrowTable, moment, row_vectors
from projections.vector.search_filter import SearchFilter

_BEFORE_TOLD: Final = (
    "id",
    "layer",
    "source_id",
    "version",
    "content",
    "tokens",
    "speaker",
    "namespace",
    "session_id",
    "session_seq",
    "observed_at",
    "recorded_at",
    "chunk_index",
    "chunk_of",
    "derived_from",
)


class Hit(Struct, frozen=True, kw_only=True, gc=False):
    """One memory or episode that was found, with its best chunk.

    ``score``: for dense search the cosine similarity in [-1, 1]; for lexical search BM25 with the
    bonuses of `ranking`, ≥ 0 and comparable within one answer only.
    ``vector`` is float32[dimension] when asked for and filled; ``tokens`` are the row's own.
    ``agent_id``, ``source``, ``category``, ``tags`` and ``metadata_pairs`` are there where the
    filter looks at them, and empty otherwise. ``session_seq`` numbers the turns of a session
    (`turns`), None outside one and in a view that was built before there were numbers.
    ``derived_from`` are the episodes that a memory came from, the first of them first.

    Thousands are kept (`kept_rows`), and none can be part of a cycle: the collector of those need
    not look at them.
    """

    row_id: str
    source_id: str
    layer: str
    version: int
    content: str
    score: float
    namespace: str
    recorded_at: datetime
    chunk_index: int = 0
    chunk_of: int = 1
    speaker: str | None = None
    session_id: str | None = None
    session_seq: int | None = None
    agent_id: str = ""
    source: str = ""
    category: str | None = None
    observed_at: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata_pairs: tuple[str, ...] = ()
    tokens: str = ""
    derived_from: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = None

    @property
    def origin(self) -> str:
        """What it says was said in: of a memory the first of its episodes, else itself."""
        return self.derived_from[0] if self.derived_from else self.source_id


def columns_of(present: Collection[str], search: SearchFilter) -> list[str]:
    """Give the columns to ask for: those of every hit, and those that the filter looks at.

    A table of an older schema, which serves until the next generation is built, does not have what
    a row tells in one column, nor perhaps numbers of turns.
    """
    looked_at = {
        "agent_id": search.agents,
        "category": search.categories,
        "source": search.sources,
        "tags": search.tags,
        "metadata_pairs": search.metadata,
    }
    also = (name for name, values in looked_at.items() if values)
    of_every_hit = (told.COLUMN,) if told.COLUMN in present else _BEFORE_TOLD
    return [name for name in (*of_every_hit, *also) if name in present]


def hits_of(found: ArrowTable, scores: Sequence[float]) -> list[Hit]:
    """Give the rows of an Arrow table as hits; it has the columns of `columns_of`."""
    vectors: Sequence[NDArray[np.float32] | None] = [None] * found.num_rows
    if "vector" in found.column_names:
        vectors = row_vectors(found)
        found = found.drop_columns(["vector"])
    columns = {name: found.column(name).to_pylist() for name in found.column_names}
    for name in ("tags", "metadata_pairs", "derived_from"):
        if name in columns:
            columns[name] = [tuple(values or ()) for values in columns[name]]
    if told.COLUMN in columns:
        rows: Iterable[told.Told] = map(told.decode_told, columns.pop(told.COLUMN))
    else:
        columns["row_id"] = columns.pop("id")
        nothing = [None] * found.num_rows
        named = [columns.pop(name, nothing) for name in told.Told.__struct_fields__]
        rows = (told.Told(*values) for values in zip(*named, strict=True))
    also: Iterable[dict[str, Any]] = repeat({})
    if columns:
        also = (
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        )
    return [_hit(*one) for one in zip(rows, scores, vectors, also, strict=False)]


def _hit(
    row: told.Told, score: float, vector: NDArray[np.float32] | None, looked_at: dict[str, Any]
) -> Hit:
    return Hit(
        row_id=row.row_id,
        source_id=row.source_id,
        layer=row.layer,
        version=row.version,
        content=row.content,
        score=score,
        namespace=row.namespace,
        recorded_at=cast("datetime", moment(row.recorded_at)),
        chunk_index=row.chunk_index,
        chunk_of=row.chunk_of,
        speaker=row.speaker,
        session_id=row.session_id,
        session_seq=row.session_seq,
        observed_at=moment(row.observed_at),
        tokens=row.tokens,
        derived_from=row.derived_from,
        vector=vector,
        **looked_at,
    )
