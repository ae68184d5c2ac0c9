"""The one place where our events become the ``eventsourcing`` library's, and back.

`domain.events.Event` serves as the library's domain event as it is; what the library stores is a
`StoredEntry`, whose topic is the stable type name, never a Python path, and whose state is the
sealed JSON body.
"""

from __future__ import annotations

from dataclasses import dataclass

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent

from domain.events import Event
from eventlog.codec import Codec, SealedEntry
from eventlog.entry import RawEntry


@dataclass(frozen=True)
class StoredEntry(StoredEvent):
    """The library's stored event together with the envelope it has no room for."""

    sealed: SealedEntry

    @property
    def entry(self) -> RawEntry:
        """The log entry, without a position until it is stored."""
        return self.sealed.entry


def stored_entry(sealed: SealedEntry) -> StoredEntry:
    """Dress a log entry as the library's stored event."""
    entry = sealed.entry
    return StoredEntry(
        originator_id=entry.aggregate_id,
        originator_version=entry.version,
        topic=entry.type,
        state=entry.body,
        sealed=sealed,
    )


class EventMapper(Mapper[str]):
    """The library's mapper over our codec; the library's own transcoder is not used."""

    def __init__(self, codec: Codec) -> None:
        super().__init__(transcoder=JSONTranscoder())
        self.codec = codec

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEntry:
        """Seal one of our events. Raises `TypeError` for any other."""
        if not isinstance(domain_event, Event):
            raise TypeError(f"{type(domain_event).__name__} is not a domain.events.Event")
        return stored_entry(self.codec.seal(domain_event))

    def to_domain_event(self, stored_event: StoredEvent) -> Event:
        """Open what the log gave. Raises `TypeError`, `Undecodable` or `UnknownEventType`."""
        if not isinstance(stored_event, StoredEntry):
            raise TypeError(f"{type(stored_event).__name__} does not come from our log")
        return self.codec.open(stored_event.entry)
