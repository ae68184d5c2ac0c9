"""Read-only connections to the live generation, lent to whichever thread asks."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from domain.errors import ViewBehind, ViewDegraded
from projections.generation import current_generation
from projections.state.schema import FILE_NAME, SINCE_SCHEMA_6

BUSY_TIMEOUT_S: Final = 2.0

_COUNTS_RECALLS: Final = 5
_KNOWS_CANDIDATES: Final = 6
_KNOWS_WHERE_PARKED: Final = 7

_UNREADABLE: Final = (sqlite3.DatabaseError, sqlite3.OperationalError)
"""Of exactly these types: their other kinds are mistakes of ours."""


class Readers:
    """A process's connections to one state view. Thread-safe.

    A connection is used by one thread at a time and kept for the next; there are never more than
    threads that asked at once. A connection belongs to one file: after a switch of generations, or
    when the view was removed and begun anew, the old ones are closed as they come up.
    """

    def __init__(self, view: Path, prepare: Callable[[sqlite3.Connection], None]) -> None:
        self._view = view
        self._prepare = prepare
        self._free: list[_Lent] = []
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection inside a read transaction: all its queries see one position.

        Raises `ViewBehind` while the view has not been begun, `ViewDegraded` if it cannot be read.
        """
        lent = self._borrow()
        try:
            lent.connection.execute("BEGIN")
            yield lent.connection
        except sqlite3.Error as error:
            lent.connection.close()
            if type(error) in _UNREADABLE:
                raise ViewDegraded(f"the state view cannot be read: {error}") from error
            raise
        except BaseException:
            self._give_back(lent)
            raise
        self._give_back(lent)

    def generation(self) -> int | None:
        """Give the live generation, or None while the view has not been begun."""
        return current_generation(self._view)

    def close(self) -> None:
        """Close the connections that nobody uses, and the others as they come back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for lent in free:
            lent.connection.close()

    def _borrow(self) -> _Lent:
        file = self._live_file()
        try:
            found = file.stat()
        except FileNotFoundError as error:
            raise ViewBehind("the state view is being set up") from error
        identity = (found.st_dev, found.st_ino)
        while True:
            with self._lock:
                lent = self._free.pop() if self._free else None
            if lent is None:
                connection = _open(file)
                self._prepare(connection)
                return _Lent(identity, connection)
            if lent.file == identity:
                return lent
            lent.connection.close()

    def _live_file(self) -> Path:
        generation = current_generation(self._view)
        if generation is None:
            raise ViewBehind("the state view is not built yet: start the projection worker")
        return self._view / str(generation) / FILE_NAME

    def _give_back(self, lent: _Lent) -> None:
        if lent.connection.in_transaction:
            lent.connection.execute("ROLLBACK")
        with self._lock:
            if not self._closed:
                self._free.append(lent)
                return
        lent.connection.close()


def stand_in_for_what_is_new(connection: sqlite3.Connection) -> None:
    """Let a generation of an older schema be read until the one that is being built is live."""
    schema = connection.execute("PRAGMA main.user_version").fetchone()[0]
    if schema < _COUNTS_RECALLS:
        connection.execute(
            "CREATE TEMP TABLE recall_counts "
            "(memory_id TEXT PRIMARY KEY, recalls INTEGER, last_recalled_at INTEGER)"
        )
    if schema < _KNOWS_CANDIDATES:
        connection.executescript(SINCE_SCHEMA_6.replace("TABLE IF NOT EXISTS", "TEMP TABLE"))
    if schema < _KNOWS_WHERE_PARKED:
        connection.execute("CREATE TEMP VIEW parked AS SELECT *, '' AS namespace FROM main.parked")


class _Lent(NamedTuple):
    file: tuple[int, int]
    connection: sqlite3.Connection


def _open(file: Path) -> sqlite3.Connection:
    connection = None
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(file.absolute()))}?mode=ro",
            uri=True,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
        )
        ready = connection.execute("PRAGMA user_version").fetchone()[0] != 0
    except sqlite3.DatabaseError as error:
        if connection is not None:
            connection.close()
        raise ViewDegraded(f"the state view cannot be opened: {error}") from error
    if not ready:
        connection.close()
        raise ViewBehind("the state view is being set up")
    return connection
