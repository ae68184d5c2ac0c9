"""The write side: the ``eventsourcing`` library's application over our log, with our mapper."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar, cast

import structlog
from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.persistence import EventStore, Mapper
from eventsourcing.utils import Environment, EnvType
from msgspec import Struct
from msgspec.structs import replace

from commands.command import Command, CommandContext
from commands.contention import Contention
from commands.snapshots import KINDS, STATE_FORMAT, SnapshotMapper, StateSnapshot, project
from commands.unit_of_work import UnitOfWork
from domain.aggregate import Aggregate, AggregateKind
from domain.errors import LogFull, LogUnavailable
from domain.events import Event
from domain.settings import DEFAULT_POLICY, PolicySettings
from eventlog.append import Fence, require_age_allowed
from eventlog.codec import Codec
from eventlog.mapper import EventMapper
from eventlog.outcomes import Duplicate
from eventlog.reading_ahead import read_aggregates
from eventlog.redis_log import RedisLog
from eventlog.redis_streams import Prepared, RedisApplicationRecorder, RedisFactory

A = TypeVar("A", bound=Aggregate)

SNAPSHOT_EVERY: Final = 100

_logger = structlog.get_logger(__name__)


class PreparedWork(Struct, frozen=True):
    """What one command has recorded, sealed and ready to be sent."""

    events: Sequence[Event]
    prepared: Prepared


class MemoryApplication(Application[str]):
    """Loads aggregates from the log and stores the events of commands in it. Thread-safe.

    ``redis_url`` names the log's server, ``log_name`` the log in it. ``pause`` waits that many
    seconds; commands that fight over one aggregate use it. ``archive`` says where what was
    trimmed from the log lies: a folder or a URI, "" for a log that is never trimmed.
    ``watched``: nothing is stored while the server could lose it (see `RedisLog`).
    """

    name = "memoryweave"

    def __init__(
        self,
        redis_url: str,
        log_name: str = "main",
        policy: PolicySettings = DEFAULT_POLICY,
        pause: Callable[[float], None] = time.sleep,
        archive: str = "",
        watched: bool = False,
    ) -> None:
        self.policy = policy
        self.pause = pause
        self.log_name = log_name
        self.contention = Contention()
        super().__init__(
            env={
                "PERSISTENCE_MODULE": "eventlog.redis_streams",
                "REDIS_URL": redis_url,
                "LOG_NAME": log_name,
                "ARCHIVE_LOCATION": archive,
                "WATCHED": "y" if watched else "",
                "ORIGINATOR_ID_TYPE": "text",
                "IS_SNAPSHOTTING_ENABLED": "y",
                "SNAPSHOT_CODE_VERSION": STATE_FORMAT,
            }
        )

    @property
    def event_log(self) -> RedisLog:
        """The log itself."""
        return self._redis_factory.log

    @property
    def codec(self) -> Codec:
        """What opens and seals this log's events."""
        return self._redis_factory.codec

    def load(
        self, kind: AggregateKind[A], aggregate_id: str, version: int | None = None
    ) -> A | None:
        """Give an aggregate as the log has it now, or had it at a version; None if it has none."""
        if not kind.grows:
            return project(kind, None, self.events.get(aggregate_id, lte=version))
        try:
            state: A = self.repository.get(
                aggregate_id,
                version=version,
                projector_func=cast("Any", partial(project, kind)),
            )
        except AggregateNotFoundError:
            return None
        return state

    def load_many(self, kinds: Mapping[str, AggregateKind[Any]]) -> dict[str, Aggregate | None]:
        """Give aggregates as the log has them now, by id, in one round trip or two.

        Left out is what has many events, or was trimmed: `load` does better there.
        """
        found = read_aggregates(self.event_log, list(kinds), SNAPSHOT_EVERY)
        opened = self.codec.open_batch([entry for entries in found.values() for entry in entries])
        states: dict[str, Aggregate | None] = {}
        at = 0
        for one, entries in found.items():
            events = opened[at : at + len(entries)]
            at += len(entries)
            # What cannot be opened is for whoever asks for it to meet.
            if all(isinstance(event, Event) for event in events):
                states[one] = project(kinds[one], None, cast("list[Event]", events))
        return states

    def store(
        self, work: UnitOfWork, context: CommandContext, fence: Fence | None = None
    ) -> list[Event]:
        """Append a command's events, all or none, and give them with their positions.

        Raises what an append raises, and `AlreadyAppended` for a repeat.
        """
        # Not by way of `save`: that is for the library's own aggregates, and costs as much again.
        recordings = self.events.put(
            work.events,
            command_id=context.command_id,
            fingerprint=context.fingerprint,
            unchanged=work.unchanged,
            fence=fence,
        )
        return self._stored(work.events, (one.notification.id for one in recordings))

    def prepare(
        self, work: UnitOfWork, context: CommandContext, fence: Fence | None = None
    ) -> PreparedWork:
        """Seal and lay out a command's events for `store_each`. Raises what `store` refuses."""
        prepared = self._recorder.prepare(
            list(map(self.mapper.to_stored_event, work.events)),
            command_id=context.command_id,
            fingerprint=context.fingerprint,
            unchanged=work.unchanged,
            fence=fence,
        )
        return PreparedWork(work.events, prepared)

    def store_each(self, prepared: Sequence[PreparedWork]) -> list[Callable[[], list[Event]]]:
        """Append several commands' events in one round trip, in this order.

        None may rest on what another one changes. What is given tells of each, when it is called,
        what `store` gives or raises. Raises `LogUnavailable` where nothing may be stored now.
        """
        answers = self._recorder.insert_each([one.prepared for one in prepared])
        return [
            partial(self._told, one.events, answer)
            for one, answer in zip(prepared, answers, strict=True)
        ]

    def _told(self, events: Sequence[Event], answer: Callable[[], Sequence[int]]) -> list[Event]:
        return self._stored(events, answer())

    def _stored(self, events: Iterable[Event], positions: Iterable[int]) -> list[Event]:
        stored = [
            replace(event, position=position)
            for event, position in zip(events, positions, strict=True)
        ]
        self.keep_due_snapshots(stored)
        return stored

    def read(self, first: int, last: int) -> list[Event]:
        """Give the events at the positions from ``first`` to ``last``, opened."""
        return [self.codec.open(e) for e in self.event_log.read(first, last, last - first + 1)]

    def find_duplicate(self, context: CommandContext) -> Duplicate | None:
        """Tell where this command was stored, if it was. Raises `KeyReused`."""
        return self.event_log.find_duplicate(context.command_id, context.fingerprint)

    def unit_of_work(self, command: Command[Any], now: datetime) -> UnitOfWork:
        """Begin an attempt at a command."""
        require_age_allowed(command.context.command_id, now)
        return UnitOfWork(
            self.load,
            log=self.log_name,
            caller=command.caller,
            context=command.context,
            now=now,
            policy=self.policy,
        )

    def keep_due_snapshots(self, stored: Iterable[Event]) -> None:
        """Keep the state of each aggregate that has reached another hundred events.

        A snapshot only saves reading; that it could not be kept is no reason to fail a command
        whose events are stored.
        """
        assert self.snapshots is not None
        for event in stored:
            kind = KINDS[event.aggregate_type]
            if event.version % SNAPSHOT_EVERY or not kind.grows:
                continue
            try:
                state = self.load(kind, event.aggregate_id, version=event.version)
                assert state is not None
                self.snapshots.put([StateSnapshot(kind.name, state)])
            except (LogUnavailable, LogFull) as error:
                _logger.warning(
                    "snapshot not kept", aggregate_id=event.aggregate_id, reason=str(error)
                )

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Give the library what we say and nothing of the process's environment.

        A variable like AGGREGATE_CACHE_MAXSIZE, set for another program, must not change this one.
        """
        return Environment(name, env)

    def keep_snapshots(self, kinds: Mapping[str, str]) -> None:
        """Keep a snapshot of each of these aggregates as it is now, if its kind has snapshots.

        ``kinds`` gives each aggregate's kind by its id. Raises `LogUnavailable` and `LogFull`.
        """
        assert self.snapshots is not None
        for aggregate_id, name in kinds.items():
            kind = KINDS.get(name)
            state = self.load(kind, aggregate_id) if kind and kind.grows else None
            if kind and state is not None:
                self.snapshots.put([StateSnapshot(kind.name, state)])

    def construct_mapper(self) -> Mapper[str]:
        """Give the library our codec in the place of its transcoder."""
        return EventMapper(self.codec)

    def construct_snapshot_store(self) -> EventStore[str]:
        """Give the library our snapshots."""
        recorder = self.factory.aggregate_recorder(purpose="snapshots")
        return self.factory.event_store(mapper=SnapshotMapper(), recorder=recorder)

    @property
    def _recorder(self) -> RedisApplicationRecorder:
        assert isinstance(self.recorder, RedisApplicationRecorder)
        return self.recorder

    @property
    def _redis_factory(self) -> RedisFactory:
        assert isinstance(self.factory, RedisFactory)
        return self.factory
