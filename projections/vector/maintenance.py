"""Keeps the table quick to search: indices, compaction, old versions. Only the writer does it.

A round is due after so many rows or commits, and when no more rows come: a question costs a fifth
more while a single row that may answer is in no index (docs/decisions/0047).

Nothing here holds up a batch for longer than half a second. In small steps in the writer's thread
is done what must not meet a commit: compacting a few thousand rows. The rest runs in a thread
beside the writer, which Lance allows: indexing what is new, together with the newest parts of each
index; building the vectors' index; compacting what a large part of an index knows of. Fragments
cannot be rewritten nor other parts be made meanwhile, so no round begins until it is over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import lance

from projections.vector.compaction import compact, compactions, saves_much, takes_long
from projections.vector.indices import (
    VECTOR_INDEX,
    build_vector_index,
    create_scalar_index,
    has_outgrown,
    missing_indices,
)
from projections.vector.projector import VectorProjector
from projections.vector.schema import TABLE

OLD_VERSIONS: Final = timedelta(minutes=10)
"""How long a version stays for readers that still look at it; they follow within a second."""

COMMITS_PER_ROUND: Final = 100
ROWS_PER_ROUND: Final = 2000
VECTOR_INDEX_FROM: Final = 4_000
"""Below this many rows a scan costs little; at 10,000 it takes a third of a recall."""

_COMPACTIONS_PER_ROUND: Final = 4
_DELETIONS: Final = 0.1
"""The share of deleted rows from which on a fragment is rewritten."""

QUIET_S: Final = 0.5
"""How long no row must have come for a round to begin for fewer."""

_REST: Final = 20
"""How many times as long as such a round took none begins after it: rows that come one by one keep
no core busy with upkeep."""

_AFTER_FAILURE_S: Final = 30.0
"""How long no round begins for few rows after work that failed, as on a full disk."""

_TIMES_LARGER: Final = 10
_FEW_ROWS: Final = 1_000
"""What is new joins a part of an index that is no more than ten times as large, as if it had at
least a thousand rows: to write a row into an index once more costs 5 µs, to look at one more part
costs every question half a millisecond or more."""

_GROWN: Final = 2
"""How many times as many rows a cell may hold as it was built for, before there are new cells."""


def optimize(folder: Path) -> None:
    """Do all of it at once, however long it takes: for rebuilds and benchmarks."""
    import lancedb

    table = lancedb.connect(folder).open_table(TABLE)
    table.optimize(cleanup_older_than=OLD_VERSIONS)
    for column in missing_indices(dataset_of(folder)):
        create_scalar_index(dataset_of(folder), column)
    rows = dataset_of(folder).count_rows("vector IS NOT NULL")
    if rows >= VECTOR_INDEX_FROM and VECTOR_INDEX not in index_names(dataset_of(folder)):
        build_vector_index(folder)


def dataset_of(folder: Path) -> Any:
    """Give the table in a generation's folder as Lance's own dataset, at its newest version."""
    return lance.dataset(str(folder / f"{TABLE}.lance"))


def index_names(dataset: Any) -> list[str]:
    """Give the names of a Lance dataset's indices."""
    return [index.name for index in dataset.describe_indices()]


