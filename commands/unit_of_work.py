"""What one command has read and wants to append, before it is saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar, cast

from commands.command import CommandContext
from domain.aggregate import Aggregate, AggregateKind
from domain.caller import Caller
from domain.episode import Episode
from domain.events import Event, EventBody
from domain.identity import event_id, id_from_command
from domain.memory import Memory
from domain.namespaces import is_ephemeral
from domain.settings import PolicySettings
from eventlog.sealing import session_subject

A = TypeVar("A", bound=Aggregate)

Load = Callable[[AggregateKind[A], str], A | None]


class UnitOfWork:
    """Loads aggregates, collects their new events, and shows the states that these lead to.

    One is made for every attempt at a command, and thrown away with it. Nothing is written here.
    """

    def __init__(
        self,
        load: Load[Aggregate],
        *,
        log: str,
        caller: Caller,
        context: CommandContext,
        now: datetime,
        policy: PolicySettings,
    ) -> None:
        self.log = log
        self.caller = caller
        self.now = now
        self.policy = policy
        self.events: list[Event] = []
        self._load = load
        self._context = context
        self._ahead: dict[str, Aggregate | None] = {}
        self._states: dict[str, Aggregate | None] = {}
        self._read: dict[str, int] = {}

    @property
    def unchanged(self) -> dict[str, int]:
        """What the decision rests on without changing it: aggregate id → version (0: none).

        The append checks these too, so that two commands cannot each rest on what the other
        changes: of two episodes of one memory, deleted at once, the second must see the first.
        """
        written = {event.aggregate_id for event in self.events}
        return {read: version for read, version in self._read.items() if read not in written}

    @property
    def touched(self) -> set[str]:
        """The ids of all aggregates read or written."""
        return set(self._states)

    def get(self, kind: AggregateKind[A], aggregate_id: str) -> A | None:
        """Give an aggregate as it is after this command's events so far; None if there is none."""
        if aggregate_id not in self._states:
            if aggregate_id in self._ahead:
                state = self._ahead[aggregate_id]
            else:
                state = self._load(cast("AggregateKind[Aggregate]", kind), aggregate_id)
            self._states[aggregate_id] = state
            self._read[aggregate_id] = state.version if state else 0
        return cast("A | None", self._states[aggregate_id])

    def expect(self, states: Mapping[str, Aggregate | None]) -> None:
        """Take states that were read together; each counts as read once somebody asks for it."""
        self._ahead.update(states)

    def find(self, kind: AggregateKind[A], aggregate_id: str) -> A | None:
        """Give an aggregate that somebody outside has named, as `get` does.

        That there is none decides nothing: the id may be that of a thing of another kind, whose
        version would never be the 0 of a thing that is not there.
        """
        state = self.get(kind, aggregate_id)
        if state is None:
            self._read.pop(aggregate_id, None)
            self._states.pop(aggregate_id)
        return state if isinstance(state, kind.state) else None

    def new_id(self, index: int) -> str:
        """Give the command's ``index``-th new id: the same at every attempt and repeat."""
        return id_from_command(self._context.command_id, index)

    def start(self, kind: AggregateKind[A], aggregate_id: str, *bodies: EventBody) -> A:
        """Record the first events of an aggregate whose id this command has made: no need to look.

        Somebody who made the same id would be this same command, which the log recognises.
        """
        self._states[aggregate_id] = None
        return self.record(kind, aggregate_id, bodies)

    def record(
        self,
        kind: AggregateKind[A],
        aggregate_id: str,
        bodies: Sequence[EventBody],
        subject: str = "",
    ) -> A:
        """Add events to an aggregate and give its next state.

        ``subject`` names the key that seals them where it is not the aggregate's own.
        """
        state = self.get(kind, aggregate_id)
        for body in bodies:
            event = self._event(kind.name, aggregate_id, state, body, subject)
            self.events.append(event)
            state = kind.fold(state, event)
        assert state is not None, "an aggregate that has no events was not changed either"
        self._states[aggregate_id] = state
        return state

    def _event(
        self, kind: str, aggregate_id: str, state: Aggregate | None, body: EventBody, subject: str
    ) -> Event:
        return Event(
            aggregate_type=kind,
            aggregate_id=aggregate_id,
            version=state.version + 1 if state else 1,
            event_id=event_id(self._context.command_id, len(self.events)),
            occurred_at=self.now,
            actor=self.caller.actor,
            correlation_id=self._context.correlation_id,
            causation_position=self._context.causation_position,
            command_id=self._context.command_id,
            fingerprint=self._context.fingerprint,
            body=body,
            subject=subject or _session_key(state),
        )


def _session_key(state: Aggregate | None) -> str:
    """Name the key that seals later events of a session's episode or memory: the session's."""
    if isinstance(state, Memory | Episode) and is_ephemeral(state.namespace):
        return session_subject(state.namespace, state.session_id)
    return ""
