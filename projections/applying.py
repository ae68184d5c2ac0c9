"""One batch into one view: opened, sorted, tried, and committed with its checkpoint."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from eventlog.entry import RawEntry
from eventlog.outcomes import LogGap
from eventlog.subscription import Checkpoint
from projections.batch import SortedBatch, sort_batch
from projections.erased import erased_things
from projections.parking import ParkedEvent, Parking, continued, last_of_command
from projections.projector import PoisonEvent, Projector
from projections.retry import Opener

POISON_TRIES: Final = 3


class Source(Protocol):
    """The part of `eventlog.subscription.Subscription` that is needed here."""

    def read(self, limit: int = 500, wait_s: float = 0.05) -> list[RawEntry]:
        """Give the next entries, [] if none came in time."""

    def checkpoint_at(self, entry: RawEntry) -> Checkpoint:
        """Give the checkpoint of a reader that has come up to and including ``entry``."""


class BatchApplier:
    """Applies batches to one projector, for one thread.

    ``reached`` is how far the view has come and ``parked`` what it has set aside, as of the last
    commit or `resume`. ``before_parking`` is told of events that are about to be set aside, before
    the commit that would do so; what it raises prevents that commit.
    """

    def __init__(
        self,
        projector: Projector,
        source: Source,
        codec: Opener,
        *,
        poison_pause_s: float,
        before_parking: Callable[[Sequence[ParkedEvent]], None],
    ) -> None:
        self.reached = Checkpoint()
        self.parked: dict[int, ParkedEvent] = {}
        self._projector = projector
        self._source = source
        self._codec = codec
        self._poison_pause_s = poison_pause_s
        self._before_parking = before_parking

    @property
    def position(self) -> int:
        """How far the view has come."""
        return self.reached.position

    def resume(self) -> None:
        """Ask the store how far it is: a commit that raised may have been made all the same."""
        self.reached = self._projector.checkpoint()
        self.parked = {parked.position: parked for parked in self._projector.parked()}

    def apply(self, entries: Sequence[RawEntry], stop: threading.Event) -> None:
        """Apply the entries that follow on `position`, those that the view has seen left out.

        Returns early when ``stop`` is set. Raises `UnknownEventType` after everything before such
        an event was committed, and whatever the codec, the projector or the store raise.
        """
        entries = _unseen(entries, self.position)
        opened = self._codec.open_batch(entries)
        tries: Counter[int] = Counter()
        poisoned: dict[int, str] = {}
        while entries and not stop.is_set():
            batch = sort_batch(
                entries,
                opened,
                blocked={parked.key for parked in self.parked.values()},
                poisoned=poisoned,
                shown=self._projector.aggregate_types,
            )
            try:
                self._commit(batch, entries)
            except PoisonEvent as error:
                if error.position not in {event.position for event in batch.events}:
                    raise RuntimeError(
                        f"the {self._projector.name} view blames position {error.position}, "
                        "which is not in its batch"
                    ) from error
                tries[error.position] += 1
                if tries[error.position] == POISON_TRIES:
                    poisoned[error.position] = error.reason
                else:
                    stop.wait(self._poison_pause_s * tries[error.position])
                continue
            if batch.halt is not None:
                raise batch.halt
            return

    def _commit(self, batch: SortedBatch, entries: Sequence[RawEntry]) -> None:
        if batch.covered == 0:
            return
        if batch.parked:
            self._before_parking(batch.parked)
        last = entries[batch.covered - 1]
        longer = continued(self.parked.values(), entries, last_of_command(entries))
        parking = Parking(added=(*longer, *batch.parked))
        reached = self._source.checkpoint_at(last)
        self._projector.apply(batch.events, reached, parking)
        self.reached = reached
        gone = erased_things(batch.events)
        kept = (*self.parked.values(), *parking.added)
        self.parked = {parked.position: parked for parked in kept if parked.key not in gone}


def _unseen(entries: Sequence[RawEntry], position: int) -> list[RawEntry]:
    """Drop what the view has shown; raise `LogGap` unless the rest follows on ``position``.

    The subscription has checked the same. This is the last place at which a mistake before it
    could still be kept out of the view.
    """
    unseen = [entry for entry in entries if entry.position > position]
    for expected, entry in enumerate(unseen, position + 1):
        if entry.position != expected:
            raise LogGap(expected, entry.position)
    return unseen