class Maintenance:
    """The upkeep of one projector's table. `step` belongs to the writer's thread."""

    def __init__(
        self,
        projector: VectorProjector,
        *,
        report: Callable[[Exception], None],
        monotonic: Callable[[], float],
        vector_index_from: int = VECTOR_INDEX_FROM,
    ) -> None:
        """``report`` is told when the work beside the writer failed; it is tried again later.

        ``monotonic`` gives seconds that never run backwards.
        """
        self._projector = projector
        self._report = report
        self._monotonic = monotonic
        self._vector_index_from = vector_index_from
        self._commits = 0
        self._rows = 0
        self._quiet_since = self._resting_until = monotonic()
        self._seen = 0
        self._indexed: int | None = None
        self._round: Iterator[None] | None = None
        self._beside: threading.Thread | None = None

    def step(self) -> bool:
        """Do one bounded part of what is due; tell whether more is. Storage errors pass through."""
        now, rows = self._monotonic(), self._projector.rows_written
        if rows != self._seen:
            self._seen, self._quiet_since = rows, now
        if self._beside is not None:
            if self._beside.is_alive():
                return False
            self._beside = None
        if self._round is None:
            work = partial(self._work_beside, rows)
            if not self._much_is_new():
                if not self._is_quiet_and_rows_wait(now):
                    return False
                work = partial(self._work_beside_and_rest, rows, now)
            self._commits, self._rows = self._projector.commits, rows
            self._round = self._steps(work)
        try:
            next(self._round)
        except StopIteration:
            self._round = None
        except BaseException:
            self._round = None
            self._rest(_AFTER_FAILURE_S)
            raise
        return self._round is not None

    def work_alone(self, work: Callable[[], None] | None = None) -> bool:
        """Begin ``work`` beside the writer unless something runs there; tell if nothing does now.

        Until it is over, `step` does nothing.
        """
        if self._beside is not None:
            if self._beside.is_alive():
                return False
            self._beside = None
        self._round = None
        if work is None:
            return True
        self._begin_beside(work)
        return False

    def close(self) -> None:
        """Wait for the work beside the writer."""
        if self._beside is not None:
            self._beside.join()

    def _much_is_new(self) -> bool:
        return (
            self._projector.commits - self._commits >= COMMITS_PER_ROUND
            or self._projector.rows_written - self._rows >= ROWS_PER_ROUND
        )

    def _is_quiet_and_rows_wait(self, now: float) -> bool:
        """Tell whether no more rows come, and some came, or may have before this process began."""
        return (
            self._seen != self._indexed
            and now - self._quiet_since >= QUIET_S
            and now >= self._resting_until
        )

    def _rest(self, seconds: float) -> None:
        self._resting_until = self._monotonic() + seconds

    def _steps(self, work: Callable[[], None]) -> Iterator[None]:
        for _ in range(_COMPACTIONS_PER_ROUND):
            if not self._compact_what_is_quick(_DELETIONS):
                break
            yield
        self._dataset().cleanup_old_versions(OLD_VERSIONS)
        yield
        if self._lacks_vector_index():
            # A build over deleted rows takes eight times as long.
            while self._compact_what_is_quick(0.0):
                yield
        self._begin_beside(work)

    def _begin_beside(self, work: Callable[[], None]) -> None:
        self._beside = threading.Thread(
            target=self._guarded, args=(work,), name="vector-upkeep", daemon=True
        )
        self._beside.start()

    def _lacks_vector_index(self) -> bool:
        dataset = self._dataset()
        return VECTOR_INDEX not in index_names(dataset) and (
            dataset.count_rows("vector IS NOT NULL") >= self._vector_index_from
        )

    def _work_beside_and_rest(self, rows: int, began: float) -> None:
        self._work_beside(rows)
        self._rest(_REST * (self._monotonic() - began))

    def _work_beside(self, rows: int) -> None:
        """Do what grows with the table and is due: of the first ``rows`` none is left out then."""
        # Before more fragments come to the index: those are the ones that commits still change.
        self._compact_what_takes_long()
        names = index_names(self._dataset())
        grown = VECTOR_INDEX in names and has_outgrown(self._dataset(), _GROWN)
        index_what_is_new(self._dataset())
        for column in missing_indices(self._dataset()):
            create_scalar_index(self._dataset(), column)
        if grown or self._lacks_vector_index():
            build_vector_index(self._projector.folder)
        self._indexed = rows

    def _compact_what_is_quick(self, deletions_above: float) -> bool:
        """Rewrite one group of fragments that the writer can wait for; tell if there was one."""
        dataset = self._dataset()
        due = compactions(dataset, deletions_above=deletions_above)
        planned = next((one for one in due if not takes_long(dataset, one)), None)
        if planned is not None:
            compact(dataset, planned)
        return planned is not None

    def _compact_what_takes_long(self) -> None:
        """Rewrite one old fragment. The new ones, which every commit changes, are in small parts.

        Where a commit changed rows of it meanwhile, Lance refuses, and a later round tries again.
        """
        dataset = self._dataset()
        due = compactions(dataset, deletions_above=_DELETIONS)
        planned = next((one for one in due if saves_much(one) and takes_long(dataset, one)), None)
        if planned is not None:
            compact(dataset, planned)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  # reported; a later round tries again
            self._rest(_AFTER_FAILURE_S)
            self._report(error)

    def _dataset(self) -> Any:
        return dataset_of(self._projector.folder)


def index_what_is_new(dataset: Any) -> None:
    """Index it in every index, together with the newest parts of that: so few are left of them."""
    rows = {one.fragment_id: one.metadata.num_rows for one in dataset.get_fragments()}
    alike: dict[int, list[str]] = {}
    for index in dataset.describe_indices():
        parts = [[*part.fragment_ids] for part in index.segments]
        known = {fragment for part in parts for fragment in part}
        new = sum(count for fragment, count in rows.items() if fragment not in known)
        sizes = [sum(rows.get(fragment, 0) for fragment in part) for part in parts]
        joined = parts_to_join(sizes, new)
        if new or joined > 1:
            alike.setdefault(joined, []).append(index.name)
    for joined, names in alike.items():
        dataset.optimize.optimize_indices(index_names=names, num_indices_to_merge=joined)


def parts_to_join(sizes: Sequence[int], new: int) -> int:
    """Give how many of an index's parts, the last ones, become one with ``new`` rows.

    ``sizes`` are their rows, the oldest part first. Of the parts that stay each is more than ten
    times as large as all after it, so there are few: 3 at a million rows.
    """
    joined, after = 0, new
    for count, size in enumerate(reversed(sizes), 1):
        if size <= _TIMES_LARGER * max(after, _FEW_ROWS):
            joined = count
        after += size
    return joined
