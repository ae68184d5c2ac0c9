"""The rows that one batch works on, on their way from one commit to the next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from projections.vector.schema import Row
from projections.vector.turns import Numbers, Session

CLOSED_WITH_SESSION: Final = "SessionClosed"
"""What ended a row whose session was closed: nothing brings such a row back."""


class ClosedSession(Struct, frozen=True):
    """An ephemeral session that was closed at ``position`` while events were parked."""

    namespace: str
    session_id: str | None
    position: int


class Reinforced(Struct, frozen=True):
    """A memory came to rest on one more episode at ``position``, while events of it were parked."""

    memory_id: str
    episode_id: str
    position: int


class WorkingRows:
    """The rows that a batch works on, which of them it changed, and which stored ones go.

    ``dropped`` holds the ``text_sha`` of texts that it took away from a row, ``gone`` the erased
    memories that an event which was parked may still name, ``reinforced`` on which episodes
    memories came to rest after what of them is parked, ``numbers`` what is numbered in the sessions
    that the batch adds turns to.
    """

    def __init__(self, numbers: dict[Session, Numbers] | None = None) -> None:
        self.numbers: dict[Session, Numbers] = numbers or {}
        self.changed: dict[str, Row] = {}
        self.dropped: set[str] = set()
        self.removed: dict[str, Row] = {}
        self.gone: set[str] = set()
        self.reinforced: set[Reinforced] = set()
        self._rows: dict[str, Row] = {}
        self._of_source: dict[str, list[str]] = {}

    def load(self, rows: Iterable[Row]) -> None:
        """Take rows as they are stored. One that is here already stays as it is here."""
        for row in rows:
            if row.id not in self._rows:
                self._rows[row.id] = row
                self._of_source.setdefault(row.source_id, []).append(row.id)

    def put(self, row: Row, position: int) -> None:
        """Change a row, or add it."""
        before = self._rows.get(row.id)
        if before is None:
            self._of_source.setdefault(row.source_id, []).append(row.id)
            event_pos = position
        else:
            event_pos = max(position, before.event_pos + 1)
            self.dropped |= {before.text_sha} - {row.text_sha, ""}
        self._rows[row.id] = self.changed[row.id] = replace(row, event_pos=event_pos)
        numbers = self.numbers.get((row.namespace, row.session_id or ""))
        if numbers is not None and row.session_seq is not None:
            numbers[row.id] = row.session_seq

    def remove(self, row: Row) -> None:
        """Take a row away, with all that it said."""
        self._of_source[row.source_id].remove(row.id)
        self.removed[row.id] = self._rows.pop(row.id)
        self.dropped |= {row.text_sha} - {""}
        self.changed.pop(row.id, None)
        self.numbers.get((row.namespace, row.session_id or ""), {}).pop(row.id, None)

    def of(self, source_id: str) -> list[Row]:
        """Give every row that is known of a memory or an episode."""
        return [self._rows[row_id] for row_id in self._of_source.get(source_id, ())]

    def latest_of(self, source_id: str) -> list[Row]:
        """Give the newest stretch of life, open or closed: one row, or an episode's chunks."""
        rows = self.of(source_id)
        newest = max((row.from_position for row in rows), default=0)
        return [row for row in rows if row.from_position == newest]

    def of_session(self, session: ClosedSession) -> list[Row]:
        """Give the rows of what was born in a session before its close, unless they ended so."""
        rows = [
            row
            for row in self._rows.values()
            if row.namespace == session.namespace and row.session_id == session.session_id
        ]
        born = {row.source_id for row in rows if row.from_position < session.position}
        return [
            row for row in rows if row.source_id in born and row.ended_by != CLOSED_WITH_SESSION
        ]
