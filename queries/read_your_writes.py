"""Waiting until views show a position (spec: recall.md "Read your writes")."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from domain.errors import ViewBehind, ViewDegraded
from eventlog.subscription import Checkpoint
from projections.parking import ParkedEvent

RECALL_WAIT_S: Final = 2.0
"""How long a recall waits for ``min_position``."""

COMMAND_WAIT_S: Final = 10.0
"""How long a command with ``?wait`` waits for this node's views."""

_LOOK_EVERY_S: Final = 0.01


class ProjectedView(Protocol):
    """A view that says how far it has come and which positions it had to set aside."""

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come."""

    def parked_events(self, first: int = 1, last: int | None = None) -> list[ParkedEvent]:
        """Give the events at those positions that the view could not show."""


def pending_views(
    position: int,
    views: Mapping[str, ProjectedView],
    within_s: float,
    *,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> list[str]:
    """Wait until every view has reached ``position``; give the names of those that have not.

    The answer is sorted, and empty when all have. Returns at once when they have already.
    """
    deadline = monotonic() + within_s
    waiting = dict(views)
    while True:
        waiting = {
            name: view for name, view in waiting.items() if view.checkpoint().position < position
        }
        if not waiting or monotonic() >= deadline:
            return sorted(waiting)
        pause(_LOOK_EVERY_S)


def require_position(
    position: int,
    views: Mapping[str, ProjectedView],
    within_s: float = RECALL_WAIT_S,
    *,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Wait until every view shows ``position``.

    Raises `ViewBehind` when one has not come that far in time, and `ViewDegraded` when one had to
    set aside an event of the command whose receipt named ``position``: the view has passed the
    position without showing all that was written.
    """
    pending = pending_views(position, views, within_s, monotonic=monotonic, pause=pause)
    if pending:
        raise ViewBehind(
            f"view {', '.join(pending)} has not reached position {position}; try again"
        )
    for name, view in sorted(views.items()):
        parked = view.parked_events(position, position)
        if parked:
            raise ViewDegraded(
                f"view {name} could not show the event at position {parked[-1].position}, so what "
                f"was written up to {position} may be missing from it; ask without min_position, "
                "or have the parked events retried"
            )
