"""One step of the vector view, whatever stores its rows: what a batch changes, and how far it is.

The table that is searched and the staged rows of a generation that is being built are both
`RowStore`; what a batch does to them is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event
from eventlog.subscription import Checkpoint
from projections.erased import erased_things, newest_erasure
from projections.parking import ParkedEvent, Parking
from projections.vector.fold import fold
from projections.vector.needs import closed_session, derived_episodes, needs_of
from projections.vector.schema import Row
from projections.vector.sentinel import Sentinel
from projections.vector.turns import LastTurns, Numbers, Session
from projections.vector.working_rows import WorkingRows


class RowStore(Protocol):
    """Rows as they were committed."""

    def rows_of(
        self, sources: Collection[str], sessions: Collection[tuple[str, str | None]] = ()
    ) -> list[Row]:
        """Give the rows of these memories and episodes, and of these sessions of ephemeral
        namespaces (None for what names none), without those that ended with their session.
        """

    def numbers_of(self, sessions: Collection[Session]) -> dict[Session, Numbers]:
        """Give, for each session, every row of it that has a number."""


class Step(Struct, frozen=True, kw_only=True):
    """What is to be committed together: the changed rows, those that go, and the sentinel."""

    events: list[Event]
    rows: WorkingRows
    sentinel: Sentinel


def step(
    store: RowStore,
    before: Sentinel,
    turns: LastTurns,
    events: Sequence[Event],
    checkpoint: Checkpoint,
    parking: Parking,
) -> Step | None:
    """Fold the events that ``before`` has not seen; None if nothing comes of them.

    Raises `PoisonEvent`, and what the store raises.
    """
    released = {entry.position for entry in before.parked} & set(parking.released)
    fresh = [
        event
        for event in events
        if event.position > before.checkpoint.position or event.position in released
    ]
    rows = _loaded(store, turns, fresh)
    rows.gone.update(before.gone)
    rows.reinforced.update(before.reinforced)
    fold(rows, fresh, before.closed_sessions)
    after = _advanced(before, fresh, checkpoint, released, parking.added, rows)
    return None if after is before else Step(events=fresh, rows=rows, sentinel=after)


def _loaded(store: RowStore, turns: LastTurns, events: Sequence[Event]) -> WorkingRows:
    """Read the stored rows that the events may change."""
    rows = WorkingRows(turns.numbers(store.numbers_of, events))
    needs = needs_of(events)
    stored = store.rows_of(needs.sources, needs.sessions)
    rows.load(stored)
    rows.load(store.rows_of(derived_episodes(events, stored) - needs.sources))
    return rows


def _advanced(
    before: Sentinel,
    events: Sequence[Event],
    checkpoint: Checkpoint,
    released: Set[int],
    added: Iterable[ParkedEvent],
    rows: WorkingRows,
) -> Sentinel:
    """Give the sentinel after a batch, ``before`` itself if nothing is new in it."""
    parked = {entry.position: entry for entry in before.parked if entry.position not in released}
    parked.update((entry.position, entry) for entry in added)
    gone = erased_things(events)
    parked = {position: entry for position, entry in parked.items() if entry.key not in gone}
    oldest = min(parked, default=None)
    keys = {entry.key for entry in parked.values()}
    closed = (*before.closed_sessions, *filter(None, map(closed_session, events)))
    after = replace(
        before,
        checkpoint=max(checkpoint, before.checkpoint, key=lambda point: point.position),
        parked=tuple(parked[position] for position in sorted(parked)),
        erased=max(before.erased, newest_erasure(events)),
        gone=tuple(sorted(rows.gone)) if parked else (),
        reinforced=tuple(
            sorted(
                (one for one in rows.reinforced if one.memory_id in keys),
                key=lambda one: (one.position, one.memory_id),
            )
        ),
        closed_sessions=tuple(
            session for session in closed if oldest is not None and session.position > oldest
        ),
    )
    return before if after == before else replace(after, sequence=before.sequence + 1)
