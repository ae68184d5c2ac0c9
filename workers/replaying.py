"""Replaying a range of the log against a view: what it does to a view that is folded beside it.

The fold begins at the beginning of the log, because an event means what it means after those
before it, and goes into a scratch folder. The live view is only read.
"""

from __future__ import annotations

import threading
from array import array
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from projections.build import GenerationBuild, refuse_parked
from projections.digest import ViewDigest
from projections.generation import built_by, current_generation
from projections.parking import ParkedEvent
from projections.scratch import scratch_of
from workers.node import view_path
from workers.view_writing import LogParts
from workers.views import ViewKind


class TableChange(Struct, frozen=True, kw_only=True):
    """What a range did to one table: rows that it wrote, rows that it replaced or removed."""

    table: str
    written: int
    replaced: int


class LiveComparison(Struct, frozen=True, kw_only=True):
    """The fold and the live view at one position, the live view's.

    ``standing`` is how many of the rows that the range wrote nothing has changed since;
    ``missing`` is how many of those the live view does not have as they are. ``equal`` tells
    whether the whole live view is what the log says.
    """

    equal: bool
    live: ViewDigest
    folded: ViewDigest
    standing: int
    missing: int


class Replayed(Struct, frozen=True, kw_only=True):
    """What came of a replay. ``not_compared`` says why there is no comparison."""

    view: str
    first: int
    last: int
    tables: list[TableChange]
    digest: ViewDigest
    comparison: LiveComparison | None = None
    not_compared: str = ""


def replay(
    kind: ViewKind, parts: LogParts, first: int, last: int, *, allow_parked: bool = False
) -> Replayed:
    """Fold the log up to ``last`` and tell what the events from ``first`` on did to the view.

    Where the live view has come at least as far, the fold goes on to its position and both are
    compared there: not at ``last``, because a text that was erased since is in neither of them,
    but can't be folded any more. Raises `BuildFailed` for an event of the range that cannot be
    shown (unless ``allow_parked``; outside the range they are set aside), `ScratchInUse`, and
    what reading the log and the stores raise.
    """
    path = view_path(parts.settings, kind.name)
    live, live_rows, reason = _live(kind, parts, path, last)
    with scratch_of(path) as folder:
        before = _Rows()
        if first > 1:
            _fold(kind, parts, folder, first - 1)
            kind.digest(folder, before.see)
        after = _Rows()
        parked = _fold(kind, parts, folder, last)
        if not allow_parked:
            refuse_parked([event for event in parked if event.position >= first])
        digest = kind.digest(folder, after.see)
        written, replaced = after.without(before), before.without(after)
        comparison = None
        if live is not None:
            folded = _Rows()
            _fold(kind, parts, folder, live.position)
            folded_digest = kind.digest(folder, folded.see)
            standing = written.within(folded)
            comparison = LiveComparison(
                equal=live == folded_digest,
                live=live,
                folded=folded_digest,
                standing=standing.count(),
                missing=standing.without(live_rows).count(),
            )
    return Replayed(
        view=kind.name,
        first=first,
        last=last,
        tables=[
            TableChange(table=table, written=written.count(table), replaced=replaced.count(table))
            for table in sorted(written.tables() | replaced.tables())
        ],
        digest=digest,
        comparison=comparison,
        not_compared=reason,
    )


class _Rows:
    """A set of rows by table, 8 bytes of its hash a row: enough that no two of 10⁷ are mixed up."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))

    def see(self, table: str, row_hash: int) -> None:
        self._seen[table].append(row_hash & 0xFFFF_FFFF_FFFF_FFFF)

    def tables(self) -> set[str]:
        return {table for table, hashes in self._seen.items() if hashes}

    def count(self, table: str | None = None) -> int:
        if table is None:
            return sum(map(len, self._seen.values()))
        return len(self._seen[table])

    def without(self, other: _Rows) -> _Rows:
        return self._kept(other, present=False)

    def within(self, other: _Rows) -> _Rows:
        return self._kept(other, present=True)

    def _kept(self, other: _Rows, *, present: bool) -> _Rows:
        kept = _Rows()
        for table in self._seen:
            mine, theirs = self._array(table), other._array(table)
            kept._seen[table] = array("Q", mine[np.isin(mine, theirs) == present].tolist())
        return kept

    def _array(self, table: str) -> NDArray[np.uint64]:
        return np.frombuffer(self._seen[table], dtype=np.uint64)


def _live(
    kind: ViewKind, parts: LogParts, path: Path, last: int
) -> tuple[ViewDigest | None, _Rows, str]:
    """Digest the live view; None with the reason where it can't be compared."""
    rows = _Rows()
    generation = current_generation(path)
    if generation is None:
        return None, rows, "there is no live view"
    if built_by(path / str(generation)) != kind.builder(parts.settings):
        return None, rows, "another program or embedder built the live view"
    digest = kind.digest(path / str(generation), rows.see)
    if digest.position < last:
        return None, rows, f"the live view has come to {digest.position} only"
    return digest, rows, ""


def digest_at(kind: ViewKind, parts: LogParts, position: int) -> ViewDigest:
    """Digest what the view showed at ``position``: fold the log up to there into a scratch folder.

    What cannot be shown is set aside, as a live view does. A text that was erased since is not in
    it. Raises `ScratchInUse`, and what reading the log and the stores raise.
    """
    with scratch_of(view_path(parts.settings, kind.name)) as folder:
        _fold(kind, parts, folder, position)
        return kind.digest(folder)


def _fold(kind: ViewKind, parts: LogParts, folder: Path, last: int) -> list[ParkedEvent]:
    """Bring the scratch view to ``last``; give what it has set aside on the way, as a live one."""
    with (
        kind.open(parts.settings, folder, kind.builder(parts.settings)) as opened,
        closing(parts.subscribe(opened.projector.checkpoint())) as source,
    ):
        build = GenerationBuild(
            opened.projector,
            source,
            opened.opener(parts.codec),
            allow_parked=True,
            between_batches=lambda _: opened.while_building(),
        )
        never = threading.Event()
        while build.position < last:
            build.catch_up(never, last=last)
        return opened.projector.parked()
