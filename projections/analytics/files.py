"""Writing, reading and removing the view's Parquet files. Nothing here decides what is live."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet

from projections.analytics.manifest import DataFile, sync_folder
from projections.analytics.schema import SCHEMA, day_of

TAIL: Final = "tail"
DAYS: Final = "events"
_SUFFIX: Final = ".parquet"
_PARTIAL: Final = ".partial"
_parquet: Any = pyarrow.parquet  # it has no types


def by_day(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Split rows by the UTC date of their events, each part in the order of positions."""
    rows: dict[str, list[int]] = defaultdict(list)
    for number, moment in enumerate(table["occurred_at"].to_pylist()):
        rows[day_of(moment)].append(number)
    for day in sorted(rows):
        yield day, table.take(pa.array(rows[day], pa.int64())).sort_by("position")


def write_file(folder: Path, number: int, day: str, table: pa.Table) -> DataFile:
    """Write rows durably; ``day`` empty for the tail. The number is in the name, never used again.

    A name is taken by rename, so no file with the right suffix is ever half written, not even one
    that the manifest does not name: whoever reads by pattern must not stumble.
    """
    parent = f"{DAYS}/day={day}" if day else TAIL
    path = f"{parent}/{number:08d}{_SUFFIX}"
    (folder / parent).mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = folder / f"{path}{_PARTIAL}"
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        _parquet.write_table(table, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())
    partial.rename(folder / path)
    sync_folder(folder / parent)
    positions = table["position"].to_pylist()
    return DataFile(
        path=path,
        day=day,
        first=min(positions, default=0),
        last=max(positions, default=0),
        rows=table.num_rows,
        bytes=(folder / path).stat().st_size,
    )


def read_files(folder: Path, files: Iterable[DataFile]) -> pa.Table:
    """Read files whole, in the order of positions."""
    parts = [
        _parquet.read_table(folder / file.path, schema=SCHEMA, partitioning=None) for file in files
    ]
    return pa.concat_tables(parts).combine_chunks().sort_by("position")


def read_column(folder: Path, file: DataFile, name: str) -> pa.ChunkedArray:
    """Read one column of one file."""
    return _parquet.read_table(folder / file.path, columns=[name], partitioning=None)[name]


def are_whole(folder: Path, files: Iterable[DataFile]) -> bool:
    """Tell whether every file is there with the length it was written with."""
    for file in files:
        try:
            if (folder / file.path).stat().st_size != file.bytes:
                return False
        except FileNotFoundError:
            return False
    return True


def remove_all_but(folder: Path, kept: Set[str]) -> None:
    """Remove every data file, finished or not, whose relative path is not among ``kept``."""
    for part in (TAIL, DAYS):
        for file in sorted((folder / part).rglob("*")):
            if file.is_file() and file.relative_to(folder).as_posix() not in kept:
                file.unlink()


def remove(folder: Path, paths: Sequence[str]) -> None:
    """Remove files that may be gone already."""
    for path in paths:
        (folder / path).unlink(missing_ok=True)
