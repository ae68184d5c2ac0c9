"""Events that a view could not show: set aside by row key, in order, until somebody retries.

Only an error of the event itself parks it (spec: operations.md "Projection runner"). The list is
kept in the view and committed together with its checkpoint, so that it can neither be lost nor
be ahead of what was applied.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from eventlog.entry import RawEntry

Cause = Literal["undecodable", "poison", "queued"]


class ParkedEvent(Struct, frozen=True, kw_only=True):
    """One event set aside.

    ``key`` is the aggregate id: later events of the same key wait behind it (``cause``
    ``queued``), because applying them without it would give a state that never was. ``reason``
    is for people and holds no content.
    """

    position: int
    key: str
    type: str
    cause: Cause
    reason: str


class Parking(Struct, frozen=True, kw_only=True):
    """What one commit changes in a view's parked list: events added, positions taken off."""

    added: tuple[ParkedEvent, ...] = ()
    released: tuple[int, ...] = ()


NOTHING_PARKED: Final = Parking()


def parked_as(cause: Cause, entry: RawEntry, reason: str) -> ParkedEvent:
    """Set a log entry aside."""
    return ParkedEvent(
        position=entry.position,
        key=entry.aggregate_id,
        type=entry.type,
        cause=cause,
        reason=reason,
    )
