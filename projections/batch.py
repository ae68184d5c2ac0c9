"""Sorting a batch: what is applied, what is set aside, and where the view has to stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

from msgspec import Struct

from domain.events import Event
from eventlog.codec import Undecodable, UnknownEventType
from eventlog.entry import RawEntry
from projections.parking import ParkedEvent, last_of_command, parked_as

QUEUED: Final = "an earlier event of its aggregate is parked"


class SortedBatch(Struct, frozen=True, kw_only=True):
    """The first ``covered`` entries of a batch, sorted; ``halt`` is what stands after them."""

    events: list[Event]
    parked: list[ParkedEvent]
    covered: int
    halt: UnknownEventType | None = None


def sort_batch(
    entries: Sequence[RawEntry],
    opened: Sequence[Event | Undecodable | UnknownEventType],
    *,
    blocked: Set[str],
    poisoned: Mapping[int, str],
    shown: frozenset[str],
) -> SortedBatch:
    """Sort opened entries, in order.

    ``blocked`` are the row keys behind which later events queue, ``poisoned`` the reasons of
    events that the projector refused, by position. A type that this program does not know is
    passed over unless its kind of aggregate is among those ``shown``: then the view has to stop
    before it, because a newer program's event may mean anything.
    """
    keys = set(blocked)
    events: list[Event] = []
    parked: list[ParkedEvent] = []
    lasts = last_of_command(entries)
    for number, (entry, item) in enumerate(zip(entries, opened, strict=True)):
        key, last = entry.aggregate_id, lasts[number]
        if key in keys:
            parked.append(parked_as("queued", entry, QUEUED, last))
        elif isinstance(item, UnknownEventType):
            if entry.aggregate_type.lower() in shown:
                return SortedBatch(events=events, parked=parked, covered=number, halt=item)
        elif isinstance(item, Undecodable):
            parked.append(parked_as("undecodable", entry, item.reason, last))
            keys.add(key)
        elif entry.position in poisoned:
            parked.append(parked_as("poison", entry, poisoned[entry.position], last))
            keys.add(key)
        else:
            events.append(item)
    return SortedBatch(events=events, parked=parked, covered=len(entries))
