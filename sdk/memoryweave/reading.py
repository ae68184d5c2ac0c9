"""Questions: pure functions that each build one operation, and whose names the clients take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote

import msgspec

from memoryweave import contract
from memoryweave.operation import (
    Operation,
    Recalled,
    get,
    list_of,
    query_of,
)

LONGEST_MESSAGE: Final = 65536
READ_OF_A_TAG: Final = 50


def recall(
    query: str,
    *,
    top_k: int = 10,
    namespaces: Sequence[str] | None = None,
    include_namespaces: Sequence[str] = (),
    categories: Sequence[contract.Category] | None = None,
    layers: Sequence[contract.Layer] = ("memory", "episode"),
    diversity: float = 0.5,
    min_position: int | None = None,
    as_of: contract.AsOf | None = None,
    token_budget: int | None = None,
    explain: bool = False,
    tags: Sequence[str] | None = None,
    agents: Sequence[str] | None = None,
    sources: Sequence[contract.Source] | None = None,
    session_id: str | None = None,
    observed_after: datetime | None = None,
    observed_before: datetime | None = None,
    metadata: Mapping[str, str | int | float | bool] | None = None,
    min_score: float | None = None,
) -> Operation[Recalled]:
    """Find what is known. ``min_position``: of a receipt, to read what was just written.

    ``as_of``: what was known at an earlier moment.
    """
    request = contract.Recall(
        query=query,
        top_k=top_k,
        namespaces=list_of(namespaces),
        include_namespaces=list(include_namespaces),
        categories=list_of(categories),
        layers=list(layers),
        diversity=diversity,
        min_position=min_position,
        as_of=as_of,
        token_budget=token_budget,
        explain=explain,
        tags=list_of(tags),
        agents=list_of(agents),
        sources=list_of(sources),
        session_id=session_id,
        observed_after=observed_after,
        observed_before=observed_before,
        metadata=None if metadata is None else dict(metadata),
        min_score=min_score,
    )
    return Operation(
        method="POST",
        path="/api/v1/recall",
        answer=Recalled,
        body=msgspec.json.encode(request),
        # A stale answer cannot hold what was written after it.
        remembered=min_position is None,
    )


def memory(
    memory_id: str, *, as_of: contract.AsOf | None = None
) -> Operation[contract.MemoryDetail]:
    """Read one memory with what is known of its life, or was ``as_of`` an earlier moment."""
    path = f"/memory/{quote(memory_id, safe='')}"
    return get(path, contract.MemoryDetail, _moment(as_of))


def versions(memory_id: str) -> Operation[contract.MemoryVersions]:
    """Read every text that a memory had, oldest first, and why each came."""
    return get(f"/memory/{quote(memory_id, safe='')}/versions", contract.MemoryVersions)


def provenance(memory_id: str) -> Operation[contract.Provenance]:
    """Read what a memory rests on: its episodes, who stored them, and its corrections."""
    return get(f"/memory/{quote(memory_id, safe='')}/provenance", contract.Provenance)


def memories(
    *,
    namespace: str | None = None,
    category: contract.Category | None = None,
    tag: str | None = None,
    state: contract.MemoryState | None = None,
    sort: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
    as_of: contract.AsOf | None = None,
) -> Operation[contract.MemoryPage]:
    """List memories, page by page: pass ``next`` as ``cursor`` until it is None.

    ``as_of``: what there was at an earlier moment; the same for every page.
    """
    query = query_of(
        namespace=namespace,
        category=category,
        tag=tag,
        state=state,
        sort=sort,
        cursor=cursor,
        limit=limit,
    )
    return get("/memories", contract.MemoryPage, query | _moment(as_of))


def candidates(
    *, namespace: str | None = None, cursor: str | None = None, limit: int | None = None
) -> Operation[contract.CandidatePage]:
    """List what was distilled and waits for the owner, the newest first."""
    query = query_of(namespace=namespace, cursor=cursor, limit=limit)
    return get("/candidates", contract.CandidatePage, query)


def tombstones(
    *, namespace: str | None = None, cursor: str | None = None, limit: int | None = None
) -> Operation[contract.MemoryPage]:
    """List what was deleted or withdrawn and can be restored."""
    query = query_of(namespace=namespace, cursor=cursor, limit=limit)
    return get("/tombstones", contract.MemoryPage, query)


def episode(episode_id: str) -> Operation[contract.EpisodeDetail]:
    """Read one episode, verbatim, and what became of it."""
    return get(f"/episodes/{quote(episode_id, safe='')}", contract.EpisodeDetail)


def tags(*, namespace: str | None = None) -> Operation[contract.TagList]:
    """List tags with how many live memories carry each."""
    return get("/tags", contract.TagList, query_of(namespace=namespace))


def namespaces() -> Operation[contract.NamespaceList]:
    """List the namespaces that the key may read."""
    return get("/namespaces", contract.NamespaceList)


def stats() -> Operation[contract.Stats]:
    """Count what the key may read."""
    return get("/stats", contract.Stats)


def bootstrap() -> Operation[contract.Bootstrap]:
    """Read the core facts to start a session with."""
    return get("/bootstrap", contract.Bootstrap)


def brief() -> Operation[contract.Brief]:
    """Read what is known under tags of the user, and which tags of projects there are."""
    return get("/brief", contract.Brief)


def memory_read(tag: str) -> Operation[contract.MemoryPage]:
    """Read what carries a tag, the most reliable first, up to 50; ``next`` where there is more."""
    query = query_of(tag=tag, sort="confidence", limit=READ_OF_A_TAG)
    return get("/memories", contract.MemoryPage, query)


def context(
    message: str,
    *,
    session_id: str | None = None,
    first_turn: bool = False,
    token_budget: int = 1200,
) -> Operation[contract.ContextBlock]:
    """Get the block of memory to put before an agent's prompt; of a long message its end counts.

    ``session_id``: the session whose own turns are left out.
    """
    request = contract.Context(
        message=message[-LONGEST_MESSAGE:],
        session_id=session_id,
        first_turn=first_turn,
        token_budget=token_budget,
    )
    return Operation(
        method="POST",
        path="/api/v1/context",
        answer=contract.ContextBlock,
        body=msgspec.json.encode(request),
    )


def _moment(as_of: contract.AsOf | None) -> dict[str, str]:
    if as_of is None:
        return {}
    time = None if as_of.time is None else as_of.time.isoformat()
    return query_of(as_of_position=as_of.position, as_of_time=time)
