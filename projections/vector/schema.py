"""The rows of the vector view: one per stretch of life of a version, or of an episode's chunk.

A row lives in ``[from_position, to_position)``; an open one has no ``to_position``. Times are
microseconds since 1970 (int64, UTC). ``event_pos`` is the position of the event that last changed
the row, and rises with every change. The sentinel row carries the checkpoint in the same commit
as the rows it speaks of; it is never open, so no search finds it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from projections.vector import told

SCHEMA_VERSION: Final = 3
PROJECTOR_VERSION: Final = 1
"""Raise it when the same events shall give other rows or tokens: then the view is built anew."""

TABLE: Final = "rows"
SENTINEL_ID: Final = "__position__"
ArrowTable: TypeAlias = Any
"""A ``pyarrow.Table``; the library has no types that mypy can follow."""

_SYSTEM: Final = "__sys__"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Row(Struct, frozen=True, kw_only=True):
    """One searchable row.

    ``layer`` is ``memory`` or ``episode``; ``source_id`` the memory's or episode's id; ``version``
    the memory's version (1 for episodes). ``tokens`` is what `lexical.document_tokens` gave,
    joined by spaces. ``text_sha`` names the vector of the row's embedded text in the cache.
    ``vector`` is float32[dimension] of length 1, or None until it is filled.

    ``derived_from`` holds the episodes that a memory came from or was reinforced by.
    ``changed_memories`` holds, for an episode, which of its memories do not say any more what it
    says (``corrected:<id>``, ``gone:<id>``); ``superseded`` is true when there is one.
    ``ended_by`` is empty while the row is open; else the type of the event that closed it, or what
    `fold` says of a candidate and of what was distilled anew.
    ``session_seq`` and ``turn`` say where an episode stands in its session (`turns`); both are None
    for a memory and outside a session.
    """

    id: str
    layer: str
    source_id: str
    content: str
    namespace: str
    agent_id: str
    source: str
    recorded_at: int
    from_position: int
    position: int
    event_pos: int
    version: int = 1
    chunk_index: int = 0
    chunk_of: int = 1
    speaker: str | None = None
    session_id: str | None = None
    session_seq: int | None = None
    turn: str | None = None
    category: str | None = None
    observed_at: int | None = None
    to_position: int | None = None
    ended_by: str = ""
    tokens: str = ""
    text_sha: str = ""
    tags: tuple[str, ...] = ()
    metadata_pairs: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    changed_memories: tuple[str, ...] = ()
    superseded: bool = False
    vector: NDArray[np.float32] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the row is part of the present."""
        return self.to_position is None


_LISTS: Final = ("tags", "metadata_pairs", "derived_from", "changed_memories")
_INTEGERS: Final = (
    "recorded_at",
    "from_position",
    "position",
    "event_pos",
    "version",
    "chunk_index",
    "chunk_of",
    "session_seq",
    "observed_at",
    "to_position",
)


def arrow_schema(dimension: int) -> Any:
    """Give the table's schema for vectors of that length."""
    fields = []
    for name in Row.__struct_fields__:
        if name == "vector":
            kind = pa.list_(pa.float32(), dimension)
        elif name == "superseded":
            kind = pa.bool_()
        elif name in _LISTS:
            kind = pa.list_(pa.string())
        elif name in _INTEGERS:
            kind = pa.int64()
        else:
            kind = pa.string()
        fields.append(pa.field(name, kind))
    fields.append(pa.field(told.COLUMN, pa.binary()))
    return pa.schema(fields)


