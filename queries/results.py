"""From candidates to results: what the state view says of each now decides what is shown.

A candidate is dropped unless its memory is live with the very version that was found, or its
episode exists and none of the memories made from it says something else by now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from domain.caller import Caller
from domain.policies.volatility import is_volatile
from domain.settings import PolicySettings
from inference.embedder import Embedder
from memoryweave.contract import Chunk, Recall, RecallItem
from projections.state.rows import EpisodeRow, MemoryRow
from projections.state.view import StateView
from projections.vector.search_filter import SearchFilter
from queries.candidates import Candidate, Found
from queries.filters import matches
from queries.items import changed_since, episode_item, external_ids_of, memory_item, seen_by
from queries.revisions import Statement, newest_first
from queries.stages import Stages
from queries.tokens import token_count


class Judgement(Struct, frozen=True, kw_only=True):
    """By what candidates are judged: the request, who sent it, its filter, the present or a moment.

    For a moment of the past ``now`` is its time; its position is the filter's.
    """

    request: Recall
    caller: Caller
    wanted: SearchFilter
    state: StateView
    embedder: Embedder
    now: datetime
    policy: PolicySettings
    stages: Stages


class Admitted(NamedTuple):
    """A candidate that may be a result, its row, and the warnings that it carries."""

    candidate: Candidate
    row: MemoryRow | EpisodeRow
    warnings: list[str]


def admitted(found: Found, by: Judgement) -> list[Admitted]:
    """Give what may be a result, best first; raises what the state view raises.

    Among equals the newest comes first, and among versions of one statement (`revisions`).
    """
    memories, episodes = _rows(found.candidates, by)
    kept: list[Admitted] = []
    for candidate in found.candidates:
        row = (memories if candidate.layer == "memory" else episodes).get(candidate.id)
        warnings = None if row is None else _admitted(candidate, row, memories, by)
        if row is not None and warnings is not None:
            kept.append(Admitted(candidate, row, warnings))
    kept.sort(key=lambda one: (-one.candidate.score, -one.row.position, one.row.id))
    return _newest_first(kept, found.terms) if by.stages.newest_first else kept


def results_of(ranked: list[Admitted], lexical_weight: float, by: Judgement) -> list[RecallItem]:
    """Give the answer's results out of those admitted, best first."""
    chosen = _within_limits(ranked, by)
    sources = _episodes_behind([row for _, row, _ in chosen], by)
    return [
        _item(candidate, row, warnings, sources, lexical_weight, by)
        for candidate, row, warnings in chosen
    ]


def triggers_of(row: MemoryRow, state: StateView, policy: PolicySettings) -> list[str]:
    """Give what the corrections of a volatile memory named as their cause, [] for any other."""
    if not is_volatile(row.corrections, policy):
        return []
    versions = state.versions(row.id)[1 : row.version]
    return sorted({version.trigger for version in versions if version.trigger})


def _newest_first(ranked: list[Admitted], terms: int) -> list[Admitted]:
    """Let versions of one statement change places; the scores stay with the places."""
    ordered = newest_first(ranked, _statement, terms)
    return [
        one
        if one is before
        else one._replace(candidate=replace(one.candidate, score=before.candidate.score))
        for one, before in zip(ordered, ranked, strict=True)
    ]


def _statement(one: Admitted) -> Statement:
    said = one.row.observed_at or one.row.recorded_at
    return Statement(
        speaker=one.row.speaker if isinstance(one.row, EpisodeRow) else None,
        text=_text(one.candidate, one.row),
        held=one.candidate.held,
        age=(said.timestamp(), one.row.position),
    )


def _rows(
    candidates: Iterable[Candidate], by: Judgement
) -> tuple[Mapping[str, MemoryRow], Mapping[str, EpisodeRow]]:
    """Read the candidates' rows, and those of the memories that distilled episodes turned into."""
    ids: dict[str, list[str]] = {"memory": [], "episode": []}
    for candidate in candidates:
        ids[candidate.layer].append(candidate.id)
    # Episodes first: a memory changed in between is then seen with its change.
    at = by.wanted.position
    episodes = by.state.episodes(ids["episode"], now=by.now, position=at)
    behind = [
        memory_id
        for row in episodes.values()
        for memory_id in (*row.memory_ids, *row.reinforced_ids)
    ]
    wanted = {*ids["memory"], *behind}
    return by.state.memories(wanted, now=by.now, position=at), episodes


