"""The digest of a state view: every row of the tables that say what the log says."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from projections.digest import Frozen, RowSeen, ViewDigest, digest_of
from projections.state.schema import ERASED_SUBJECTS, FILE_NAME, TABLES


def digest_state(folder: Path, seen: RowSeen | None = None) -> ViewDigest:
    """Digest the generation in ``folder``, which may be written meanwhile.

    Raises `sqlite3.Error`.
    """
    with frozen_state(folder) as digest:
        return digest(seen)


@contextmanager
def frozen_state(folder: Path) -> Iterator[Frozen]:
    """Give what digests the generation in ``folder`` as it is now. Raises `sqlite3.Error`.

    For one thread. Until the block ends, SQLite keeps what is written in its log of changes.
    """
    uri = f"file:{quote(str((folder / FILE_NAME).absolute()))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        # The transaction begins with what is read first.
        connection.execute("SELECT count(*) FROM checkpoint").fetchone()
        yield lambda seen: digest_tables(connection, seen)


def digest_tables(connection: sqlite3.Connection, seen: RowSeen | None = None) -> ViewDigest:
    """Digest what a read transaction sees."""
    parked = [row[0] for row in connection.execute("SELECT position FROM parked")]
    found = connection.execute("SELECT position FROM checkpoint").fetchone()
    position = found[0] if found else 0
    digest = digest_of("state", position, _every_row(connection), parked, seen)
    counted = connection.execute(
        "SELECT value FROM meta WHERE name = ?", (ERASED_SUBJECTS,)
    ).fetchone()
    return replace(digest, erased=counted[0] if counted else 0)


def _every_row(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    for table in TABLES:
        found = connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # our names
        columns = [column[0] for column in found.description]
        for row in found:
            yield table, dict(zip(columns, row, strict=True))
