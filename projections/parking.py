"""Events that a view could not show: set aside by row key, in order, until somebody retries.

Only an error of the event itself parks it (spec: operations.md "Projection runner"). The list is
kept in the view and committed together with its checkpoint, so that it can neither be lost nor
be ahead of what was applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.events import EpisodeCommitted, MemoryCreated, MemoryProposed, type_of
from eventlog.entry import RawEntry

Cause = Literal["undecodable", "poison", "queued"]


class ParkedEvent(Struct, frozen=True):
    """One event set aside.

    ``key`` is the aggregate id: later events of the same key wait behind it (``cause``
    ``queued``), because applying them without it would give a state that
    never was. ``reason`` is for people and holds no content. ``through`` is the last position known
    to be of the same command: whoever asks for a position from ``position`` to ``through`` asks for
    something of which the view lacks a part. ``occurred_at_us`` is the event's time in
    microseconds since 1970. ``namespace`` is where the memory or episode is that the event
    creates, "" for every other event: what is erased before it was ever shown changes its
    namespace all the same.
    """

    position: int
    key: str
    type: str
    cause: Cause
    reason: str
    command_id: str = ""
    through: int = 0
    occurred_at_us: int = 0
    namespace: str = ""


class Parking(Struct, frozen=True, kw_only=True):
    """What one commit changes in a view's parked list: events added, positions taken off."""

    added: tuple[ParkedEvent, ...] = ()
    released: tuple[int, ...] = ()


NOTHING_PARKED: Final = Parking()

_CREATIONS: Final = frozenset(
    type_of(created) for created in (EpisodeCommitted, MemoryCreated, MemoryProposed)
)


class _Placed(Struct):
    """The part of a creation's body that stands open."""

    namespace: str


_decode_place: Final = msgspec.json.Decoder(_Placed).decode


def parked_as(cause: Cause, entry: RawEntry, reason: str, through: int) -> ParkedEvent:
    """Set a log entry aside whose command's events are known up to position ``through``."""
    return ParkedEvent(
        position=entry.position,
        key=entry.aggregate_id,
        type=entry.type,
        cause=cause,
        reason=reason,
        command_id=entry.command_id,
        through=through,
        occurred_at_us=entry.occurred_at_us,
        namespace=_created_in(entry),
    )


def last_of_command(entries: Sequence[RawEntry]) -> list[int]:
    """Give, for each entry of a batch, the last position in it that is of the same command."""
    lasts: list[int] = []
    for entry, behind in zip(reversed(entries), [None, *reversed(entries[1:])], strict=True):
        same = behind is not None and entry.command_id and entry.command_id == behind.command_id
        lasts.append(lasts[-1] if same else entry.position)
    return lasts[::-1]


def continued(
    parked: Iterable[ParkedEvent], entries: Sequence[RawEntry], lasts: Sequence[int]
) -> list[ParkedEvent]:
    """Give the parked events whose command goes on in the next batch, with its new end."""
    first = entries[0]
    return [
        replace(event, through=lasts[0])
        for event in parked
        if first.command_id
        and event.command_id == first.command_id
        and event.through == first.position - 1
    ]


def _created_in(entry: RawEntry) -> str:
    """Read the namespace from the stored body: an event that cannot be opened has no other."""
    if entry.type not in _CREATIONS:
        return ""
    try:
        return _decode_place(entry.body).namespace
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""  # a rebuild cannot read it either
