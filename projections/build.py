"""Building a view's next generation: from the beginning of the log, strict on errors.

Where the live view sets a bad event aside and goes on, a build fails: what goes live must be whole
(decision 0016). It resumes from its own checkpoint, and nothing here touches the live generation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final

from projections.applying import BatchApplier, Source
from projections.parking import ParkedEvent
from projections.projector import Projector
from projections.retry import Opener

EVENTS_A_BATCH: Final = 2000
"""More than the live view takes at once: nobody waits for one of them."""

_POISON_PAUSE_S: Final = 0.05
_WAIT_S: Final = 0.05


class BuildFailed(Exception):
    """The generation cannot be built; the live one is as it was."""


class GenerationBuild:
    """One build, for one thread. ``between_batches`` is called with it after every batch."""

    def __init__(
        self,
        projector: Projector,
        source: Source,
        codec: Opener,
        *,
        allow_parked: bool,
        between_batches: Callable[[GenerationBuild], object],
    ) -> None:
        self._source = source
        self._between_batches = between_batches
        self._applier = BatchApplier(
            projector,
            source,
            codec,
            poison_pause_s=_POISON_PAUSE_S,
            before_parking=_accept if allow_parked else refuse_parked,
        )
        self._applier.resume()
        if not allow_parked:
            refuse_parked(list(self._applier.parked.values()))

    @property
    def position(self) -> int:
        """How far the new generation has come."""
        return self._applier.position

    @property
    def parked(self) -> int:
        """How many events it has set aside."""
        return len(self._applier.parked)

    def catch_up(self, stop: threading.Event, last: int | None = None) -> None:
        """Apply what the log holds (up to ``last``) until nothing is left or ``stop`` is set.

        Raises `BuildFailed` for an event that cannot be shown, `UnknownEventType`, and what
        reading the log and committing to the view raise: then begin again from the checkpoint.
        """
        while not stop.is_set():
            limit = EVENTS_A_BATCH if last is None else min(EVENTS_A_BATCH, last - self.position)
            entries = self._source.read(limit, wait_s=_WAIT_S) if limit > 0 else []
            if not entries:
                return
            self._applier.apply(entries, stop)
            self._between_batches(self)


def refuse_parked(parked: Sequence[ParkedEvent]) -> None:
    """Raise `BuildFailed` that names the first of them, unless there are none."""
    if not parked:
        return
    first = min(parked, key=lambda event: event.position)
    raise BuildFailed(
        f"the event at position {first.position} ({first.type}) cannot be shown, {first.cause}: "
        f"{first.reason}; mend that, or build with allow_parked"
    )


def _accept(_: Sequence[ParkedEvent]) -> None:
    """Let events be set aside, as the live view does."""