def _admitted(
    candidate: Candidate,
    row: MemoryRow | EpisodeRow,
    memories: Mapping[str, MemoryRow],
    by: Judgement,
) -> list[str] | None:
    """Give the warnings that a result carries besides its own, or None if it must not be one."""
    unfiltered = candidate.version is None or by.wanted.position is not None
    if unfiltered and not matches(row, by.wanted):
        return None
    if by.wanted.namespaces is not None and row.namespace not in by.wanted.namespaces:
        return None
    if isinstance(row, MemoryRow):
        is_current = row.state == "live" and candidate.version in (None, row.version)
        return [] if is_current else None
    if row.status == "deleted" or not row.distill:
        return None
    changes = changed_since(row, memories)
    return changes if not changes or by.wanted.layers == {"episode"} else None


def _within_limits(ranked: list[Admitted], by: Judgement) -> list[Admitted]:
    """Cut by ``min_score``, ``top_k`` and ``token_budget``.

    A result that does not fit the rest of the budget makes room for a shorter one after it. Of the
    past, what holds every term of the query is never cut in favour of what does not.
    """
    request = by.request
    chosen: list[Admitted] = []
    left = request.token_budget
    first = ranked
    if by.wanted.position is not None:
        first = sorted(ranked, key=lambda one: not one.candidate.complete)
    for entry in first:
        candidate, row, _ = entry
        if len(chosen) == request.top_k:
            break
        if candidate.score < (request.min_score or 0.0):
            continue
        if left is not None:
            tokens = token_count(_text(candidate, row))
            if tokens > left:
                continue
            left -= tokens
        chosen.append(entry)
    kept = {entry.row.id for entry in chosen}
    return [entry for entry in ranked if entry.row.id in kept]


def _episodes_behind(
    rows: Iterable[MemoryRow | EpisodeRow], by: Judgement
) -> Mapping[str, EpisodeRow]:
    ids = {source for row in rows if isinstance(row, MemoryRow) for source in row.derived_from}
    return by.state.episodes(ids, now=by.now) if ids else {}


def _item(
    candidate: Candidate,
    row: MemoryRow | EpisodeRow,
    warnings: list[str],
    sources: Mapping[str, EpisodeRow],
    lexical_weight: float,
    by: Judgement,
) -> RecallItem:
    parts = _parts(candidate, lexical_weight, by.embedder) if by.request.explain else None
    if isinstance(row, MemoryRow):
        row = seen_by(by.caller, row, sources)
        return memory_item(
            row,
            by.now,
            score=candidate.score,
            triggers=triggers_of(row, by.state, by.policy),
            external_ids=external_ids_of(row, sources),
            parts=parts,
            policy=by.policy,
        )
    chunked = candidate.chunk_of > 1
    return episode_item(
        row,
        score=candidate.score,
        content=_text(candidate, row),
        chunk=Chunk(index=candidate.chunk_index, of=candidate.chunk_of) if chunked else None,
        warnings=warnings,
        parts=parts,
        policy=by.policy,
    )


def _text(candidate: Candidate, row: MemoryRow | EpisodeRow) -> str:
    """Give the text shown: an episode never changes, so its chunk may come from the vector view."""
    if candidate.chunk_of > 1 and candidate.content is not None:
        return candidate.content
    return row.content


def _parts(candidate: Candidate, lexical_weight: float, embedder: Embedder) -> dict[str, float]:
    parts = {"lexical_weight": lexical_weight}
    if candidate.speaker:
        parts["speaker"] = candidate.speaker
    if candidate.time:
        parts["time"] = candidate.time
    if candidate.dense is not None:
        parts["dense"] = candidate.dense
    if candidate.lexical is not None:
        parts["lexical"] = candidate.lexical
    if candidate.cosine is not None:
        parts["cosine"] = candidate.cosine
        parts["similarity"] = embedder.calibrate(candidate.cosine)
    return parts
