"""The rows of a generation that is being built, before there is a table: one SQLite file.

Nobody searches such a generation, so its rows need neither vectors nor Lance's versions of them;
what they need is to be found by memory, episode and session, and to be changed in place. Rows,
checkpoint and parked list are committed together. The file goes when the table is written, and
until then it is what a killed build goes on from.

A row's key is the position where its stretch of life begins and its chunk's number: no two share
it, and new rows are always the last of the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.namespaces import is_ephemeral
from projections.vector.schema import Row
from projections.vector.sentinel import Sentinel
from projections.vector.shipping import transaction
from projections.vector.turns import Numbers, Session
from projections.vector.working_rows import CLOSED_WITH_SESSION

FILE_NAME: Final = "staging.sqlite"

_CHUNKS: Final = 1 << 16
_SQL_VARIABLES: Final = 500
_CACHE_KB: Final = 32_768
_PAGES_BEFORE_CHECKPOINT: Final = 4_000
_TABLES: Final = (
    "create table if not exists rows"
    " (key integer primary key, source text not null, session text, closing text,"
    " row blob not null)",
    "create index if not exists by_source on rows (source)",
    "create index if not exists by_session on rows (session) where session is not null",
    "create index if not exists by_closing on rows (closing) where closing is not null",
    "create table if not exists sentinel (number integer primary key check (number = 1), content)",
    "create table if not exists dropped (text_sha text primary key, removed integer) without rowid",
)

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Row).decode


class Dropped(Struct, frozen=True):
    """The ``text_sha`` of texts that no row has any more; ``removed`` ones were erased."""

    changed: frozenset[str]
    removed: frozenset[str]


class Staging:
    """The staged rows in a folder, for one thread (a `projections.vector.step.RowStore`)."""

    def __init__(self, folder: Path) -> None:
        """Open or begin them. A file that is none any more is begun anew."""
        self.path = folder / FILE_NAME
        try:
            self._open()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            remove_staging(folder)
            self._open()

    def sentinel(self) -> Sentinel | None:
        """Give what was committed with the rows, None where nothing was."""
        found = self._connection.execute("select content from sentinel").fetchone()
        return None if found is None else msgspec.json.decode(found[0], type=Sentinel)

    def rows_of(
        self, sources: Collection[str], sessions: Collection[tuple[str, str | None]] = ()
    ) -> list[Row]:
        """Give the rows of these memories, episodes and ephemeral sessions (see `RowStore`)."""
        rows = self._where("source", list(sources))
        return rows + self._where("closing", [_session_key(*session) for session in sessions])

    def numbers_of(self, sessions: Collection[Session]) -> dict[Session, Numbers]:
        """Give, for each session, every row of it that has a number (see `RowStore`)."""
        return {
            session: {
                row.id: row.session_seq
                for row in self._where("session", [_session_key(*session)])
                if row.session_seq is not None
            }
            for session in sessions
        }

    def commit(
        self,
        changed: Iterable[Row],
        removed: Iterable[Row],
        dropped: Set[str],
        sentinel: Sentinel,
    ) -> None:
        """Keep all of it, or nothing. ``dropped`` texts went from rows with this batch."""
        gone = list(removed)
        with transaction(self._connection):
            self._connection.executemany(
                "delete from rows where key = ?", ((_key(row),) for row in gone)
            )
            self._connection.executemany(
                "insert or replace into rows values (?, ?, ?, ?, ?)", map(_stored, changed)
            )
            self._connection.executemany(
                "insert into dropped values (?, ?)"
                " on conflict do update set removed = max(removed, excluded.removed)",
                ((text_sha, bool(gone)) for text_sha in dropped),
            )
            self._connection.execute(
                "insert or replace into sentinel values (1, ?)", (msgspec.json.encode(sentinel),)
            )

    def count(self) -> int:
        """Say how many rows there are."""
        counted: int = self._connection.execute("select count(*) from rows").fetchone()[0]
        return counted

    def batches(self, size: int) -> Iterator[list[Row]]:
        """Give all rows, in the order in which they began, ``size`` at a time."""
        last = -1
        while found := self._connection.execute(
            "select key, row from rows where key > ? order by key limit ?", (last, size)
        ).fetchall():
            last = found[-1][0]
            yield [_decode(row) for _, row in found]

    def dropped(self, size: int) -> Iterator[Dropped]:
        """Give the texts that went from a row and that no row has now, ``size`` at a time."""
        with transaction(self._connection):
            for rows in self.batches(_SQL_VARIABLES):
                marks = ",".join("?" * len(rows))
                self._connection.execute(
                    f"delete from dropped where text_sha in ({marks})",  # noqa: S608  # ours
                    [row.text_sha for row in rows],
                )
        last = ""
        while found := self._connection.execute(
            "select text_sha, removed from dropped where text_sha > ? order by text_sha limit ?",
            (last, size),
        ).fetchall():
            last = found[-1][0]
            removed = frozenset(text_sha for text_sha, was_removed in found if was_removed)
            yield Dropped(frozenset(text_sha for text_sha, _ in found) - removed, removed)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _open(self) -> None:
        self._connection = sqlite3.connect(
            self.path, check_same_thread=False, isolation_level=None, timeout=5.0
        )
        try:
            self._connection.execute("pragma journal_mode = wal")
            self._connection.execute("pragma synchronous = normal")
            self._connection.execute(f"pragma cache_size = -{_CACHE_KB}")
            self._connection.execute(f"pragma wal_autocheckpoint = {_PAGES_BEFORE_CHECKPOINT}")
            for table in _TABLES:
                self._connection.execute(table)
        except BaseException:
            self._connection.close()
            raise

    def _where(self, column: str, values: Sequence[str]) -> list[Row]:
        found: list[Row] = []
        for start in range(0, len(values), _SQL_VARIABLES):
            part = values[start : start + _SQL_VARIABLES]
            marks = ",".join("?" * len(part))
            question = f"select row from rows where {column} in ({marks}) order by key"  # noqa: S608  # ours
            found += [_decode(row) for (row,) in self._connection.execute(question, part)]
        return found


def remove_staging(folder: Path) -> None:
    """Remove the file with what belongs to it."""
    for suffix in ("", "-wal", "-shm"):
        (folder / f"{FILE_NAME}{suffix}").unlink(missing_ok=True)


def _stored(row: Row) -> tuple[Any, ...]:
    session = _session_key(row.namespace, row.session_id)
    return (
        _key(row),
        row.source_id,
        None if row.session_seq is None else session,
        session if _ends_with_session(row) else None,
        _encode(row),
    )


def _ends_with_session(row: Row) -> bool:
    # Sessions bear the same names again and again: what ended with one is not looked at again.
    return is_ephemeral(row.namespace) and row.ended_by != CLOSED_WITH_SESSION


def _key(row: Row) -> int:
    return row.from_position * _CHUNKS + row.chunk_index


def _session_key(namespace: str, session_id: str | None) -> str:
    # Without a session it is as if that were empty: who closes one looks at the rows once more.
    return f"{len(namespace)}:{namespace}{session_id or ''}"
