"""Which moment a question about the past means (spec: recall.md, "Time travel")."""

from __future__ import annotations

from domain.errors import InvalidCommand
from memoryweave.contract import AsOf
from projections.state.history import Moment
from projections.state.view import StateView


def moment_of(as_of: AsOf | None, state: StateView) -> Moment | None:
    """Give the position that is meant, with the time by which things aged there; None for now.

    A time later than every event that the view has seen means the view's own end; to mean the
    log's end, wait until the view has come that far. Raises `InvalidCommand` unless exactly one of
    position and time is named, `ViewBehind` for a position that the view has not reached.
    """
    if as_of is None:
        return None
    require_one(as_of)
    if as_of.position is not None:
        return state.moment_at(as_of.position)
    assert as_of.time is not None
    return state.moment_before(as_of.time)


def require_one(as_of: AsOf) -> None:
    """Raise `InvalidCommand` unless exactly one of position and time is named."""
    if (as_of.position is None) == (as_of.time is None):
        raise InvalidCommand("as_of", "name a position or a time, and not both")
    if as_of.time is not None and as_of.time.tzinfo is None:
        raise InvalidCommand(
            "as_of", "the time needs a zone, such as the Z in 2026-05-10T00:00:00Z"
        )
