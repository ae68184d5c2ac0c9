"""What was served to whom lately, so that it is known when it comes back to be stored.

Kept in one SQLite file of the node, ``cache/served.sqlite``: it outlives a restart, and the API
processes of a node share it. It names memories and episodes and holds no text, so nothing that is
erased stays in it. Deleting it costs that texts served before are known by a block's marks alone.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

import structlog

from commands.command import Clock
from domain.policies.restatement import Served
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import Commit, RecallItem
from projections.state.view import StateView

FILE_NAME: Final = "served.sqlite"
FROM_BEFORE: Final = timedelta(hours=1)
"""What was observed longer before a text was served cannot repeat it: it is history, imported."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS served (
    actor TEXT NOT NULL, session_id TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (actor, session_id, id, version)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS served_by_time ON served (actor, at);
"""
_PRUNE_EVERY: Final = 256


class ServedTexts:
    """Notes what was served and gives it back as texts. Thread-safe."""

    def __init__(
        self,
        folder: Path,
        state: StateView,
        clock: Clock,
        policy: PolicySettings = DEFAULT_POLICY,
    ) -> None:
        """Keep the file in ``folder``; nothing is opened before it is needed."""
        self._path = folder / FILE_NAME
        self._state = state
        self._clock = clock
        self._policy = policy
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._until_pruned = 0

    def note(self, actor: str, items: Iterable[RecallItem], session_id: str | None = None) -> None:
        """Remember that these were handed out; a file that cannot be written is only logged."""
        at = round(self._clock().timestamp() * 1e6)
        # An episode says the same for ever, and its version is of no matter.
        rows = [
            (actor, session_id or "", item.id, item.version if item.layer == "memory" else 0, at)
            for item in items
        ]
        if not rows:
            return
        try:
            with self._lock, self._opened() as connection:
                connection.executemany(
                    "INSERT INTO served VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
                    rows,
                )
                self._prune(connection, at)
        except (sqlite3.Error, OSError) as error:
            structlog.get_logger("api").warning("served texts not noted", error=str(error))

    def before(self, actor: str, entry: Commit) -> Sequence[Served]:
        """Give what was served to the actor and may come back in an entry, the latest first.

        That is what was served in the entry's session, or where a session was not named.
        """
        now = self._clock()
        latest = now if entry.observed_at is None else min(now, entry.observed_at + FROM_BEFORE)
        since = now - timedelta(hours=self._policy.own_output_hours)
        try:
            with self._lock, self._opened() as connection:
                rows = connection.execute(
                    "SELECT DISTINCT id, version FROM served WHERE actor = ?1 "
                    "AND at BETWEEN ?2 AND ?3 AND (?4 = '' OR session_id IN ('', ?4)) "
                    "ORDER BY at DESC LIMIT ?5",
                    (
                        actor,
                        round(since.timestamp() * 1e6),
                        round(latest.timestamp() * 1e6),
                        entry.session_id or "",
                        self._policy.own_output_texts,
                    ),
                ).fetchall()
        except (sqlite3.Error, OSError) as error:
            structlog.get_logger("api").warning("served texts not known", error=str(error))
            return ()
        return self._texts(rows) if rows else ()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _texts(self, rows: Sequence[tuple[str, int]]) -> list[Served]:
        memories = [(name, version) for name, version in rows if version]
        episodes = [name for name, version in rows if not version]
        return [
            *(Served(text, name) for name, text in self._state.texts_of(memories)),
            *(Served(text) for text in self._state.texts_of_episodes(episodes)),
        ]

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, timeout=1.0, check_same_thread=False)
            connection.executescript(
                f"PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; {_SCHEMA}"
            )
            self._connection = connection
        return self._connection

    def _prune(self, connection: sqlite3.Connection, at: int) -> None:
        self._until_pruned -= 1
        if self._until_pruned > 0:
            return
        self._until_pruned = _PRUNE_EVERY
        oldest = at - round(self._policy.own_output_hours * 3.6e9)
        connection.execute("DELETE FROM served WHERE at < ?", (oldest,))
