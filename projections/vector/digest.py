"""The digest of a vector view: its rows without their vectors, at one version of the table.

``event_pos`` counts as little, and so do ``session_seq`` and ``turn``: an event that was parked and
came late leaves other numbers there than on a node that could show it at once, and the same row
otherwise. Nor do ``derived_from`` and ``changed_memories`` count, which the fold keeps to tell
``superseded``: what was parked of a thing that was erased is missing in them. (On what a memory
rests is proved by the state view's digest.) ``superseded`` counts where a row is open; of the
past nobody asks it. What went with its session shows nothing, and what comes after the end of
its session never had several rows: such rows do not count. What a row tells in one column (`told`)
is in its other columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import lance

from projections.digest import Frozen, RowSeen, ViewDigest, digest_of
from projections.vector import told
from projections.vector.schema import SENTINEL_ID, TABLE
from projections.vector.sentinel import sentinel_in
from projections.vector.working_rows import CLOSED_WITH_SESSION

_ROWS_AT_ONCE: Final = 4096
_LEFT_OUT: Final = frozenset(
    {
        "vector",
        "event_pos",
        "session_seq",
        "turn",
        "derived_from",
        "changed_memories",
        told.COLUMN,
    }
)


def digest_vector(folder: Path, seen: RowSeen | None = None) -> ViewDigest:
    """Digest the generation in ``folder``, which may be written meanwhile.

    Raises the storage library's errors (ValueError, RuntimeError, OSError).
    """
    return frozen_vector(folder)(seen)


def frozen_vector(folder: Path) -> Frozen:
    """Give what digests the generation in ``folder`` as it is now.

    Usable for some minutes, until the version goes that the table has now. Raises as above.
    """
    dataset = lance.dataset(str(folder / f"{TABLE}.lance"))
    sentinel = sentinel_in(dataset)
    position = sentinel.checkpoint.position
    parked = [event.position for event in sentinel.parked]
    return lambda seen: digest_of("vector", position, _rows(dataset), parked, seen)


def counted(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give what of a row counts in the digest, None where nothing does."""
    if row["id"] == SENTINEL_ID or row["ended_by"] == CLOSED_WITH_SESSION:
        return None
    left_out = _LEFT_OUT if row["to_position"] is None else _LEFT_OUT | {"superseded"}
    return {name: value for name, value in row.items() if name not in left_out}


def _rows(dataset: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    columns = [name for name in dataset.schema.names if name not in _LEFT_OUT]
    for batch in dataset.scanner(columns=columns, batch_size=_ROWS_AT_ONCE).to_batches():
        for row in batch.to_pylist():
            if (of_it := counted(row)) is not None:
                yield TABLE, of_it
