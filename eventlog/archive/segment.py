"""One segment: a stretch of the log as a Parquet file, every field as it was stored.

A column for each field of an entry, the bodies still sealed, compressed with zstd. What somebody
else put into the stream keeps its names and values in ``stored``. The same entries give the same
bytes, so a segment that was written before a crash is simply written again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from eventlog.entry import RawEntry

# Without types, as the library has none that mypy can follow.
_compute: Any = pyarrow.compute
_parquet: Any = pyarrow.parquet

ROWS_PER_GROUP: Final = 5_000
"""What is decoded at once; a reader holds one group of rows, not the whole segment."""

_TEXTS: Final = frozenset(
    {
        "event_id",
        "aggregate_type",
        "aggregate_id",
        "type",
        "command_id",
        "fingerprint",
        "actor",
        "correlation_id",
    }
)
_REPEATED: Final = ["aggregate_type", "aggregate_id", "type", "command_id", "fingerprint", "actor"]
_PLAIN: Final = RawEntry.__struct_fields__[:-2]
"""The fields of a well-formed entry, in the order in which `RawEntry` takes them."""


def _type_of(field: str) -> Any:
    if field == "stored":
        return pa.list_(pa.binary())
    if field == "body":
        return pa.binary()
    return pa.string() if field in _TEXTS or field == "malformed" else pa.int64()


SCHEMA: Final = pa.schema([(name, _type_of(name)) for name in RawEntry.__struct_fields__])


def encode_segment(entries: Sequence[RawEntry]) -> bytes:
    """Give the file of a segment with these entries, which follow one another."""
    columns = [
        pa.array([getattr(entry, name) or None for entry in entries], type=_type_of(name))
        if name in ("malformed", "stored")
        else pa.array([getattr(entry, name) for entry in entries], type=_type_of(name))
        for name in RawEntry.__struct_fields__
    ]
    sink = pa.BufferOutputStream()
    _parquet.write_table(
        pa.Table.from_arrays(columns, schema=SCHEMA),
        sink,
        compression="zstd",
        row_group_size=ROWS_PER_GROUP,
        use_dictionary=_REPEATED,
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


class Segment:
    """A segment's file, opened. Gives entries by position; not for several threads at once.

    Raises what pyarrow raises for a file that is no segment (ValueError, OSError).
    """

    def __init__(self, first: int, data: bytes) -> None:
        self._first = first
        self._file = _parquet.ParquetFile(pa.BufferReader(data))
        self._group: tuple[int, list[RawEntry]] = (-1, [])

    @property
    def count(self) -> int:
        """How many entries it holds."""
        return int(self._file.metadata.num_rows)

    def read(self, first: int, last: int) -> list[RawEntry]:
        """Give the entries at positions ``first`` to ``last``, as far as the segment has them."""
        found: list[RawEntry] = []
        position = first
        while position <= last and position < self._first + self.count:
            number, offset = divmod(position - self._first, ROWS_PER_GROUP)
            rows = self._rows(number)[offset : offset + last - position + 1]
            found += rows
            position += len(rows)
        return found

    def of_aggregate(self, aggregate_id: str) -> list[RawEntry]:
        """Give an aggregate's entries, by position. Only its column is decoded for the search."""
        found: list[RawEntry] = []
        for number in range(self._file.num_row_groups):
            column = self._file.read_row_group(number, columns=["aggregate_id"]).column(0)
            hits = _compute.indices_nonzero(_compute.equal(column, aggregate_id)).to_pylist()
            if hits:
                rows = self._rows(number)
                found += [rows[row] for row in hits]
        return found

    def _rows(self, number: int) -> list[RawEntry]:
        if self._group[0] != number:
            self._group = (number, _entries(self._file.read_row_group(number)))
        return self._group[1]


def _entries(table: Any) -> list[RawEntry]:
    columns = [table.column(name).to_pylist() for name in _PLAIN]
    entries = list(map(RawEntry, *columns))
    malformed = table.column("malformed")
    if malformed.null_count < table.num_rows:
        stored = table.column("stored").to_pylist()
        for row, reason in enumerate(malformed.to_pylist()):
            if reason:
                fields = {name: getattr(entries[row], name) for name in _PLAIN}
                entries[row] = RawEntry(**fields, malformed=reason, stored=tuple(stored[row] or ()))
    return entries
