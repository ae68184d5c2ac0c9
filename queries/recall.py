"""Recall: the memories and episodes that answer a query (spec: recall.md).

The vector view finds candidates, the state view says what each of them is now: a result is only
what both agree on, so a text that was corrected or deleted is not shown while one view is ahead
of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct, structs

from domain.caller import Caller
from domain.errors import InvalidCommand
from domain.settings import DEFAULT_POLICY, PolicySettings
from inference.embedder import Embedder
from memoryweave.contract import Degraded, Recall, RecallAnswer, RecallItem
from projections.state.view import StateView
from projections.vector.view import SearchFilter, VectorView
from queries.candidates import CANDIDATES, Found, attempt, scan, search
from queries.filters import search_filter
from queries.read_your_writes import ProjectedView, require_position
from queries.results import Judgement, results_of
from queries.scope import searched

_MILLISECOND: Final = timedelta(milliseconds=1)


class RecallParts(Struct, frozen=True, kw_only=True):
    """What a recall works with. ``pool`` runs lexical searches; its size bounds them."""

    state: StateView
    vector: VectorView
    embedder: Embedder
    pool: Executor


def recall(
    request: Recall,
    caller: Caller,
    parts: RecallParts,
    clock: Callable[[], datetime],
    recall_id: str,
    policy: PolicySettings = DEFAULT_POLICY,
) -> RecallAnswer:
    """Answer a query, best result first, scores in [0, 1] within the answer.

    A part that fails is reported in ``level`` and ``degraded`` and is no error. Raises `Forbidden`
    for a named namespace that the caller may not read, `InvalidCommand` for ``as_of``, and with
    ``min_position`` `ViewBehind` after 2 s or `ViewDegraded`.
    """
    began = clock()
    if request.as_of is not None:
        raise InvalidCommand("as_of", "the past cannot be asked for yet; leave it out")
    scope = searched(caller, request.namespaces, request.include_namespaces)
    degraded: list[Degraded] = []
    positions = _positions(parts, request.min_position, degraded)
    found, results = Found(level="hybrid", candidates=[], degraded=[]), list[RecallItem]()
    wanted = search_filter(request, scope)
    if wanted is not None:
        found = _find(request, wanted, parts, began, searchable="vector" in positions)
        judgement = Judgement(
            request=request,
            wanted=wanted,
            state=parts.state,
            embedder=parts.embedder,
            now=began,
            policy=policy,
        )
        shown = attempt("state", degraded, lambda: results_of(found, judgement))
        results = shown or []
        if shown is None:
            found = structs.replace(found, level="empty")
    if found.level == "scan":
        positions.pop("vector", None)
    return RecallAnswer(
        recall_id=recall_id,
        level=found.level,
        degraded=[*degraded, *found.degraded],
        position=min(positions.values(), default=0),
        took_ms=(clock() - began) / _MILLISECOND,
        cached=False,
        prefetch=[],
        results=results,
    )


def _positions(
    parts: RecallParts, min_position: int | None, degraded: list[Degraded]
) -> dict[str, int]:
    """Give how far each usable view has come, after waiting for ``min_position``.

    Read before the search, so that what is found is at least as new. A vector view whose files
    are damaged is left out and noted; then the state view alone must have reached the position.
    """
    views: dict[str, ProjectedView] = {"state": parts.state, "vector": parts.vector}
    positions: dict[str, int] = {}
    for name, view in list(views.items()):
        checkpoint = attempt(name, degraded, view.checkpoint)
        if checkpoint is None:
            del views[name]
        else:
            positions[name] = checkpoint.position
    if min_position is not None:
        require_position(min_position, views)
        positions = {name: max(reached, min_position) for name, reached in positions.items()}
    return positions


def _find(
    request: Recall,
    wanted: SearchFilter,
    parts: RecallParts,
    now: datetime,
    *,
    searchable: bool,
) -> Found:
    """Search the vector view, or scan the state view where that gives nothing to work with."""
    found = Found(level="empty", candidates=[], degraded=[])
    if searchable:
        found = search(
            request.query,
            wanted,
            max(CANDIDATES, request.top_k),
            vector=parts.vector,
            embedder=parts.embedder,
            pool=parts.pool,
        )
    if found.level != "empty":
        return found
    degraded = list(found.degraded)
    scanned = attempt("scan", degraded, lambda: scan(request.query, wanted, parts.state, now))
    if scanned is None:
        return structs.replace(found, degraded=degraded)
    return Found(level="scan", candidates=scanned, degraded=degraded)
