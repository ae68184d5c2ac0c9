"""States as the ``eventsourcing`` library's snapshots: JSON, and free of text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, cast

import msgspec
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from msgspec import Struct

from domain.agent import AGENT
from domain.aggregate import Aggregate, AggregateKind
from domain.enrolment import ENROLMENT
from domain.episode import EPISODE
from domain.erasure import ERASURE
from domain.evaluation_set import EVALUATION_SET
from domain.events import Event
from domain.language_model import LANGUAGE_MODEL
from domain.memory import MEMORY
from domain.namespace_claim import NAMESPACE_CLAIM
from domain.recall_stretch import RECALL
from domain.session import SESSION
from domain.text_claim import TEXT_CLAIM

A = TypeVar("A", bound=Aggregate)

STATE_FORMAT = "3"
"""Rises whenever a state or its fold changes: snapshots of another format are not used."""

KINDS: dict[str, AggregateKind[Any]] = {
    kind.name: kind
    for kind in (
        AGENT,
        ENROLMENT,
        EPISODE,
        ERASURE,
        EVALUATION_SET,
        LANGUAGE_MODEL,
        MEMORY,
        NAMESPACE_CLAIM,
        RECALL,
        SESSION,
        TEXT_CLAIM,
    )
}


class StateSnapshot(Struct, frozen=True):
    """A state in the place of the events that led to it."""

    kind: str
    state: Aggregate

    @property
    def originator_id(self) -> str:
        """The aggregate's id, by the library's name."""
        return self.state.id

    @property
    def originator_version(self) -> int:
        """The aggregate's version, by the library's name."""
        return self.state.version


class SnapshotMapper(Mapper[str]):
    """The library's mapper for snapshots."""

    def __init__(self) -> None:
        super().__init__(transcoder=JSONTranscoder())

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        """Encode a snapshot."""
        if not isinstance(domain_event, StateSnapshot):
            raise TypeError(f"{type(domain_event).__name__} is not a StateSnapshot")
        return StoredEvent(
            originator_id=domain_event.originator_id,
            originator_version=domain_event.originator_version,
            topic=domain_event.kind,
            state=msgspec.json.encode(domain_event.state),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[str]:
        """Decode a snapshot that was found whole and of this format."""
        kind = KINDS[stored_event.topic]
        state = msgspec.json.decode(stored_event.state, type=kind.state)
        return StateSnapshot(kind.name, state)


def project(
    kind: AggregateKind[A], state: A | None, events: Iterable[DomainEventProtocol[str]]
) -> A | None:
    """Fold what the library's repository found: perhaps a snapshot, then events.

    The id of a thing of another kind names nothing here: None, as for an id that nothing has.
    """
    for event in events:
        if isinstance(event, StateSnapshot):
            if event.kind != kind.name:
                return None
            state = cast("A", event.state)
        else:
            assert isinstance(event, Event)
            if event.aggregate_type != kind.name:
                return None
            state = kind.fold(state, event)
    return state
