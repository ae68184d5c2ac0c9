"""Takes what was erased out of the table's files, step by step; only the writer's process does it.

A removed row stays in its fragment behind a deletion mark, its words in the full-text index, and
both in every older version of the table. So fragments with such marks are written anew, then the
indices of texts and vectors, and when readers have followed, older versions go with their files,
those too that a killed process left unfinished.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from projections.purging import READERS_FOLLOW_WITHIN_S, Progress
from projections.vector.compaction import compact, compactions, takes_long
from projections.vector.indices import VECTOR_INDEX, build_text_index, build_vector_index
from projections.vector.maintenance import Maintenance, dataset_of, index_names
from projections.vector.projector import VectorProjector

_NOT_BEGUN: Final = -1


class VectorPurge:
    """The purge of one projector's table; begun anew when more was erased meanwhile."""

    def __init__(
        self,
        projector: VectorProjector,
        upkeep: Maintenance,
        *,
        monotonic: Callable[[], float],
        readers_follow_s: float = READERS_FOLLOW_WITHIN_S,
    ) -> None:
        self._projector = projector
        self._upkeep = upkeep
        self._monotonic = monotonic
        self._readers_follow_s = readers_follow_s
        self._erased = _NOT_BEGUN
        self._marked: set[int] = set()
        self._indexed_at: float | None = None

    def step(self) -> Progress:
        """Do the next step. Storage errors pass through; the step is done again."""
        if not self._upkeep.work_alone():
            return "later"
        if self._erased != self._projector.erased():
            self._erased = self._projector.erased()
            self._marked = self._with_marks()
            self._indexed_at = None
        if self._marked:
            return self._compact()
        if self._indexed_at is None:
            self._upkeep.work_alone(self._build_indices)
            return "later"
        waited = self._monotonic() - self._indexed_at
        if waited < self._readers_follow_s:
            return "later"
        dataset_of(self._projector.folder).cleanup_old_versions(
            timedelta(seconds=waited), delete_unverified=True
        )
        self._erased = _NOT_BEGUN
        return "done"

    def _compact(self) -> Progress:
        self._marked &= self._with_marks()
        if not self._marked:
            return "more"
        dataset = dataset_of(self._projector.folder)
        due = compactions(dataset, deletions_above=0.0)
        if not due:
            raise RuntimeError(f"fragments {sorted(self._marked)} cannot be written anew")
        planned = next((one for one in due if not takes_long(dataset, one)), None)
        if planned is None:
            self._upkeep.work_alone(lambda: compact(dataset, due[0]))
            return "later"
        compact(dataset, planned)
        self._projector.table.checkout_latest()
        return "more"

    def _with_marks(self) -> set[int]:
        return {
            fragment.fragment_id
            for fragment in dataset_of(self._projector.folder).get_fragments()
            if fragment.metadata.deletion_file is not None
        }

    def _build_indices(self) -> None:
        folder = self._projector.folder
        build_text_index(dataset_of(folder))
        if VECTOR_INDEX in index_names(dataset_of(folder)):
            build_vector_index(folder)
        self._indexed_at = self._monotonic()
