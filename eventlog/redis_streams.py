"""The persistence module of the ``eventsourcing`` library over our log.

``PERSISTENCE_MODULE=eventlog.redis_streams`` with ``REDIS_URL`` and ``LOG_NAME`` finds the one
factory in here. Events that come dressed as `StoredEntry` are ours: sealed, with an envelope,
strictly numbered. Any other stored event is the library's own and kept as it is.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any, Final, cast

from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactory,
    Notification,
    ProcessRecorder,
    StoredEvent,
    Subscription,
    Tracking,
    TrackingRecorder,
)
from eventsourcing.utils import Environment, EnvType, resolve_topic, strtobool
from msgspec import Struct
from msgspec.structs import replace

from domain.identity import uuid7
from eventlog.append import AppendRequest, Tracked
from eventlog.archive.reader import Archive
from eventlog.codec import Codec, SealedEntry
from eventlog.command_batch import CommandBatch, appending_of, batch_of, positions_of
from eventlog.entry import RawEntry
from eventlog.mapper import stored_entry
from eventlog.outcomes import Appended, Duplicate, KeyMismatch
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.snapshots import RedisSnapshotRecorder, Snapshots
from eventlog.subscription import Checkpoint
from eventlog.subscription import Subscription as LogSubscription
from eventlog.upcasters import current_name

_PAGE: Final = 500
_SEALING_ATTEMPTS: Final = 5
_STOP_NOTICED_WITHIN_S: Final = 0.1


class RedisAggregateRecorder(AggregateRecorder):
    """Stores and reads the events of aggregates.

    ``insert_events`` takes ``command_id``, ``fingerprint``, ``fence``, ``unchanged`` (aggregate
    id → version of what a decision has only read) and ``named_subjects`` beside the events, as
    given to ``Application.save``. Without a command id one is made, so that a lost answer still
    cannot store the events twice. It raises what `RedisLog.append` raises, and `AlreadyAppended`
    where that answers `Duplicate`.
    """

    def __init__(
        self, log: RedisLog, codec: Codec, originator_id: Callable[[str], Any] = str
    ) -> None:
        self._log = log
        self._codec = codec
        self._originator_id = originator_id

    def insert_events(
        self, stored_events: Sequence[StoredEvent], **kwargs: Any
    ) -> Sequence[int] | None:
        """Store events, all or none."""
        self._insert(stored_events, **kwargs)
        return None

    def select_events(
        self,
        originator_id: Any,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Read an aggregate's events, in one round trip."""
        entries = self._log.read_aggregate(
            str(originator_id),
            -1 if gt is None else gt,
            up_to_version=lte,
            limit=limit,
            newest_first=desc,
        )
        return [_stored_event(entry, self._originator_id) for entry in entries]

    def prepare(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Prepared:
        """Lay out an insertion for `insert_each`; takes what ``insert_events`` takes.

        Raises `TooLarge`, `CommandTooOld`.
        """
        batch = batch_of(stored_events, **kwargs)
        return Prepared(batch, self._log.prepare(appending_of(batch)))

    def insert_each(self, prepared: Sequence[Prepared]) -> list[Callable[[], Sequence[int]]]:
        """Store several commands' events in one round trip (see `RedisLog.append_each`).

        What is given tells of each, when it is called, its positions, or raises what
        ``insert_events`` raises.
        """
        forgets = self._codec.keys.forgets
        answers = self._log.append_each([one.request for one in prepared])
        return [
            partial(self._told, one.batch, answer, forgets)
            for one, answer in zip(prepared, answers, strict=True)
        ]

    def _told(
        self, batch: CommandBatch, answer: Callable[[], Appended | Duplicate], forgets: int
    ) -> Sequence[int]:
        try:
            outcome = answer()
        except KeyMismatch as error:
            outcome = self._append(self._resealed(batch, error))
        else:
            self._learn(batch, outcome, forgets)
        return positions_of(batch, outcome)

    def _insert(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int]:
        if not stored_events and kwargs.get("tracking") is None:
            return []
        batch = batch_of(stored_events, **kwargs)
        return positions_of(batch, self._append(batch))

    def _append(self, batch: CommandBatch) -> Appended | Duplicate:
        """Append; where a subject's key is another by now, seal with that and repeat."""
        for _ in range(_SEALING_ATTEMPTS - 1):
            try:
                return self._append_once(batch)
            except KeyMismatch as error:
                batch = self._resealed(batch, error)
        return self._append_once(batch)

    def _append_once(self, batch: CommandBatch) -> Appended | Duplicate:
        forgets = self._codec.keys.forgets
        outcome = self._log.append_prepared(self._log.prepare(appending_of(batch)))
        self._learn(batch, outcome, forgets)
        return outcome

    def _learn(self, batch: CommandBatch, outcome: Appended | Duplicate, forgets: int) -> None:
        """Take over the keys that the log holds by now; ``forgets`` counts from before it did."""
        if isinstance(outcome, Appended):
            self._codec.keys.adopt(batch.new_keys, forgets)
            self._codec.keys.forget(batch.destroyed)

    def _resealed(self, batch: CommandBatch, error: KeyMismatch) -> CommandBatch:
        return replace(
            batch,
            sealed=[
                self._codec.reseal(one, error.keys[one.subject])
                if one.subject and one.subject in error.keys
                else one
                for one in batch.sealed
            ],
        )


class RedisApplicationRecorder(RedisAggregateRecorder, ApplicationRecorder):
    """Gives every event its position, and reads by position."""

    def insert_events(
        self, stored_events: Sequence[StoredEvent], **kwargs: Any
    ) -> Sequence[int] | None:
        """Store events, all or none, and give their positions."""
        return list(self._insert(stored_events, **kwargs))

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Read up to ``limit`` events by position; ``topics`` are stable type names."""
        first = 1 if start is None else start + (not inclusive_of_start)
        first = max(first, 1)
        found: list[Notification] = []
        while len(found) < limit and (stop is None or first <= stop):
            page = _PAGE if topics else limit - len(found)
            entries = self._log.read(first, stop, page)
            found.extend(self.notification(e) for e in entries if _is_wanted(e, topics))
            if len(entries) < page:
                break
            first = entries[-1].position + 1
        return found[:limit]

    def max_notification_id(self) -> int | None:
        """Give the newest position, None for an empty log."""
        return self._log.head().position or None

    def subscribe(
        self, gt: int | None = None, topics: Sequence[str] = ()
    ) -> Subscription[ApplicationRecorder]:
        """Follow the log after position ``gt``."""
        return RedisSubscription(self, self._log, gt, topics)

    def notification(self, entry: RawEntry) -> Notification:
        """Dress an entry as the library's notification."""
        return Notification(
            self._originator_id(entry.aggregate_id),
            entry.version,
            entry.type,
            entry.body,
            id=entry.position,
        )


class RedisSubscription(Subscription[RedisApplicationRecorder]):
    """Follows the log for the library; raises LogGap, LogFork, LogUnavailable to the iterator."""

    def __init__(
        self,
        recorder: RedisApplicationRecorder,
        log: RedisLog,
        gt: int | None = None,
        topics: Sequence[str] = (),
    ) -> None:
        super().__init__(recorder=recorder, gt=gt, topics=topics)
        self._following = LogSubscription(
            log.url, log.name, Checkpoint(position=gt or 0), log.archive
        )
        self._waiting: list[Notification] = []
        self._in_use = Lock()

    def __next__(self) -> Notification:
        """Give the next event, waiting for it; ends after ``stop``."""
        while not self._has_been_stopped:
            if self._waiting:
                return self._waiting.pop()
            with self._in_use:
                if self._has_been_stopped:
                    break
                entries = self._following.read(_PAGE, _STOP_NOTICED_WITHIN_S)
            self._waiting = [
                self._recorder.notification(entry)
                for entry in reversed(entries)
                if _is_wanted(entry, self._topics)
            ]
        raise StopIteration

    def __exit__(self, *args: object, **kwargs: Any) -> None:
        super().__exit__(*args, **kwargs)
        # Another thread may be reading: it stops within a moment, and has the connection till then.
        with self._in_use:
            self._following.close()


class RedisTrackingRecorder(TrackingRecorder):
    """Remembers how far other logs were taken account of."""

    def __init__(self, log: RedisLog) -> None:
        self._log = log

    def insert_tracking(self, tracking: Tracking) -> None:
        """Record a position. Raises `TrackingConflict` unless it is above the recorded one."""
        self._log.append(
            [],
            command_id=uuid7(time.time_ns() // 1_000_000, os.urandom(10)),
            fingerprint="",
            tracking=Tracked(tracking.application_name, tracking.notification_id),
        )

    def max_tracking_id(self, application_name: str) -> int | None:
        """Give the recorded position of a log, None if there is none."""
        return self._log.tracked_position(application_name)


class RedisProcessRecorder(RedisApplicationRecorder, RedisTrackingRecorder, ProcessRecorder):
    """Stores events and the position they take account of, both or neither."""


class RedisFactory(InfrastructureFactory[RedisTrackingRecorder]):
    """Makes recorders from the environment.

    ``REDIS_URL`` (required), ``LOG_NAME`` (``main``), ``ORIGINATOR_ID_TYPE`` (``uuid`` as in the
    library, or ``text``), ``SNAPSHOT_CODE_VERSION`` (snapshots of another one are ignored),
    ``ARCHIVE_LOCATION`` (folder or URI of what was trimmed from the log).
    """

    REDIS_URL = "REDIS_URL"
    LOG_NAME = "LOG_NAME"
    ARCHIVE_LOCATION = "ARCHIVE_LOCATION"
    WATCHED = "WATCHED"
    ORIGINATOR_ID_TYPE = "ORIGINATOR_ID_TYPE"
    SNAPSHOT_CODE_VERSION = "SNAPSHOT_CODE_VERSION"

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        url = self.env.get(self.REDIS_URL)
        if not url:
            raise OSError(f"{self.REDIS_URL} is not set: it names the log's server")
        kind = self.env.get(self.ORIGINATOR_ID_TYPE, "uuid")
        if kind not in _ORIGINATOR_IDS:
            raise OSError(f"{self.ORIGINATOR_ID_TYPE} is {kind!r}: use 'uuid' or 'text'")
        self._originator_id = _ORIGINATOR_IDS[kind]
        location = self.env.get(self.ARCHIVE_LOCATION)
        archive = Archive(location) if location else None
        name = self.env.get(self.LOG_NAME, "main")
        watched = strtobool(self.env.get(self.WATCHED) or "no")
        self.log = RedisLog(url, name, archive=archive, watched=watched)
        self.codec = Codec(KeyRing(self.log.subject_keys))

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        """Make a recorder of events, or of snapshots."""
        if purpose == "snapshots":
            code_version = self.env.get(self.SNAPSHOT_CODE_VERSION, "1")
            return RedisSnapshotRecorder(Snapshots(self.log, code_version), self._originator_id)
        return RedisAggregateRecorder(self.log, self.codec, self._originator_id)

    def application_recorder(self) -> RedisApplicationRecorder:
        """Make a recorder of events with positions."""
        return RedisApplicationRecorder(self.log, self.codec, self._originator_id)

    def tracking_recorder(
        self, tracking_recorder_class: type[RedisTrackingRecorder] | None = None
    ) -> RedisTrackingRecorder:
        """Make a tracking recorder, of the given class or that of ``TRACKING_RECORDER_TOPIC``."""
        if tracking_recorder_class is None:
            topic = self.env.get(self.TRACKING_RECORDER_TOPIC)
            tracking_recorder_class = resolve_topic(topic) if topic else RedisTrackingRecorder
        return cast("type[RedisTrackingRecorder]", tracking_recorder_class)(self.log)

    def process_recorder(self) -> RedisProcessRecorder:
        """Make a recorder of events together with tracked positions."""
        return RedisProcessRecorder(self.log, self.codec, self._originator_id)

    def close(self) -> None:
        """Close the connections."""
        self.log.close()


_ORIGINATOR_IDS: Final[Mapping[str, Callable[[str], Any]]] = {"uuid": uuid.UUID, "text": str}


class Prepared(Struct, frozen=True):
    """One command's events, laid out for `RedisAggregateRecorder.insert_each`."""

    batch: CommandBatch
    request: AppendRequest


def _is_wanted(entry: RawEntry, topics: Sequence[str]) -> bool:
    """Tell whether an event is of one of these types, by the name it has today; () wants all."""
    return not topics or current_name(entry.type, entry.schema) in topics


def _stored_event(entry: RawEntry, originator_id: Callable[[str], Any]) -> StoredEvent:
    if entry.aggregate_type:
        return stored_entry(SealedEntry(entry))
    return StoredEvent(originator_id(entry.aggregate_id), entry.version, entry.type, entry.body)
