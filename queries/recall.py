"""Recall: the memories and episodes that answer a query (spec: recall.md).

The vector view finds candidates, the state view says what each of them is now: a result is only
what both agree on, so a text that was corrected or deleted is not shown while one view is ahead
of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct, structs

from domain.caller import Caller
from domain.errors import ViewBehind
from domain.policies.confidence import next_confidence_step
from domain.settings import DEFAULT_POLICY, PolicySettings
from inference.calibration import pair_of
from inference.embedder import Embedder
from inference.reranker import Reranker
from memoryweave.contract import Degraded, Recall, RecallAnswer, RecallItem
from projections.state.history import Moment
from projections.state.rows import EpisodeOutline, MemoryOutline
from projections.state.view import StateView
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from queries.candidates import CANDIDATES, Found, scan, search
from queries.degradation import attempt
from queries.filters import search_filter
from queries.judgement import Admitted, Judgement, text_of
from queries.misses import is_miss
from queries.moments import moment_of
from queries.ranking import ranked
from queries.read_your_writes import (
    RECALL_WAIT_S,
    ProjectedView,
    pending_views,
    require_position,
)
from queries.results import admitted, results_of
from queries.scope import searched
from queries.stages import EVERY_STAGE, Stages

_MILLISECOND: Final = timedelta(milliseconds=1)


class RecallParts(Struct, frozen=True, kw_only=True):
    """What a recall works with. ``pool`` runs lexical searches; its size bounds them.

    ``stages`` are all on but where one is switched off to measure it. ``reranker``: none, unless
    one is configured.
    """

    state: StateView
    vector: VectorView
    embedder: Embedder
    pool: Executor
    stages: Stages = EVERY_STAGE
    reranker: Reranker | None = None


class Question(Struct, frozen=True, kw_only=True):
    """What is asked, by whom, and what it is answered with. ``recall_id`` names the answer."""

    request: Recall
    caller: Caller
    parts: RecallParts
    clock: Callable[[], datetime]
    recall_id: str
    policy: PolicySettings = DEFAULT_POLICY


class Recalled(Struct, frozen=True, kw_only=True):
    """An answer with what is to be told about it.

    ``scope`` is what was looked into, None for everything. ``miss``: nothing in it speaks of what
    was asked (`queries.misses`). ``steady_until`` is when time alone changes what it says of its
    results, None where that is never.
    """

    answer: RecallAnswer
    scope: frozenset[str] | None
    miss: bool
    steady_until: datetime | None = None


def recall(
    request: Recall,
    caller: Caller,
    parts: RecallParts,
    clock: Callable[[], datetime],
    recall_id: str,
    policy: PolicySettings = DEFAULT_POLICY,
) -> RecallAnswer:
    """Answer a query: the answer of `recall_in_full` alone."""
    asked = Question(
        request=request,
        caller=caller,
        parts=parts,
        clock=clock,
        recall_id=recall_id,
        policy=policy,
    )
    return recall_in_full(asked).answer


def recall_in_full(asked: Question) -> Recalled:
    """Answer a query, best result first, scores in [0, 1] within the answer.

    A part that fails is reported in ``level`` and ``degraded`` and is no error. Raises `Forbidden`
    for a named namespace that the caller may not read, with ``min_position`` `ViewBehind` after
    2 s or `ViewDegraded`, and with ``as_of`` what `moment_of` raises, `ViewBehind` after 2 s, and
    `ViewDegraded` where the state view cannot be read: what was live then, only it knows.
    """
    request, caller, parts = asked.request, asked.caller, asked.parts
    began = asked.clock()
    scope = searched(caller, request.namespaces, request.include_namespaces)
    degraded: list[Degraded] = []
    moment = moment_of(request.as_of, parts.state)
    positions = _positions(parts, request.min_position, moment, degraded)
    found, results = Found(level="hybrid", candidates=[], degraded=[]), list[RecallItem]()
    order: list[Admitted] = []
    wanted = _filter(request, scope, parts.state, moment)
    if wanted is not None:
        judgement = Judgement(
            request=request,
            caller=caller,
            wanted=wanted,
            state=parts.state,
            embedder=parts.embedder,
            now=began if moment is None else moment.time,
            policy=asked.policy,
            stages=parts.stages,
        )
        found, kept = _find(judgement, parts, degraded, searchable="vector" in positions)
        shown = None
        if kept is not None:
            order = ranking = ranked(kept, found.terms, judgement, parts.reranker, degraded)
            weight = found.lexical_weight
            shown = attempt("state", degraded, lambda: results_of(ranking, weight, judgement))
        results = shown or []
        if shown is None:
            found = structs.replace(found, level="empty")
    if found.level == "scan":
        positions.pop("vector", None)
    answer = RecallAnswer(
        recall_id=asked.recall_id,
        level=found.level,
        degraded=[*degraded, *found.degraded],
        position=min(positions.values(), default=0),
        took_ms=(asked.clock() - began) / _MILLISECOND,
        cached=False,
        prefetch=[],
        results=results,
        as_of_position=None if moment is None else moment.position,
    )
    ids = {item.id for item in results}
    spoken_of = [
        (_similarity(one, request.query, parts), one.candidate.held)
        for one in order
        if one.row.id in ids
    ]
    return Recalled(
        answer=answer,
        scope=scope,
        miss=is_miss(found.level, spoken_of, found.rare),
        steady_until=_steady_until([one.row for one in order], began, asked.policy),
    )


def _similarity(one: Admitted, query: str, parts: RecallParts) -> float | None:
    cosine = one.candidate.cosine
    if cosine is None:
        return None
    return parts.embedder.calibrate(cosine, pair_of("query", query, text_of(one)))


def _steady_until(
    rows: Iterable[MemoryOutline | EpisodeOutline], now: datetime, policy: PolicySettings
) -> datetime | None:
    """Give when the first of these memories loses a step of its confidence."""
    steps = [
        next_confidence_step(row.last_seen_at, now, policy)
        for row in rows
        if isinstance(row, MemoryOutline)
    ]
    return min(steps, default=None)


def _filter(
    request: Recall, scope: frozenset[str] | None, state: StateView, moment: Moment | None
) -> SearchFilter | None:
    if moment is None:
        return search_filter(request, scope)
    at = moment.position
    tagged = state.tagged(request.tags, scope, at) if request.tags else frozenset[str]()
    return search_filter(request, scope, position=at, tagged=tagged)


def _positions(
    parts: RecallParts,
    min_position: int | None,
    moment: Moment | None,
    degraded: list[Degraded],
) -> dict[str, int]:
    """Give how far each usable view has come, after waiting for ``min_position`` and the moment.

    Read before the search, so that what is found is at least as new. A vector view whose files
    are damaged or gone is left out and noted; then the state view alone must have reached the
    position.
    """
    views: dict[str, ProjectedView] = {"state": parts.state, "vector": parts.vector}
    positions: dict[str, int] = {}
    for name, view in list(views.items()):
        checkpoint = attempt(name, degraded, view.checkpoint)
        if checkpoint is None:
            del views[name]
        else:
            positions[name] = checkpoint.position
    if "vector" in positions and positions.get("state") and not parts.vector.begun():
        # It would answer that nothing was ever said.
        degraded.append(Degraded(part="vector", reason="the view is being built"))
        del views["vector"], positions["vector"]
    if min_position is not None:
        require_position(min_position, views)
        positions = {name: max(reached, min_position) for name, reached in positions.items()}
    if moment is not None:
        behind = pending_views(moment.position, views, RECALL_WAIT_S)
        if behind:
            raise ViewBehind(f"view {', '.join(behind)} has not reached {moment.position} yet")
        positions = {name: max(reached, moment.position) for name, reached in positions.items()}
    return positions


def _find(
    by: Judgement, parts: RecallParts, degraded: list[Degraded], *, searchable: bool
) -> tuple[Found, list[Admitted] | None]:
    """Give what a search found and what of it may be a result, None if that cannot be told.

    The vector view does not know which episodes were superseded at an earlier position. They must
    not take the places of what was live: then more is asked for, until there is enough or no more.
    """
    wanted = limit = max(CANDIDATES, by.request.top_k)
    while True:
        found = _search(by, parts, limit, searchable=searchable)
        kept = attempt("state", degraded, lambda found=found: admitted(found, by))  # type: ignore[misc]  # bound now
        if by.wanted.position is None or kept is None or found.exhausted or len(kept) >= wanted:
            return found, kept
        limit *= 4


def _search(by: Judgement, parts: RecallParts, limit: int, *, searchable: bool) -> Found:
    """Search the vector view, or scan the state view where that gives nothing to work with."""
    query = by.request.query
    found = Found(level="empty", candidates=[], degraded=[])
    if searchable:
        found = search(
            query,
            by.wanted,
            limit,
            vector=parts.vector,
            embedder=parts.embedder,
            pool=parts.pool,
            now=by.now,
            stages=parts.stages,
        )
    if found.level != "empty":
        return found
    degraded = list(found.degraded)
    scanned = attempt("scan", degraded, lambda: scan(query, by.wanted, parts.state, by.now))
    if scanned is None:
        return structs.replace(found, degraded=degraded)
    return Found(level="scan", candidates=scanned, degraded=degraded)
