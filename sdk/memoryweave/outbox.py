"""What is kept on this machine's disk: commands that wait for the service, and last answers.

One SQLite file (mode 600) that several processes may share. Rows belong to one service and one
speaker, so nothing is ever delivered under another name. A command leaves the file only after
the service acknowledged it; its idempotency key makes a second delivery no second execution.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from memoryweave import contract
from memoryweave.operation import Operation

A = TypeVar("A")

KEPT_ANSWERS: Final = 256
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS waiting (
    number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, key TEXT NOT NULL,
    method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL, body BLOB, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS refused (
    number INTEGER PRIMARY KEY, owner TEXT NOT NULL, key TEXT NOT NULL,
    path TEXT NOT NULL, body BLOB, problem BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    owner TEXT NOT NULL, question BLOB NOT NULL, answer BLOB NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (owner, question)) WITHOUT ROWID;
"""


class Queued(Struct, frozen=True, kw_only=True):
    """The service is down: the command waits on disk and is delivered once when it is back."""

    idempotency_key: str
    waiting: int


class Waiting(Struct, frozen=True):
    """One command in the outbox."""

    number: int
    key: str
    operation: Operation[Any]


class RefusedCommand(Struct, frozen=True, kw_only=True):
    """A command that the service refused for good when it was delivered."""

    idempotency_key: str
    path: str
    body: bytes | None
    problem: contract.Problem


class Outbox:
    """The file. Thread-safe. ``url`` and ``key`` say whose commands these are."""

    def __init__(self, path: Path, url: str, key: str | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        self.path = path
        self._owner = owner_of(url, key)
        self._lock = threading.Lock()
        self._database = sqlite3.connect(
            path, timeout=10, isolation_level=None, check_same_thread=False
        )
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.executescript(_SCHEMA)

    def add(self, operation: Operation[Any], key: str, now: float) -> Queued:
        """Keep a command (on disk when this returns) until the service has acknowledged it."""
        query = msgspec.json.encode(operation.query).decode()
        with self._durably() as database:
            database.execute(
                "INSERT INTO waiting (owner, key, method, path, query, body, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (self._owner, key, operation.method, operation.path, query, operation.body, now),
            )
        return Queued(idempotency_key=key, waiting=self.waiting())

    def oldest(self) -> Waiting | None:
        """Give the command that has waited longest."""
        with self._lock:
            row = self._database.execute(
                "SELECT number, key, method, path, query, body FROM waiting"
                " WHERE owner = ? ORDER BY number LIMIT 1",
                (self._owner,),
            ).fetchone()
        if row is None:
            return None
        number, key, method, path, query, body = row
        operation = Operation(
            method=method,
            path=path,
            answer=dict,
            query=msgspec.json.decode(query, type=dict[str, str]),
            body=body,
            command=True,
        )
        return Waiting(number, key, operation)

    def remove(self, waiting: Waiting) -> None:
        """Forget a command that the service has acknowledged."""
        with self._durably() as database:
            database.execute("DELETE FROM waiting WHERE number = ?", (waiting.number,))

    def set_aside(self, waiting: Waiting, problem: contract.Problem) -> None:
        """Move a command that the service refused for good to the refused ones."""
        operation = waiting.operation
        with self._durably() as database:
            database.execute(
                "INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?, ?)",
                (
                    waiting.number,
                    self._owner,
                    waiting.key,
                    operation.path,
                    operation.body,
                    msgspec.json.encode(problem),
                ),
            )
            database.execute("DELETE FROM waiting WHERE number = ?", (waiting.number,))

    def waiting(self) -> int:
        """Count the commands that wait."""
        with self._lock:
            counted = self._database.execute(
                "SELECT count(*) FROM waiting WHERE owner = ?", (self._owner,)
            ).fetchone()
        return int(counted[0])

    def refused(self) -> list[RefusedCommand]:
        """List the commands that the service refused, oldest first."""
        with self._lock:
            rows = self._database.execute(
                "SELECT key, path, body, problem FROM refused WHERE owner = ? ORDER BY number",
                (self._owner,),
            ).fetchall()
        return [
            RefusedCommand(
                idempotency_key=key,
                path=path,
                body=body,
                problem=msgspec.json.decode(problem, type=contract.Problem),
            )
            for key, path, body, problem in rows
        ]

    def keep_answer(self, operation: Operation[A], answer: A, now: float) -> None:
        """Keep an answer as the last one to this question; the oldest of many go."""
        with self._lock:
            # Not flushed to the disk: a lost last answer is no loss, and recall is frequent.
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)",
                (self._owner, _question(operation), msgspec.json.encode(answer), now),
            )
            self._database.execute(
                "DELETE FROM answers WHERE owner = ?1 AND at < (SELECT at FROM answers"
                " WHERE owner = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)",
                (self._owner, KEPT_ANSWERS - 1),
            )

    def last_answer(self, operation: Operation[A]) -> A | None:
        """Give the last answer to this question, if there was one."""
        with self._lock:
            row = self._database.execute(
                "SELECT answer FROM answers WHERE owner = ? AND question = ?",
                (self._owner, _question(operation)),
            ).fetchone()
        return None if row is None else msgspec.json.decode(row[0], type=operation.answer)

    def close(self) -> None:
        """Close the file; what waits stays in it."""
        with self._lock:
            self._database.close()

    @contextmanager
    def _durably(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._database.execute("PRAGMA synchronous=FULL")
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")


def owner_of(url: str, key: str | None) -> str:
    """Name the service and the speaker without the key: an agent's name outlives its key."""
    speaker = (key or "").split(".", 1)[0] if (key or "").startswith("mw_") else key or ""
    return hashlib.sha256(f"{url}\x1f{speaker}".encode()).hexdigest()[:32]


def default_path(url: str, key: str | None) -> Path:
    """Give the file that a client uses when it is told none: in the user's state directory."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "memoryweave" / f"outbox-{owner_of(url, key)[:16]}.sqlite"


def _question(operation: Operation[Any]) -> bytes:
    return hashlib.sha256(operation.path.encode() + b"\x1f" + (operation.body or b"")).digest()
