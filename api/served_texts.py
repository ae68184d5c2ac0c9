"""What was served to whom lately, so that it is known when it comes back to be stored.

Kept in one SQLite file of the node, ``cache/served.sqlite``: it outlives a restart, and the API
processes of a node share it. It names memories and episodes and holds no text, so nothing that is
erased stays in it. Deleting it costs that texts served before are known by a block's marks alone.
Each process holds an index over the texts that the file names, made of hashes; a commit brings it
up to date, and reads again what it finds there.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog
from msgspec import json

from commands.command import Clock
from domain.errors import ViewBehind, ViewDegraded
from domain.policies.restatement import KnownTexts, known_texts
from domain.policies.served_index import ServedIndex
from domain.policies.served_text import Served
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
DROP INDEX IF EXISTS served_by_time;
CREATE INDEX IF NOT EXISTS served_by_text ON served (actor, id, version);
CREATE TABLE IF NOT EXISTS texts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, version INTEGER NOT NULL,
    at INTEGER NOT NULL, UNIQUE (id, version)
);
INSERT OR IGNORE INTO texts (id, version, at) SELECT id, version, max(at) FROM served
    WHERE NOT EXISTS (SELECT 1 FROM texts) GROUP BY id, version ORDER BY max(at);
"""
"""A text has one number, whoever it was served to. Numbers only grow: what is new is above."""

_VISIBLE: Final = """
SELECT t.number, t.id, t.version FROM texts AS t
WHERE t.number IN (SELECT value FROM json_each(:numbers)) AND EXISTS (
    SELECT 1 FROM served AS s WHERE s.actor = :actor AND s.id = t.id AND s.version = t.version
    AND s.at BETWEEN :since AND :latest AND (:session = '' OR s.session_id IN ('', :session))
)
"""
_NUMBERED: Final = """
INSERT OR REPLACE INTO texts (id, version, at) SELECT ?1, ?2, ?3
WHERE NOT EXISTS (SELECT 1 FROM texts WHERE id = ?1 AND version = ?2 AND at > ?4)
"""
"""What is served again gets a new number, among the latest, but not every time."""

_STALE_US: Final = 600_000_000
_PRUNE_EVERY: Final = 256
_READ_AT_ONCE: Final = 64

_UNREADABLE: Final = (sqlite3.Error, OSError, ViewBehind, ViewDegraded)
"""Then nothing is known of what was served, and commits go on: a block's marks still tell."""

_Row = tuple[int, str, int]
"""A text's number, id and version."""

_logger: Final = structlog.get_logger("api")


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
        self._catching_up = threading.Lock()
        self._index = ServedIndex(policy.own_output_texts)
        self._read_up_to = 0
        self._connection: sqlite3.Connection | None = None
        self._until_pruned = 0

    def note(self, actor: str, items: Iterable[RecallItem], session_id: str | None = None) -> None:
        """Remember that these were handed out; a file that cannot be written is only logged."""
        at = _microseconds(self._clock())
        # An episode says the same for ever, and its version is of no matter.
        texts = [(item.id, item.version if item.layer == "memory" else 0, at) for item in items]
        if not texts:
            return
        try:
            with self._lock, self._opened() as connection:
                connection.executemany(_NUMBERED, [(*text, at - _STALE_US) for text in texts])
                connection.executemany(
                    "INSERT INTO served VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
                    [(actor, session_id or "", *text) for text in texts],
                )
                self._until_pruned -= 1
                if self._until_pruned <= 0:
                    self._until_pruned = _PRUNE_EVERY
                    self._prune(connection, at)
        except (sqlite3.Error, OSError) as error:
            _logger.warning("served texts not noted", error=str(error))

    def before(self, actor: str, entry: Commit) -> KnownTexts:
        """Give what was served to the actor and may come back in an entry.

        That is what was served in the entry's session, or where a session was not named.
        """
        if not self.catch_up():
            return known_texts(())
        now = self._clock()
        latest = now if entry.observed_at is None else min(now, entry.observed_at + FROM_BEFORE)
        since = now - timedelta(hours=self._policy.own_output_hours)
        asked: dict[str, str | int] = {
            "actor": actor,
            "session": entry.session_id or "",
            "since": _microseconds(since),
            "latest": _microseconds(latest),
        }

        def look_up(numbers: Sequence[int]) -> Mapping[int, Served]:
            try:
                return self._visible(numbers, asked)
            except _UNREADABLE as error:
                _logger.warning("served texts not known", error=str(error))
                return {}

        return KnownTexts(self._index, look_up, self._policy)

    def catch_up(self) -> bool:
        """Take into the index what was served since it was last done, by whatever process.

        False where the file or the state view cannot be read, which is logged.
        """
        try:
            with self._catching_up:
                while rows := self._unread():
                    for number, served in self._texts(rows).items():
                        self._index.add(number, served.text)
                    self._read_up_to = rows[-1][0]
        except _UNREADABLE as error:
            _logger.warning("served texts not known", error=str(error))
            return False
        return True

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _unread(self) -> list[_Row]:
        with self._lock, self._opened() as connection:
            return connection.execute(
                "SELECT number, id, version FROM texts WHERE number > ? ORDER BY number LIMIT ?",
                (self._read_up_to, _READ_AT_ONCE),
            ).fetchall()

    def _visible(
        self, numbers: Sequence[int], asked: Mapping[str, str | int]
    ) -> Mapping[int, Served]:
        wanted = {"numbers": json.encode(numbers).decode()}
        with self._lock, self._opened() as connection:
            rows = connection.execute(_VISIBLE, {**asked, **wanted}).fetchall()
        return self._texts(rows)

    def _texts(self, rows: Sequence[_Row]) -> dict[int, Served]:
        """Give the texts as far as the state view has them: what was erased is no more."""
        numbers = {(name, version): number for number, name, version in rows}
        found = dict[int, Served]()
        memories = [key for key in numbers if key[1]]
        if memories:
            for name, version, text in self._state.texts_of(memories):
                found[numbers[name, version]] = Served(text, name)
        episodes = [name for name, version in numbers if not version]
        if episodes:
            for name, text in self._state.texts_of_episodes(episodes):
                found[numbers[name, 0]] = Served(text)
        return found

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
        """Forget what was served too long ago, and all but the texts that were served last."""
        oldest = at - round(self._policy.own_output_hours * 3.6e9)
        connection.execute("DELETE FROM served WHERE at < ?", (oldest,))
        connection.execute("DELETE FROM texts WHERE at < ?", (oldest - _STALE_US,))
        connection.execute(
            "DELETE FROM texts WHERE number IN "
            "(SELECT number FROM texts ORDER BY at DESC LIMIT -1 OFFSET ?)",
            (self._policy.own_output_texts,),
        )
        numbers = connection.execute("SELECT number FROM texts").fetchall()
        self._index.keep_only({number for (number,) in numbers})


def _microseconds(at: datetime) -> int:
    return round(at.timestamp() * 1e6)
