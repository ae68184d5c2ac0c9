"""Reading the analytics view: a DuckDB in memory, in whichever process asks.

DuckDB is imported when somebody asks, never before: who is not audited does not pay for it.
These are our own questions; SQL from people goes through `projections.analytics.question`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import Struct

from domain.errors import ViewBehind, ViewDegraded
from eventlog.subscription import Checkpoint
from projections.analytics.filter import EventFilter, where
from projections.analytics.manifest import Manifest, read_manifest
from projections.analytics.rows import EventRow
from projections.analytics.views import SET_TIME_ZONE, view_statements
from projections.digest import Frozen, RowSeen, ViewDigest, digest_of
from projections.generation import current_generation
from projections.parking import ParkedEvent

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_LIMIT: Final = "512MB"
THREADS: Final = 2
TRIES: Final = 5
"""So often a question is put, each time over newer files, where those it reads go under it."""

T = TypeVar("T")

_COLUMNS: Final = (
    '"position", event_id, aggregate_type, aggregate_id, "version", "type", "schema", '
    "occurred_at, command_id, fingerprint, actor, correlation_id, causation_position, "
    "namespace, agent_id, CAST(body AS VARCHAR), raw, problem"
)


class LiveFiles(Struct, frozen=True):
    """The view at one moment: the folder of its generation, and the manifest there."""

    folder: Path
    manifest: Manifest

    @property
    def paths(self) -> frozenset[Path]:
        """Where the data files lie."""
        return frozenset(self.folder / file.path for file in self.manifest.files)


class FilesUnreadable(ViewDegraded):
    """A file of the view cannot be read: it is damaged, or was replaced since it was named."""

    def __init__(self) -> None:
        super().__init__("a file of the analytics view cannot be read now")


class AnalyticsView:
    """Every event of the log, opened. Any number of processes may read while one writes.

    Every question raises `ViewBehind` before the view was begun, `ViewDegraded` where its files
    cannot be read.
    """

    def __init__(self, path: Path) -> None:
        """Read the view in ``path`` (``views/analytics``), which need not exist yet."""
        self._path = path

    def generation(self) -> int:
        """Give the live generation, 0 before the view was begun."""
        return current_generation(self._path) or 0

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come; position 0 before it was begun."""
        try:
            return self.live().manifest.checkpoint
        except ViewBehind:
            return Checkpoint()

    def parked_events(self) -> list[ParkedEvent]:
        """Give nothing: this view shows what it cannot open."""
        return []

    def live(self) -> LiveFiles:
        """Give the files that are the view now.

        They stay readable for some minutes, unless a text is taken out of them: then they go at
        once. `over_files` goes on with those in their place.
        """
        generation = current_generation(self._path)
        if generation is None:
            raise ViewBehind("the analytics view is not built yet: start the projection worker")
        folder = self._path / str(generation)
        try:
            return LiveFiles(folder, read_manifest(folder))
        except FileNotFoundError as error:
            raise ViewBehind("the analytics view is being set up") from error
        except (OSError, msgspec.DecodeError) as error:
            raise ViewDegraded("the analytics view's manifest cannot be read") from error

    def over_files(self, question: Callable[[LiveFiles], T]) -> T:
        """Answer a question over the files that are the view now.

        ``question`` raises `FilesUnreadable` where it cannot read one, and is put again over newer
        files if that one has gone because others took its place.
        """
        live = self.live()
        for _ in range(TRIES - 1):
            try:
                return question(live)
            except FilesUnreadable:
                before, live = live, self.live()
                gone = {path for path in before.paths if not path.exists()}
                if not gone or gone & live.paths:
                    raise
        return question(live)

    def events(self, wanted: EventFilter, *, after: int = 0, limit: int = 50) -> list[EventRow]:
        """Give up to ``limit`` events after position ``after`` that pass, by position."""
        condition, parameters = where(wanted, after)

        def found(live: LiveFiles) -> list[EventRow]:
            with _asking(live) as connection:
                rows = connection.execute(
                    f'SELECT {_COLUMNS} FROM events WHERE {condition} ORDER BY "position" LIMIT ?',  # noqa: S608  # ours
                    [*parameters, limit],
                ).fetchall()
            return [EventRow(*row) for row in rows]

        return self.over_files(found)

    def digest(self) -> ViewDigest:
        """Digest every row, at one position."""
        return self.over_files(_digest)


def digest_analytics(folder: Path, seen: RowSeen | None = None) -> ViewDigest:
    """Digest the generation in ``folder``. Raises `ViewDegraded` where a file cannot be read."""
    return frozen_analytics(folder)(seen)


def frozen_analytics(folder: Path) -> Frozen:
    """Give what digests the generation in ``folder`` as it is now; its files stay some minutes.

    Raises `ViewDegraded` then if a text was erased meanwhile: its file goes at once.
    """
    live = LiveFiles(folder, read_manifest(folder))
    return lambda seen: _digest(live, seen)


def _digest(live: LiveFiles, seen: RowSeen | None = None) -> ViewDigest:
    with _asking(live) as connection:
        cursor = connection.execute(
            f'SELECT {_COLUMNS} FROM events ORDER BY "position"'  # noqa: S608  # ours
        )
        position = live.manifest.checkpoint.position
        return digest_of("analytics", position, _rows(cursor), seen=seen)


@contextmanager
def _asking(live: LiveFiles) -> Iterator[DuckDBPyConnection]:
    import duckdb

    connection = duckdb.connect(
        config={"threads": THREADS, "memory_limit": MEMORY_LIMIT, "temp_directory": ""}
    )
    try:
        connection.execute(SET_TIME_ZONE)
        files = [str(live.folder / file.path) for file in live.manifest.files]
        for statement in view_statements(files):
            connection.execute(statement)
        yield connection
    except duckdb.OutOfMemoryException as error:
        raise ViewDegraded("the analytics view takes more memory to read than there is") from error
    except (duckdb.Error, UnicodeDecodeError) as error:
        # The statements are ours, so it is the files. Of a damaged one DuckDB raises most of its
        # errors, their bare base among them, or gives Python a text that is none.
        raise FilesUnreadable from error
    finally:
        connection.close()


def _rows(cursor: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    while chunk := cursor.fetchmany(5_000):
        for row in chunk:
            yield "events", msgspec.structs.asdict(EventRow(*row))
