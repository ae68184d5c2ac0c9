"""From candidates to results: what the state view says of each now decides what is shown.

A candidate is dropped unless its memory is live with the very version that was found, or its
episode exists and none of the memories made from it says something else by now. Candidates are
judged by outlines; what is shown of them is read in full then, and left out if it went meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from domain.policies.volatility import is_volatile
from domain.settings import PolicySettings
from inference.calibration import pair_of
from memoryweave.contract import Chunk, RecallItem
from projections.state.rows import (
    EpisodeOrigin,
    EpisodeOutline,
    EpisodeRow,
    MemoryOutline,
    MemoryRow,
)
from projections.state.view import StateView
from queries.candidates import Candidate, Found
from queries.filters import matches
from queries.items import changed_since, episode_item, external_ids_of, memory_item, seen_by
from queries.judgement import Admitted, Judgement, text_of
from queries.tokens import token_count


def admitted(found: Found, by: Judgement) -> list[Admitted]:
    """Give what may be a result, in no order; raises what the state view raises."""
    memories, episodes = _rows(found.candidates, by)
    kept: list[Admitted] = []
    for candidate in found.candidates:
        row = (memories if candidate.layer == "memory" else episodes).get(candidate.id)
        warnings = None if row is None else _admitted(candidate, row, memories, by)
        if row is not None and warnings is not None:
            kept.append(Admitted(candidate, row, warnings, candidate.score))
    return kept


def results_of(order: list[Admitted], lexical_weight: float, by: Judgement) -> list[RecallItem]:
    """Give the answer's results out of those admitted, in the order given (`ranking.ranked`)."""
    chosen = _within_limits(order, by)
    rows = _in_full(chosen, by)
    sources = _origins(rows.values(), by)
    return [
        _item(one, row, sources, lexical_weight, by)
        for one in chosen
        if (row := rows.get(one.row.id)) is not None
    ]


def triggers_of(row: MemoryRow, state: StateView, policy: PolicySettings) -> list[str]:
    """Give what the corrections of a volatile memory named as their cause, [] for any other."""
    if not is_volatile(row.corrections, policy):
        return []
    versions = state.versions(row.id)[1 : row.version]
    return sorted({version.trigger for version in versions if version.trigger})


def _rows(
    candidates: Iterable[Candidate], by: Judgement
) -> tuple[Mapping[str, MemoryOutline], Mapping[str, EpisodeOutline]]:
    """Read what the candidates are judged by, and of the memories that episodes turned into.

    All of their rows, where the filter has yet to look at them.
    """
    ids: dict[str, list[str]] = {"memory": [], "episode": []}
    at = by.wanted.position
    filtered = at is None
    for candidate in candidates:
        ids[candidate.layer].append(candidate.id)
        filtered = filtered and candidate.version is not None
    if filtered:
        return by.state.outlines(ids["memory"], ids["episode"], now=by.now)
    # Episodes first: a memory changed in between is then seen with its change.
    episodes = by.state.episodes(ids["episode"], now=by.now, position=at)
    behind = [
        memory_id
        for row in episodes.values()
        for memory_id in (*row.memory_ids, *row.reinforced_ids)
    ]
    wanted = {*ids["memory"], *behind}
    return by.state.memories(wanted, now=by.now, position=at), episodes


def _in_full(chosen: Iterable[Admitted], by: Judgement) -> dict[str, MemoryRow | EpisodeRow]:
    """Give the rows of what is shown by id, without those that may no longer be shown."""
    rows: dict[str, MemoryRow | EpisodeRow] = {}
    versions: dict[str, int] = {}
    episodes: list[str] = []
    for one in chosen:
        if isinstance(one.row, MemoryRow | EpisodeRow):
            rows[one.row.id] = one.row
        elif isinstance(one.row, MemoryOutline):
            versions[one.row.id] = one.row.version
        else:
            episodes.append(one.row.id)
    for memory in by.state.memories(versions, now=by.now).values() if versions else ():
        if memory.state == "live" and memory.version == versions[memory.id]:
            rows[memory.id] = memory
    for episode in by.state.episodes(episodes, now=by.now).values() if episodes else ():
        if episode.status != "deleted":
            rows[episode.id] = episode
    return rows


def _admitted(
    candidate: Candidate,
    row: MemoryOutline | EpisodeOutline,
    memories: Mapping[str, MemoryOutline],
    by: Judgement,
) -> list[str] | None:
    """Give the warnings that a result carries besides its own, or None if it must not be one."""
    if isinstance(row, MemoryRow | EpisodeRow) and not matches(row, by.wanted):
        return None
    if by.wanted.namespaces is not None and row.namespace not in by.wanted.namespaces:
        return None
    if isinstance(row, MemoryOutline):
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
        if len(chosen) == request.top_k:
            break
        if entry.score < (request.min_score or 0.0):
            continue
        if left is not None:
            tokens = token_count(text_of(entry))
            if tokens > left:
                continue
            left -= tokens
        chosen.append(entry)
    kept = {entry.row.id for entry in chosen}
    return [entry for entry in ranked if entry.row.id in kept]


def _origins(rows: Iterable[MemoryRow | EpisodeRow], by: Judgement) -> Mapping[str, EpisodeOrigin]:
    ids = {source for row in rows if isinstance(row, MemoryRow) for source in row.derived_from}
    return by.state.origins(ids) if ids else {}


def _item(
    one: Admitted,
    row: MemoryRow | EpisodeRow,
    sources: Mapping[str, EpisodeOrigin],
    lexical_weight: float,
    by: Judgement,
) -> RecallItem:
    candidate = one.candidate
    parts = _parts(one, lexical_weight, by) if by.request.explain else None
    if isinstance(row, MemoryRow):
        row = seen_by(by.caller, row, sources)
        item = memory_item(
            row,
            by.now,
            score=one.score,
            triggers=triggers_of(row, by.state, by.policy),
            external_ids=external_ids_of(row, sources),
            parts=parts,
            policy=by.policy,
        )
    else:
        chunked = candidate.chunk_of > 1
        item = episode_item(
            row,
            score=one.score,
            content=text_of(one),
            chunk=Chunk(index=candidate.chunk_index, of=candidate.chunk_of) if chunked else None,
            warnings=one.warnings,
            parts=parts,
            policy=by.policy,
        )
    if not one.copies:
        return item
    return replace(item, copies=len(one.copies), copy_ids=list(one.copies))


def _parts(one: Admitted, lexical_weight: float, by: Judgement) -> dict[str, float]:
    candidate = one.candidate
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
        pair = pair_of("query", by.request.query, text_of(one))
        parts["similarity"] = by.embedder.calibrate(candidate.cosine, pair)
    return parts
