"""Builds the state view: SQLite in WAL mode, one writer, one commit per batch."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import structlog
from msgspec.structs import astuple

from domain import events as facts
from domain.agent import AGENT
from domain.enrolment import ENROLMENT
from domain.episode import EPISODE
from domain.erasure import ERASURE
from domain.evaluation_set import EVALUATION_SET
from domain.events import Event, EventBody
from domain.memory import MEMORY
from domain.namespace_claim import NAMESPACE_CLAIM
from domain.recall_stretch import RECALL
from domain.session import SESSION
from eventlog.subscription import Checkpoint
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking
from projections.projector import PoisonEvent, ViewFenced
from projections.purging import Progress
from projections.state import (
    agents,
    episodes,
    erasures,
    evaluations,
    memories,
    recalls,
    settling,
)
from projections.state.decoding import select
from projections.state.history import note_moments
from projections.state.schema import FILE_NAME, SCHEMA, SCHEMA_VERSION
from projections.state.step import Step

BUSY_TIMEOUT_S: Final = 5.0

_CACHE_KIB: Final = 16 * 1024
_PAGES_BEFORE_CHECKPOINT: Final = 4_000
"""Of 4 KiB. A long log changes rows all over the file: with SQLite's own 2 MB and 1,000 pages the
same pages were read and written to the disk so often that a build took a quarter longer."""

_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")

_log = structlog.get_logger()

HANDLERS: Final[Mapping[type[EventBody], Callable[[Step, Event, Any], None]]] = {
    facts.EpisodeCommitted: episodes.episode_committed,
    facts.EpisodeSkipped: episodes.episode_skipped,
    facts.EpisodeDistilled: episodes.episode_distilled,
    facts.DistillationFailed: episodes.distillation_failed,
    facts.RedistillationRequested: episodes.redistillation_requested,
    facts.EpisodeDeleted: episodes.episode_deleted,
    facts.EpisodeRestored: episodes.episode_restored,
    facts.SessionClosed: episodes.session_closed,
    facts.MemoryCreated: memories.memory_created,
    facts.MemoryProposed: memories.memory_proposed,
    facts.CandidateSettled: settling.candidate_settled,
    facts.CandidateDismissed: settling.candidate_dismissed,
    facts.MemoryVerified: settling.memory_verified,
    facts.MemoryCorrected: memories.memory_corrected,
    facts.MemoryReinforced: memories.memory_reinforced,
    facts.FeedbackGiven: memories.feedback_given,
    facts.QualityDropped: memories.quality_dropped,
    facts.TierChanged: memories.tier_changed,
    facts.MemoryTagged: memories.memory_tagged,
    facts.MemorySuperseded: memories.memory_superseded,
    facts.MemoryDeprecated: memories.memory_deprecated,
    facts.MemoryDeleted: memories.memory_deleted,
    facts.MemoryRestored: memories.memory_restored,
    facts.RecallServed: recalls.recall_served,
    facts.AgentRegistered: agents.agent_registered,
    facts.AgentKeyRotated: agents.agent_key_rotated,
    facts.AgentDeactivated: agents.agent_deactivated,
    facts.ReadGranted: agents.read_granted,
    facts.ReadRevoked: agents.read_revoked,
    facts.NamespaceClaimed: agents.namespace_claimed,
    facts.EnrolmentTokenIssued: agents.enrolment_token_issued,
    facts.EnrolmentTokenUsed: agents.enrolment_token_used,
    facts.SubjectErased: erasures.subject_erased,
    facts.ErasureFinished: erasures.erasure_finished,
    facts.GoldenSetGenerated: evaluations.golden_set_generated,
    facts.GoldenQuestionWritten: evaluations.golden_question_written,
    facts.EvaluationFinished: evaluations.evaluation_finished,
}
"""What each event does to the tables. Every type is here or in `NOT_SHOWN`; a test says so."""

NOT_SHOWN: Final[frozenset[type[EventBody]]] = frozenset(
    {
        facts.TextClaimed,
        facts.SegmentArchived,
        facts.MemoryErased,
        facts.EpisodeErased,
        facts.LlmCalled,
    }
)
"""Events the view has no row for: they are a matter of the write side, or of the log itself. What
was erased goes with `SubjectErased`, which no earlier event of the thing can hold up."""

_OF_THE_EVENT: Final = (
    UnicodeEncodeError,
    OverflowError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
)


class StateProjector:
    """The one writer of a state view's generation. See `projections.projector.Projector`."""

    name: Final = "state"
    aggregate_types: Final = frozenset(
        kind.name.lower()
        for kind in (
            EPISODE,
            MEMORY,
            AGENT,
            NAMESPACE_CLAIM,
            ENROLMENT,
            SESSION,
            ERASURE,
            EVALUATION_SET,
            RECALL,
        )
    )

    def __init__(self, folder: Path) -> None:
        """Open or begin the view in ``folder``, whose `ViewDirectory` the caller holds.

        Raises `ViewFenced` for a view of another schema version.
        """
        self._connection = _open(folder / FILE_NAME)
        self._fence = self._take_over()

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come."""
        row = self._connection.execute(
            "SELECT position, epoch, event_id, chain FROM checkpoint"
        ).fetchone()
        return Checkpoint() if row is None else Checkpoint(*row)

    def parked(self) -> list[ParkedEvent]:
        """Give the parked events by position."""
        return select(self._connection, ParkedEvent, "FROM parked ORDER BY position")

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        """Apply events with checkpoint and parking in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._require_fence()
            reached = self.checkpoint().position
            # Before the events: one of them may erase what is set aside with it.
            self._keep_parking(parking)
            step = Step(self._connection)
            for event in events:
                _apply_one(step, event)
            step.finish()
            note_moments(self._connection, reached, events, parking.added)
            self._keep_checkpoint(checkpoint)
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def erased(self) -> int:
        """Give the position of the newest erasure that the view shows, 0 for none."""
        row = self._connection.execute("SELECT value FROM meta WHERE name = 'erased'").fetchone()
        return 0 if row is None else int(row[0])

    def purge(self) -> Progress:
        """Overwrite in the files what was removed; later, while a reader looks at it."""
        # Removed rows are overwritten in their pages as they go (secure_delete); the log of
        # changes still has the pages as they were.
        busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return "later" if busy else "done"

    def sync(self) -> None:
        """Bring everything that was committed to the disk. Raises `sqlite3.Error`."""
        # By SQLite itself: a descriptor of our own on its file would give up its locks.
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def _take_over(self) -> int:
        """Raise the fence, so that a writer who held the view before can commit no more."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute(
            "INSERT INTO meta (name, value) VALUES ('fence', 1) "
            "ON CONFLICT (name) DO UPDATE SET value = value + 1"
        )
        fence = self._fence_in_file()
        self._connection.execute("COMMIT")
        return fence

    def _require_fence(self) -> None:
        found = self._fence_in_file()
        if found != self._fence:
            raise ViewFenced(
                f"the state view was taken over (fence {found}, ours is {self._fence})"
            )

    def _fence_in_file(self) -> int:
        row = self._connection.execute("SELECT value FROM meta WHERE name = 'fence'").fetchone()
        return int(row[0])

    def _keep_parking(self, parking: Parking) -> None:
        self._connection.executemany(
            "DELETE FROM parked WHERE position = ?", [(p,) for p in parking.released]
        )
        self._connection.executemany(
            "INSERT INTO parked (position, key, type, cause, reason, command_id, through, "
            "occurred_at_us, namespace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (position) "
            "DO UPDATE SET cause = excluded.cause, reason = excluded.reason, "
            "through = excluded.through",
            [astuple(parked) for parked in parking.added],
        )

    def _keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        self._connection.execute(
            "INSERT INTO checkpoint (one, position, epoch, event_id, chain) VALUES (1, ?, ?, ?, ?) "
            "ON CONFLICT (one) DO UPDATE SET position = excluded.position, "
            "epoch = excluded.epoch, event_id = excluded.event_id, chain = excluded.chain",
            (checkpoint.position, checkpoint.epoch, checkpoint.event_id, checkpoint.chain),
        )


def _apply_one(step: Step, event: Event) -> None:
    handler = HANDLERS.get(type(event.body))
    if handler is None:
        if type(event.body) in NOT_SHOWN:
            return
        raise PoisonEvent(event.position, f"the state view has no rule for {event.type}")
    try:
        handler(step, event, event.body)
    except _OF_THE_EVENT as error:
        raise PoisonEvent(
            event.position, f"SQLite cannot hold a value of {event.type}: {type(error).__name__}"
        ) from error


def _open(file: Path) -> sqlite3.Connection:
    try:
        return _open_sound(file)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname not in _DAMAGED:
            raise
        _log.error("damaged_view_removed", view="state", reason=str(error))  # told in full
    # A view is disposable. It is removed and not kept aside: it holds opened texts.
    for part in ("", "-wal", "-shm"):
        file.with_name(file.name + part).unlink(missing_ok=True)
    return _open_sound(file)


def _open_sound(file: Path) -> sqlite3.Connection:
    # Created here with its mode; SQLite gives the same mode to its -wal and -shm files.
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(
        file, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    try:
        _set_up(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        damaged = sqlite3.DatabaseError(verdict)
        damaged.sqlite_errorname = "SQLITE_CORRUPT"
        raise damaged
    connection.execute("PRAGMA secure_delete = ON")
    # A power cut may take the last commits; the checkpoint goes with them and they are read again.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_BEFORE_CHECKPOINT}")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, SCHEMA_VERSION):
        raise ViewFenced(
            f"the state view has schema {version}, this program writes {SCHEMA_VERSION}: "
            "remove the view's directory and it is built again from the log"
        )
    connection.executescript(
        f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
    )
