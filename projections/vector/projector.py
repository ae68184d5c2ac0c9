"""Builds the vector view: one Lance table, one writer, one merge per batch.

Rows, checkpoint and parked list are committed by the same ``merge_insert``, so a kill at any
moment leaves the table before the batch or after it. Vectors are looked up in the cache, never
computed here (decision 0009).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final

import lance
from msgspec.structs import replace

from domain.events import Event
from eventlog.subscription import Checkpoint
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking
from projections.projector import ViewDamaged
from projections.vector.cache import VectorCache
from projections.vector.indices import create_indices
from projections.vector.schema import (
    SENTINEL_ID,
    TABLE,
    Row,
    from_arrow,
    sql_list,
    sql_text,
    to_arrow,
)
from projections.vector.sentinel import Sentinel, sentinel_in, sentinel_row
from projections.vector.shipping import forget_in
from projections.vector.step import step
from projections.vector.storage_errors import told_as_os_errors
from projections.vector.turns import LastTurns, Numbers, Session
from projections.vector.working_rows import CLOSED_WITH_SESSION

_IDS_PER_QUERY: Final = 2000
_POSITIONS: Final = ("from_position", "to_position", "position")
_WAITING: Final = "vector IS NULL AND to_position IS NULL"


class ModelChanged(Exception):
    """The view holds another model's vectors. That is another generation, never a mixture."""

    def __init__(self, stored: str, wanted: str) -> None:
        super().__init__(
            f"the vector view holds vectors of {stored!r}, the settings ask for {wanted!r}:"
            " rebuild the view for the new model or set the old one again"
        )


class VectorProjector:
    """The one writer of the vector view (see `projections.projector.Projector`).

    ``waiting`` holds the ids of the open rows that have no vector, oldest change first;
    ``commits`` and ``rows_written`` count what this process wrote, the latter without the position
    row, for `maintenance`.
    """

    name: Final = "vector"
    aggregate_types: Final = frozenset({"episode", "memory", "session", "erasure"})

    @told_as_os_errors()
    def __init__(self, folder: Path, cache: VectorCache) -> None:
        """Open or begin the view in ``folder``, a generation that this process has locked.

        Raises `ModelChanged` if the folder holds vectors of another model or dimension, and
        `ViewDamaged` if its position row does not belong to its other rows.
        """
        self.folder = folder
        self.cache = cache
        self._table: Any = None
        self.commits = 0
        self.rows_written = 0
        self.waiting: dict[str, None] = {}
        self._known: Sentinel | None = None
        self._last_turns = LastTurns()
        if not _place_of(folder).exists():
            _create(folder, cache)
        require_model(self._sentinel().model, cache)
        _require_own_position(self._dataset(), self._sentinel().checkpoint.position)

    @property
    def table(self) -> Any:
        """The table as LanceDB has it, which only making indices needs: 45 MB more in a process."""
        if self._table is None:
            import lancedb

            self._table = lancedb.connect(self.folder).open_table(TABLE)
        return self._table

    @told_as_os_errors()
    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come, as committed."""
        return self._sentinel().checkpoint

    def parked(self) -> list[ParkedEvent]:
        """Give the parked events by position."""
        return list(self._sentinel().parked)

    @told_as_os_errors()
    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        """Commit what the events change, the checkpoint and the parking, or nothing.

        Events that the view has seen are passed over. Raises `PoisonEvent`; storage errors
        (OSError, and what else Lance raises: RuntimeError, ValueError) pass through, and the same
        step may be tried again.
        """
        done = step(self, self._sentinel(), self._last_turns, events, checkpoint, parking)
        if done is None:
            return
        rows, after = done.rows, done.sentinel
        # Before the merge: after a crash in between, the same batch finds the same texts again.
        self._forget(rows.dropped, rows.changed, rows.removed)
        changed = with_vectors(list(rows.changed.values()), self.cache)
        # A merge that fails may have been committed all the same: then the table is asked again.
        self._known = None
        self._merge([*changed, sentinel_row(after)], rows.removed)
        self._known = after
        self._last_turns.keep(rows.numbers, done.events)
        for row_id in rows.removed:
            self.waiting.pop(row_id, None)
        for row in changed:
            self.waiting.pop(row.id, None)
            if row.is_open and row.vector is None:
                self.waiting[row.id] = None

    def erased(self) -> int:
        """Give the position of the newest erasure that the view shows, 0 for none."""
        return self._sentinel().erased

    def rows_of(
        self, sources: Collection[str], sessions: Collection[tuple[str, str | None]] = ()
    ) -> list[Row]:
        """Give rows as a `RowStore` does."""
        conditions = [f"source_id IN ({sql_list(part)})" for part in _parts(sorted(sources))] + [
            f"(ended_by != {sql_text(CLOSED_WITH_SESSION)} AND namespace = {sql_text(namespace)}"
            " AND session_id "
            + ("IS NULL)" if session_id is None else f"= {sql_text(session_id)})")
            for namespace, session_id in sessions
        ]
        return self._read(conditions)

    def numbers_of(self, sessions: Collection[Session]) -> dict[Session, Numbers]:
        """Give numbers as a `RowStore` does."""
        found: dict[Session, Numbers] = {session: {} for session in sessions}
        rows = self._dataset().to_table(
            filter=f"session_id IN ({sql_list({session_id for _, session_id in sessions})})"
            " AND session_seq IS NOT NULL",
            columns=["id", "namespace", "session_id", "session_seq"],
        )
        for row in rows.to_pylist():
            numbers = found.get((row["namespace"], row["session_id"]))
            if numbers is not None:
                numbers[row["id"]] = row["session_seq"]
        return found

    def stored(self, row_ids: Iterable[str]) -> list[Row]:
        """Give those of the rows that are open and have no vector."""
        ids = sql_list(row_ids)
        return self._read([f"{_WAITING} AND id IN ({ids})"] if ids else [])

    @told_as_os_errors()
    def fill(self, rows: Sequence[Row]) -> int:
        """Give rows, as `stored` read them, the vectors that the cache has now; tell how many.

        A row that changed since it was read stays as it is. Nothing is inserted.
        """
        known = self.cache.get({row.text_sha for row in rows})
        filled = [replace(row, vector=known[row.text_sha]) for row in rows if row.text_sha in known]
        if not filled:
            return 0
        ids = {row.id for row in filled}
        updated = self._merge_vectors(filled)
        # One that changed since it was read still waits, unless it was closed.
        left = {row.id for row in self.stored(ids)} if updated < len(filled) else set()
        for row_id in ids - left:
            self.waiting.pop(row_id, None)
        return updated

    def forget_unused(self, shas: Iterable[str]) -> None:
        """Take those texts' vectors out of the cache that no row has any more."""
        self._forget(set(shas), {})

    def _forget(
        self, shas: Set[str], changed: Mapping[str, Row], removed: Collection[str] = ()
    ) -> None:
        """Forget texts' vectors, except of a text that a row has besides or after the change."""
        known = set(self.cache.get(shas))
        if removed:
            known |= shas  # caches of other models may have them
        cached = known - {row.text_sha for row in changed.values()}
        if not cached:
            return
        found = self._dataset().to_table(
            filter=f"text_sha IN ({sql_list(cached)})", columns=["id", "text_sha"]
        )
        used = {
            sha
            for row_id, sha in zip(
                *(found.column(n).to_pylist() for n in ("id", "text_sha")), strict=True
            )
            if row_id not in changed and row_id not in removed
        }
        unused = cached - used
        if removed:
            forget_in(self.cache.path.parent, map(bytes.fromhex, unused))
        else:
            self.cache.forget(unused)

    def _sentinel(self) -> Sentinel:
        if self._known is None:
            self._known = sentinel_in(self._dataset())
            self._last_turns.forget()
            self.waiting = dict.fromkeys(self._without_vector())
        return self._known

    def _read(self, conditions: Sequence[str]) -> list[Row]:
        if not conditions:
            return []
        columns = list(Row.__struct_fields__)
        found = self._dataset().to_table(columns=columns, filter=" OR ".join(conditions))
        return from_arrow(found)

    def _without_vector(self) -> list[str]:
        """Give the ids of the rows that wait for a vector, oldest change first."""
        found = self._dataset().to_table(filter=_WAITING, columns=["id", "event_pos"])
        return list(found.sort_by("event_pos").column("id").to_pylist())

    def _merge(self, rows: list[Row], removed: Collection[str] = ()) -> None:
        self._count(rows)
        merge = (
            self._dataset()
            .merge_insert("id")
            .when_matched_update_all("target.event_pos < source.event_pos")
            .when_not_matched_insert_all()
        )
        if removed:
            merge = merge.when_not_matched_by_source_delete(f"id IN ({sql_list(removed)})")
        merge.execute(to_arrow(rows, self.cache.dimension))
        self._follow()

    def _count(self, rows: list[Row]) -> None:
        self.commits += 1
        self.rows_written += sum(row.id != SENTINEL_ID for row in rows)

    def _merge_vectors(self, rows: list[Row]) -> int:
        self._count(rows)
        result = (
            self._dataset()
            .merge_insert("id")
            .when_matched_update_all("target.event_pos = source.event_pos")
            .execute(to_arrow(rows, self.cache.dimension))
        )
        self._follow()
        return int(result["num_updated_rows"])

    def _follow(self) -> None:
        if self._table is not None:
            self._table.checkout_latest()

    def _dataset(self) -> Any:
        """Give the table as it is now, for one read or merge.

        Opened for each: what a connection looks at in between stays in its caches.
        """
        return lance.dataset(str(_place_of(self.folder)))


