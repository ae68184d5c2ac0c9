"""Builds a generation of the vector view from the beginning of the log.

A table that takes a merge for every batch costs more the larger it is: each one looks through its
indices, leaves fragments to be compacted and parts of indices to be merged. So the batches go into
staged rows (`staging`), and the table is written from them once, when the build has caught up:
`table` has it in one rename, whole and indexed, or not at all. From then on it is a projector like
the live one's, for what happens meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from domain.events import Event
from eventlog.subscription import Checkpoint
from projections.parking import NOTHING_PARKED, ParkedEvent, Parking
from projections.vector.cache import VectorCache
from projections.vector.projector import VectorProjector, model_of, require_model
from projections.vector.sentinel import Sentinel
from projections.vector.shipping import forget_in
from projections.vector.staging import Dropped, Staging, remove_staging
from projections.vector.step import step
from projections.vector.table import has_table, remove_unfinished, write_table
from projections.vector.turns import LastTurns

_FORGOTTEN_AT_ONCE: Final = 5_000


class VectorBuild:
    """A projector that stages rows until `write` makes the table.

    ``projector`` is None before that. Nothing erased up to ``clean_up_to`` can be in the table's
    files: they were written since.
    """

    name: Final = VectorProjector.name
    aggregate_types: Final = VectorProjector.aggregate_types

    def __init__(self, folder: Path, cache: VectorCache) -> None:
        """Go on with what is in ``folder``, a generation that this process has locked.

        Raises `ModelChanged` and `ViewDamaged` as `VectorProjector` does.
        """
        self._folder = folder
        self._cache = cache
        self._turns = LastTurns()
        self._staging: Staging | None = None
        self._known = Sentinel(model=model_of(cache))
        self._changes = 0
        self.projector: VectorProjector | None = None
        self.clean_up_to = 0
        if has_table(folder):
            self._open_table()
        else:
            self._staging = Staging(folder)
            self._known = self._staging.sentinel() or self._known
            require_model(self._known.model, cache)

    @property
    def rows_written(self) -> int:
        """How many changed rows this process has committed."""
        return self._changes + (0 if self.projector is None else self.projector.rows_written)

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come, as committed."""
        if self.projector is not None:
            return self.projector.checkpoint()
        return self._known.checkpoint

    def parked(self) -> list[ParkedEvent]:
        """Give the parked events by position."""
        if self.projector is not None:
            return self.projector.parked()
        return list(self._known.parked)

    def erased(self) -> int:
        """Give the position of the newest erasure that the view shows, 0 for none."""
        return self._known.erased if self.projector is None else self.projector.erased()

    def apply(
        self,
        events: Sequence[Event],
        checkpoint: Checkpoint,
        parking: Parking = NOTHING_PARKED,
    ) -> None:
        """Commit what the events change (see `projections.projector.Projector`)."""
        if self.projector is not None:
            self.projector.apply(events, checkpoint, parking)
            return
        assert self._staging is not None
        done = step(self._staging, self._known, self._turns, events, checkpoint, parking)
        if done is None:
            return
        rows = done.rows
        self._staging.commit(
            rows.changed.values(), rows.removed.values(), rows.dropped, done.sentinel
        )
        self._known = done.sentinel
        self._turns.keep(rows.numbers, done.events)
        self._changes += len(rows.changed) + 1

    def write(self, stopped: Callable[[], bool]) -> bool:
        """Write the table, unless it is there; False if ``stopped`` told to leave off before.

        What no row says any more is forgotten first, as the live projector does with every batch.
        Raises storage errors; then, or after a kill, the same call begins writing anew.
        """
        if self.projector is not None:
            return True
        assert self._staging is not None
        for dropped in self._staging.dropped(_FORGOTTEN_AT_ONCE):
            _forget(dropped, self._cache)
        if not write_table(self._folder, self._staging, self._known, self._cache, stopped):
            return False
        self.close()
        self.clean_up_to = self._known.erased
        self._open_table()
        return True

    def close(self) -> None:
        """Close what is open."""
        if self._staging is not None:
            self._staging.close()
            self._staging = None

    def _open_table(self) -> None:
        # What was staged is in the table; a process that was killed may have left it.
        remove_staging(self._folder)
        remove_unfinished(self._folder)
        self.projector = VectorProjector(self._folder, self._cache)


def _forget(dropped: Dropped, cache: VectorCache) -> None:
    cache.forget(cache.known(dropped.changed))
    # Caches of other models may have what was erased.
    if dropped.removed:
        forget_in(cache.path.parent, map(bytes.fromhex, dropped.removed))
