"""Projectors and sources that misbehave on purpose, around real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from domain.events import Event
from eventlog.entry import RawEntry
from eventlog.subscription import Checkpoint
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking
from projections.projector import PoisonEvent, Projector


class Wrapped:
    """A projector that passes everything on."""

    def __init__(self, inner: Projector) -> None:
        self.inner = inner
        self.name = inner.name
        self.aggregate_types = inner.aggregate_types

    def checkpoint(self) -> Checkpoint:
        return self.inner.checkpoint()

    def parked(self) -> list[ParkedEvent]:
        return self.inner.parked()

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        self.inner.apply(events, checkpoint, parking)


class Poisoned(Wrapped):
    """Refuses events at some positions until it is mended, and counts how often each was tried."""

    def __init__(self, inner: Projector, positions: Iterable[int]) -> None:
        super().__init__(inner)
        self.poison = set(positions)
        self.tries: Counter[int] = Counter()
        self.applied: list[int] = []

    def mend(self) -> None:
        self.poison.clear()

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        for event in events:
            self.tries[event.position] += 1
            if event.position in self.poison:
                raise PoisonEvent(event.position, "refused by the test")
        super().apply(events, checkpoint, parking)
        self.applied += [event.position for event in events]


class Failing(Wrapped):
    """Raises ``error()`` as long as it is broken."""

    def __init__(self, inner: Projector, error: Callable[[], Exception]) -> None:
        super().__init__(inner)
        self.error = error
        self.broken = True
        self.failures = 0

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        if self.broken:
            self.failures += 1
            raise self.error()
        super().apply(events, checkpoint, parking)


class Reader:
    """A source whose batches are changed on their way by ``alter``."""

    def __init__(self, inner: Any, alter: Callable[[list[RawEntry]], list[RawEntry]]) -> None:
        self._inner = inner
        self._alter = alter

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        return self._alter(self._inner.read(limit, wait_s))

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        return self._inner.checkpoint_at(entry)
