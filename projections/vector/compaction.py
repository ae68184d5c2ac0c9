"""Rewrites fragments of the table: small ones together, and ones with many rows marked as deleted.

A rewritten row has another place, and whatever knows of its old one is written anew with it: every
part of an index that covers its fragment. So what a rewrite costs grows with those parts, not with
the fragment: 30 s where a part covers a million rows, 0.3 where it covers ten thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from lance.optimize import Compaction

ROWS_PER_FRAGMENT: Final = 4096
_ROWS_AT_ONCE: Final = 8_192
"""Of parts of indices: writing them anew takes less than half a second."""

_MANY_FRAGMENTS: Final = 8


def compactions(dataset: Any, *, deletions_above: float) -> Sequence[Any]:
    """Plan what is to be rewritten, each fragment once: those with a larger share of deleted rows,
    and small ones side by side."""
    return Compaction.plan(
        dataset,
        {
            "target_rows_per_fragment": ROWS_PER_FRAGMENT,
            "materialize_deletions": True,
            "materialize_deletions_threshold": deletions_above,
            "num_threads": 1,
        },
    ).tasks


def compact(dataset: Any, planned: Any) -> None:
    """Rewrite what was planned over that version of the table.

    Raises the storage library's errors, among them that rows of these fragments were changed
    meanwhile: then nothing has happened, and it is to be planned again.
    """
    Compaction.commit(dataset, [planned.execute(dataset)])


def saves_much(planned: Any) -> bool:
    """Tell whether a rewrite that takes long is worth it: of one large fragment, or many small."""
    rows = sum(fragment.physical_rows for fragment in planned.fragments)
    return len(planned.fragments) >= _MANY_FRAGMENTS or rows >= ROWS_PER_FRAGMENT // 2


def takes_long(dataset: Any, planned: Any) -> bool:
    """Tell whether a rewrite takes longer than a writer may be kept waiting (half a second)."""
    rewritten = {fragment.id for fragment in planned.fragments}
    rows = {one.fragment_id: one.metadata.num_rows for one in dataset.get_fragments()}
    return any(
        sum(rows.get(fragment, 0) for fragment in part.fragment_ids) > _ROWS_AT_ONCE
        for index in dataset.describe_indices()
        for part in index.segments
        if not rewritten.isdisjoint(part.fragment_ids)
    )