def model_of(cache: VectorCache) -> str:
    """Give the model of a cache's vectors with their dimension, as one word."""
    return f"{cache.model}/{cache.dimension}"


def require_model(stored: str, cache: VectorCache) -> None:
    """Raise `ModelChanged` unless the stored vectors are of the cache's model."""
    if stored != model_of(cache):
        raise ModelChanged(stored, model_of(cache))


def with_vectors(rows: Sequence[Row], cache: VectorCache) -> list[Row]:
    """Give every row the vector that its text has in the cache, if it has one.

    Closed ones too: they answer for the past, and a rebuild closes rows as soon as it makes
    them. Only open ones wait for a vector that is not there yet.
    """
    wanted = {row.text_sha for row in rows if row.vector is None and row.text_sha}
    known = cache.get(wanted)
    return [
        replace(row, vector=known[row.text_sha])
        if row.vector is None and row.text_sha in known
        else row
        for row in rows
    ]


def _create(folder: Path, cache: VectorCache) -> None:
    """Create the table with its indices and a sentinel at position 0."""
    first = to_arrow([sentinel_row(Sentinel(model=model_of(cache)))], cache.dimension)
    create_indices(lance.write_dataset(first, str(_place_of(folder))))


def _place_of(folder: Path) -> Path:
    return folder / f"{TABLE}.lance"


def _require_own_position(dataset: Any, position: int) -> None:
    """Refuse rows that are newer than the position row: the fold must see each event once."""
    newer = " OR ".join(f"{column} > {position}" for column in _POSITIONS)
    count = dataset.count_rows(filter=newer)
    if count:
        raise ViewDamaged(
            f"the vector view says that it has come to {position}, and {count} rows are newer"
        )


def _parts(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + _IDS_PER_QUERY] for start in range(0, len(ids), _IDS_PER_QUERY)]
