"""What the runner asks of a view: a checkpoint, a parked list, and one atomic step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from domain.errors import ViewDegraded
from domain.events import Event
from eventlog.subscription import Checkpoint
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking


class PoisonEvent(Exception):
    """A projector cannot show this event, and would not be able to on the next day either.

    The runner tries three times, then parks the event. Anything else that a projector raises
    pauses the whole view. ``reason`` must not quote the event's content: it is shown in health.
    """

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"event at position {position}: {reason}")
        self.position = position
        self.reason = reason


class ViewFenced(Exception):
    """Another process has taken the view over; this one must stop writing it."""


class ViewDamaged(ViewDegraded):
    """What a generation says of how far it has come cannot be read: another must be built."""


class Projector(Protocol):
    """Builds one view. Deterministic: no clock, network, model or randomness.

    Owned by one thread. A view with other threads (a filler) takes its own lock inside.
    """

    @property
    def name(self) -> str:
        """The view's name, as in ``views/<name>``."""

    @property
    def aggregate_types(self) -> frozenset[str]:
        """The kinds of aggregate the view shows.

        An event type newer than this program stops the view if it belongs to one of them.
        """

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come, as committed with its rows; zero for an empty view."""

    def parked(self) -> list[ParkedEvent]:
        """Give the parked events by position."""

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        """Apply events in order and commit them with checkpoint and parking, or change nothing.

        An event that a row already shows changes nothing: a row carries the position that last
        changed it and is updated only by a newer one. Raises `PoisonEvent` for an event that
        cannot be shown, `ViewFenced` if another process took over; any other error means that
        the storage failed and the same step may be tried again.
        """
