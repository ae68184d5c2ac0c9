"""Read-only connections to the live generation, lent to whichever thread asks."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from domain.errors import ViewBehind
from projections.generation import current_generation
from projections.state.schema import FILE_NAME

BUSY_TIMEOUT_S: Final = 2.0


class Readers:
    """A process's connections to one state view. Thread-safe.

    A connection is used by one thread at a time and kept for the next; there are never more than
    threads that asked at once. After a switch of generations the old ones are closed when they
    come back or are asked for.
    """

    def __init__(self, view: Path, prepare: Callable[[sqlite3.Connection], None]) -> None:
        self._view = view
        self._prepare = prepare
        self._free: list[tuple[int, sqlite3.Connection]] = []
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection inside a read transaction: all its queries see one position.

        Raises `ViewBehind` while the view has not been begun.
        """
        generation = current_generation(self._view)
        if generation is None:
            raise ViewBehind("the state view is not built yet: start the projection worker")
        connection = self._borrow(generation)
        try:
            connection.execute("BEGIN")
            yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._give_back(generation, connection)

    def generation(self) -> int | None:
        """Give the live generation, or None while the view has not been begun."""
        return current_generation(self._view)

    def close(self) -> None:
        """Close the connections that nobody uses, and the others as they come back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for _, connection in free:
            connection.close()

    def _borrow(self, generation: int) -> sqlite3.Connection:
        while True:
            with self._lock:
                held = self._free.pop() if self._free else None
            if held is None:
                connection = _open(self._view / str(generation) / FILE_NAME)
                self._prepare(connection)
                return connection
            if held[0] == generation:
                return held[1]
            held[1].close()

    def _give_back(self, generation: int, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._free.append((generation, connection))
                return
        connection.close()


def _open(file: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(file.absolute()))}?mode=ro",
            uri=True,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
        )
        ready = connection.execute("PRAGMA user_version").fetchone()[0] != 0
    except sqlite3.OperationalError as error:
        raise ViewBehind(f"the state view cannot be opened: {error}") from error
    if not ready:
        connection.close()
        raise ViewBehind("the state view is being set up")
    return connection