def to_arrow(rows: Sequence[Row], dimension: int) -> ArrowTable:
    """Give the rows as one Arrow table of `arrow_schema`."""
    schema = arrow_schema(dimension)
    columns = [
        _vectors([row.vector for row in rows], dimension)
        if field.name == "vector"
        else pa.array([_told(row) for row in rows], type=field.type)
        if field.name == told.COLUMN
        else pa.array([getattr(row, field.name) for row in rows], type=field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def from_arrow(table: ArrowTable) -> list[Row]:
    """Give back the rows of an Arrow table that has every column of the schema."""
    vectors = row_vectors(table)
    own = [name for name in Row.__struct_fields__ if name != "vector"]
    plain: list[dict[str, Any]] = table.select(own).to_pylist()
    rows = []
    for fields, vector in zip(plain, vectors, strict=True):
        for name in _LISTS:
            fields[name] = tuple(fields[name] or ())
        rows.append(Row(**fields, vector=vector))
    return rows


def vector_grid(table: ArrowTable) -> NDArray[np.float32]:
    """Give the ``vector`` column of rows that all have one: float32[rows, dimension]."""
    column = table.column("vector")
    values: NDArray[np.float32] = column.combine_chunks().flatten().to_numpy()
    return values.reshape(table.num_rows, column.type.list_size)


def row_vectors(table: ArrowTable) -> list[NDArray[np.float32] | None]:
    """Give the ``vector`` column of an Arrow table: float32[dimension] or None for each row."""
    column = table.column("vector").combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else None
    if column is None or not len(column):
        return [None] * table.num_rows
    dimension = column.type.list_size
    values = column.values.to_numpy(zero_copy_only=False)
    flat = values[column.offset * dimension : (column.offset + len(column)) * dimension]
    grid = flat.reshape(len(column), dimension).astype(np.float32, copy=False)
    present = column.is_valid().to_numpy(zero_copy_only=False)
    return [grid[i].copy() if present[i] else None for i in range(len(column))]


def sentinel(content: str, sequence: int) -> Row:
    """Give the row that carries the checkpoint; ``sequence`` rises with every commit."""
    return Row(
        id=SENTINEL_ID,
        layer=_SYSTEM,
        source_id=SENTINEL_ID,
        content=content,
        namespace=_SYSTEM,
        agent_id="",
        source="",
        recorded_at=0,
        from_position=0,
        to_position=0,
        position=0,
        event_pos=sequence,
        ended_by=_SYSTEM,
    )


def embedded_text(speaker: str | None, content: str) -> str:
    """Give the text that stands for a row in both searches: who said it, and what."""
    return f"{speaker}: {content}" if speaker else content


def text_sha(text: str) -> str:
    """Give the SHA-256 (hex) under which a text's vector is cached."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def metadata_pair(key: str, value: Any) -> str:
    """Give the one spelling of ``key`` having ``value``, whatever the value's key order."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (
        f"{msgspec.json.encode(key).decode()}={msgspec.json.encode(value, order='sorted').decode()}"
    )


def microseconds(moment: datetime | None) -> int | None:
    """Give a moment as whole microseconds since 1970; a naive one is taken as UTC."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def moment(value: int | None) -> datetime | None:
    """Give back the aware UTC datetime of `microseconds`."""
    return None if value is None else _EPOCH + timedelta(microseconds=value)


def sql_text(value: str) -> str:
    """Give a string as an SQL literal: the only way a value enters a filter."""
    return "'" + value.replace("'", "''") + "'"


def sql_list(values: Iterable[str]) -> str:
    """Give strings as a comma-separated list of SQL literals, sorted."""
    return ", ".join(sql_text(value) for value in sorted(values))


def _told(row: Row) -> bytes | None:
    if row.id == SENTINEL_ID:
        return None
    return told.encode_told(
        told.Told(
            row_id=row.id,
            layer=row.layer,
            source_id=row.source_id,
            version=row.version,
            content=row.content,
            tokens=row.tokens,
            speaker=row.speaker,
            namespace=row.namespace,
            session_id=row.session_id,
            session_seq=row.session_seq,
            observed_at=row.observed_at,
            recorded_at=row.recorded_at,
            chunk_index=row.chunk_index,
            chunk_of=row.chunk_of,
            derived_from=row.derived_from,
        )
    )


def _vectors(vectors: Sequence[NDArray[np.float32] | None], dimension: int) -> Any:
    flat = np.zeros((len(vectors), dimension), dtype=np.float32)
    missing = np.zeros(len(vectors), dtype=bool)
    for index, vector in enumerate(vectors):
        if vector is None:
            missing[index] = True
        else:
            flat[index] = vector
    return pa.FixedSizeListArray.from_arrays(
        pa.array(flat.reshape(-1)), dimension, mask=pa.array(missing)
    )
