"""What of a model's vector cache was shipped to the archive, kept in the cache's own file.

``unshipped`` holds what is to be shipped, ``shipped`` in which file of the archive a text's vector
lies, ``files`` which files of the archive are known so, ``forgotten`` what is to be struck out of
them. Changed in one transaction with the vectors themselves, so a crash loses none of it. Needs
neither numpy nor Arrow: an idle lifecycle worker looks here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

_TABLES: Final = (
    "create table if not exists vectors"
    " (text_sha blob primary key, vector blob not null) without rowid",
    "create table if not exists model (name text not null, dimension integer not null)",
    "create table if not exists shipped"
    " (text_sha blob primary key, file integer not null) without rowid",
    "create table if not exists files (number integer primary key, sha256 text not null)",
    "create table if not exists forgotten (text_sha blob primary key) without rowid",
)
_SQL_VARIABLES: Final = 500


class Due(Struct, frozen=True):
    """How many vectors are to be shipped, and how many to be struck out of the archive."""

    unshipped: int
    forgotten: int


def open_cache_file(path: Path) -> sqlite3.Connection:
    """Open a cache's file, or make it. It is a cache, so it is not fsynced."""
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5.0)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = off")
    # What is forgotten must not stay in the file's free pages.
    connection.execute("pragma secure_delete = on")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what is done in the block, or nothing of it."""
    connection.execute("begin immediate")
    try:
        yield
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def prepare(connection: sqlite3.Connection, model: str, dimension: int) -> None:
    """Make the tables, and say whose vectors these are.

    What an older file holds is unshipped; what has another dimension goes.
    """
    with transaction(connection):
        for table in _TABLES:
            connection.execute(table)
        if not _has_table(connection, "unshipped"):
            connection.execute("create table unshipped (text_sha blob primary key) without rowid")
            connection.execute("insert into unshipped select text_sha from vectors")
        if _whose(connection) != (model, dimension):
            for table in ("unshipped", "vectors"):
                connection.execute(
                    f"delete from {table} where text_sha in"  # noqa: S608  # two names of ours
                    " (select text_sha from vectors where length(vector) <> ?)",
                    (4 * dimension,),
                )
            connection.execute("delete from model")
            connection.execute("insert into model values (?, ?)", (model, dimension))


def forget(connection: sqlite3.Connection, shas: Iterable[bytes]) -> None:
    """Delete vectors, and remember that they have to leave the archive too."""
    rows = [(sha,) for sha in shas]
    with transaction(connection):
        connection.executemany("delete from vectors where text_sha = ?", rows)
        if _has_table(connection, "unshipped"):
            connection.executemany("delete from unshipped where text_sha = ?", rows)
            connection.executemany("insert or ignore into forgotten values (?)", rows)
    # The log of changes holds the old pages until it is emptied; who reads just now delays that.
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()


class ShippingRecord:
    """A cache's file as whoever ships it sees it. Not for several threads at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = open_cache_file(path)

    @property
    def model(self) -> tuple[str, int] | None:
        """The model's name and dimension; None for a file that no present program has opened."""
        return _whose(self._connection) if _has_table(self._connection, "model") else None

    def due(self) -> Due:
        """Say what is to be done."""
        if self.model is None:
            return Due(0, 0)
        counted = [
            self._connection.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608  # two names of ours
            for table in ("unshipped", "forgotten")
        ]
        return Due(*counted)

    def unshipped(self, limit: int) -> list[tuple[bytes, bytes]]:
        """Give that many texts' SHA-256 and their vectors (little-endian float32)."""
        return self._connection.execute(
            "select text_sha, vector from unshipped join vectors using (text_sha) limit ?",
            (limit,),
        ).fetchall()

    def forgotten(self) -> list[bytes]:
        """Give the texts whose vectors must leave the archive."""
        return [sha for (sha,) in self._connection.execute("select text_sha from forgotten")]

    def files(self) -> dict[int, str]:
        """Give the archive's files that are known here: number → SHA-256."""
        return dict(self._connection.execute("select number, sha256 from files").fetchall())

    def files_with(self, shas: Sequence[bytes]) -> set[int]:
        """Give the numbers of the files in which any of these texts has a vector."""
        found: set[int] = set()
        for start in range(0, len(shas), _SQL_VARIABLES):
            part = shas[start : start + _SQL_VARIABLES]
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(
                f"select distinct file from shipped where text_sha in ({marks})",  # noqa: S608  # marks are question marks
                part,
            )
            found.update(number for (number,) in rows)
        return found

    def now_in(self, number: int, sha256: str, shas: Iterable[bytes]) -> None:
        """Note that these texts' vectors lie in that file of the archive."""
        rows = [(sha, number) for sha in shas]
        with transaction(self._connection):
            self._connection.execute("insert or replace into files values (?, ?)", (number, sha256))
            self._connection.executemany("insert or replace into shipped values (?, ?)", rows)
            self._connection.executemany(
                "delete from unshipped where text_sha = ?", ((sha,) for sha, _ in rows)
            )

    def gone(self, number: int) -> None:
        """Note that a file is not in the archive any more; what no other has is to be shipped."""
        with transaction(self._connection):
            self._connection.execute(
                "insert or ignore into unshipped"
                " select text_sha from shipped join vectors using (text_sha) where file = ?",
                (number,),
            )
            self._connection.execute("delete from shipped where file = ?", (number,))
            self._connection.execute("delete from files where number = ?", (number,))

    def struck(self, shas: Iterable[bytes]) -> None:
        """Note that the archive does not have these any more."""
        rows = [(sha,) for sha in shas]
        with transaction(self._connection):
            self._connection.executemany("delete from forgotten where text_sha = ?", rows)
            self._connection.executemany("delete from shipped where text_sha = ?", rows)
            # What was made again meanwhile is shipped again.
            self._connection.executemany(
                "insert or ignore into unshipped select text_sha from vectors where text_sha = ?",
                rows,
            )

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def cache_files(folder: Path) -> list[Path]:
    """Give the files of all models' caches in a folder."""
    return sorted(folder.glob("vectors-*.sqlite"))


def forget_in(folder: Path, shas: Iterable[bytes]) -> None:
    """Delete vectors from the caches of every model in a folder; the archive follows later."""
    wanted = list(shas)
    for path in cache_files(folder):
        with closing(open_cache_file(path)) as connection:
            forget(connection, wanted)


def due_in(folder: Path) -> Mapping[Path, Due]:
    """Say for each cache in a folder what is to be done; only those with anything."""
    found = {}
    for path in cache_files(folder):
        with closing(ShippingRecord(path)) as record:
            due = record.due()
        if due != Due(0, 0):
            found[path] = due
    return found


def _whose(connection: sqlite3.Connection) -> tuple[str, int] | None:
    found: tuple[str, int] | None = connection.execute(
        "select name, dimension from model"
    ).fetchone()
    return found


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    found = connection.execute(
        "select 1 from sqlite_master where type = 'table' and name = ?", (name,)
    )
    return found.fetchone() is not None
