"""What an aggregate is here: a frozen state, and a pure function that folds events into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from domain.events import Event


class Aggregate(Protocol):
    """A state with the id of the thing and the version of the last event folded into it."""

    @property
    def id(self) -> str:
        """The aggregate's id in the log."""

    @property
    def version(self) -> int:
        """How many events it has."""


A = TypeVar("A", bound=Aggregate)


class AggregateKind(Struct, Generic[A], frozen=True):
    """A kind of aggregate: its name in the log, its state, and its fold.

    ``fold(state, event)`` gives the next state; the first event finds ``None``. It never refuses:
    what is in the log has happened. A state holds no text that people or models wrote, only
    digests of it, so that a snapshot of it has nothing to seal or to erase. ``grows`` says that
    its events have no natural end, so that looking for a snapshot first is worth it.
    """

    name: str
    state: type[A]
    fold: Callable[[A | None, Event], A]
    grows: bool = False

    def replay(self, state: A | None, events: Iterable[Event]) -> A | None:
        """Fold events onto a state, in the order of their versions."""
        for event in events:
            state = self.fold(state, event)
        return state
