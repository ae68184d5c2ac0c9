"""What can be asked of the service: pure functions that each build one `Operation`.

`Client` and `AsyncClient` take their methods from here, so a signature stands once. Every command
takes ``idempotency_key`` (a UUIDv7 is made when it is None) and ``wait``: ``"true"`` answers only
when this node's views show the command, ``"vectors"`` also when its vectors are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from memoryweave import contract

A = TypeVar("A")
Wait = Literal["true", "vectors"]


class Operation(Struct, Generic[A], frozen=True, kw_only=True):
    """One request and the type of its answer.

    ``command`` needs an idempotency key; ``deferrable`` may be kept in the outbox while the
    service is down; the last answer to a ``remembered`` one stands in for a missing new one.
    """

    method: str
    path: str
    answer: type[A]
    query: dict[str, str] = {}
    body: bytes | None = None
    command: bool = False
    deferrable: bool = False
    remembered: bool = False
    idempotency_key: str | None = None
    good: frozenset[int] = frozenset({200, 201, 202})


class Recalled(contract.RecallAnswer, frozen=True, kw_only=True):
    """A recall's answer. ``stale``: the service is down and this is its last answer to this."""

    stale: bool = False


# --- writing -----------------------------------------------------------------------------------


def commit(
    content: str,
    *,
    namespace: str | None = None,
    source: contract.Source = "agent_inference",
    category: contract.Category | None = None,
    decay_class: contract.DecayClass | None = None,
    trigger: str | None = None,
    task_status: str | None = None,
    session_id: str | None = None,
    speaker: str | None = None,
    observed_at: datetime | None = None,
    urgent: bool = False,
    distill: bool = True,
    tags: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    expires_at: datetime | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.CommitReceipt]:
    """Store a piece of conversation verbatim; ``namespace`` defaults to the agent's main one."""
    entry = contract.Commit(
        content=content,
        namespace=namespace,
        source=source,
        category=category,
        decay_class=decay_class,
        trigger=trigger,
        task_status=task_status,
        session_id=session_id,
        speaker=speaker,
        observed_at=observed_at,
        urgent=urgent,
        distill=distill,
        tags=list(tags),
        metadata=dict(metadata or {}),
        expires_at=expires_at,
    )
    return _commit(entry, idempotency_key, wait)


def remember(
    statement: str,
    *,
    namespace: str | None = None,
    source: contract.Source = "agent_inference",
    category: contract.Category | None = None,
    decay_class: contract.DecayClass | None = None,
    trigger: str | None = None,
    session_id: str | None = None,
    speaker: str | None = None,
    observed_at: datetime | None = None,
    tags: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    expires_at: datetime | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.CommitReceipt]:
    """Store one finished statement as a memory, recallable at once."""
    entry = contract.Commit(
        content=statement,
        namespace=namespace,
        source=source,
        category=category,
        decay_class=decay_class,
        trigger=trigger,
        session_id=session_id,
        speaker=speaker,
        observed_at=observed_at,
        distill=False,
        tags=list(tags),
        metadata=dict(metadata or {}),
        expires_at=expires_at,
    )
    return _commit(entry, idempotency_key, wait)


def batch_commit(
    entries: Sequence[contract.Commit],
    *,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.BatchReceipt]:
    """Store up to 500 entries: all of them, or none."""
    request = contract.BatchCommit(entries=list(entries))
    return msgspec.structs.replace(
        _command("/batch-commit", request, contract.BatchReceipt, idempotency_key, wait),
        deferrable=True,
    )


def feedback_useful(
    memory_id: str,
    *,
    recall_id: str | None = None,
    reason: str | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.MemoryReceipt]:
    """Vote that a memory helped."""
    request = contract.Feedback(memory_id=memory_id, recall_id=recall_id, reason=reason)
    return _command("/feedback/useful", request, contract.MemoryReceipt, idempotency_key, wait)


def feedback_not_useful(
    memory_id: str,
    *,
    recall_id: str | None = None,
    reason: str | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.MemoryReceipt]:
    """Vote that a memory did not help."""
    request = contract.Feedback(memory_id=memory_id, recall_id=recall_id, reason=reason)
    return _command("/feedback/not-useful", request, contract.MemoryReceipt, idempotency_key, wait)


def feedback_deprecate(
    memory_id: str,
    *,
    recall_id: str | None = None,
    reason: str | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.MemoryReceipt]:
    """Withdraw a memory of one's own; on another's it counts as two votes against."""
    request = contract.Feedback(memory_id=memory_id, recall_id=recall_id, reason=reason)
    return _command("/feedback/deprecate", request, contract.MemoryReceipt, idempotency_key, wait)


def feedback_correct(
    memory_id: str,
    content: str,
    *,
    reason: str | None = None,
    source: contract.Source = "agent_inference",
    trigger: str | None = None,
    expected_version: int | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.MemoryReceipt]:
    """Give a memory a new text. With ``expected_version``: raise if another was first."""
    request = contract.Correct(
        memory_id=memory_id,
        content=content,
        reason=reason,
        source=source,
        trigger=trigger,
        expected_version=expected_version,
    )
    return _command("/feedback/correct", request, contract.MemoryReceipt, idempotency_key, wait)


def delete_memory(
    memory_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.MemoryReceipt]:
    """Delete softly: it becomes a tombstone that can be restored."""
    return _on(
        "DELETE", "/distilled/", memory_id, "", contract.MemoryReceipt, idempotency_key, wait
    )


def delete_episode(
    episode_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.EpisodeReceipt]:
    """Delete an episode and the memories that rest on it alone."""
    return _on(
        "DELETE", "/episodes/", episode_id, "", contract.EpisodeReceipt, idempotency_key, wait
    )


def restore(
    memory_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.MemoryReceipt]:
    """Let a tombstone live again, with the text it had."""
    return _on(
        "POST", "/memory/", memory_id, "/restore", contract.MemoryReceipt, idempotency_key, wait
    )


def restore_episode(
    episode_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.EpisodeReceipt]:
    """Let a deleted episode be recalled again."""
    return _on(
        "POST",
        "/episodes/",
        episode_id,
        "/restore",
        contract.EpisodeReceipt,
        idempotency_key,
        wait,
    )


def pin(
    memory_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.MemoryReceipt]:
    """Keep a memory from being forgotten (owner's key)."""
    return _on("POST", "/memory/", memory_id, "/pin", contract.MemoryReceipt, idempotency_key, wait)


def unpin(
    memory_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.MemoryReceipt]:
    """End a pin (owner's key)."""
    return _on(
        "POST", "/memory/", memory_id, "/unpin", contract.MemoryReceipt, idempotency_key, wait
    )


def set_tags(
    memory_id: str,
    tags: Sequence[str],
    *,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.MemoryReceipt]:
    """Give a memory exactly these tags from now on."""
    path = f"/memory/{quote(memory_id, safe='')}/tags"
    request = contract.SetTags(tags=list(tags))
    return _command(path, request, contract.MemoryReceipt, idempotency_key, wait)


def close_session(
    session_id: str | None,
    *,
    namespace: str | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.SessionReceipt]:
    """End a session: its ephemeral rows go. None names the rows that have no session."""
    path = f"/sessions/{'-' if session_id is None else quote(session_id, safe='')}/close"
    request = contract.CloseSession(namespace=namespace)
    return _command(path, request, contract.SessionReceipt, idempotency_key, wait)


# --- reading -----------------------------------------------------------------------------------


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
    """Find what is known. ``min_position``: of a receipt, to read what was just written."""
    request = contract.Recall(
        query=query,
        top_k=top_k,
        namespaces=_list(namespaces),
        include_namespaces=list(include_namespaces),
        categories=_list(categories),
        layers=list(layers),
        diversity=diversity,
        min_position=min_position,
        as_of=as_of,
        token_budget=token_budget,
        explain=explain,
        tags=_list(tags),
        agents=_list(agents),
        sources=_list(sources),
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


def memory(memory_id: str) -> Operation[contract.MemoryDetail]:
    """Read one memory with what is known of its life."""
    return _get(f"/memory/{quote(memory_id, safe='')}", contract.MemoryDetail)


def versions(memory_id: str) -> Operation[contract.MemoryVersions]:
    """Read every text that a memory had, oldest first, and why each came."""
    return _get(f"/memory/{quote(memory_id, safe='')}/versions", contract.MemoryVersions)


def memories(
    *,
    namespace: str | None = None,
    category: contract.Category | None = None,
    tag: str | None = None,
    state: contract.MemoryState | None = None,
    sort: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Operation[contract.MemoryPage]:
    """List memories, page by page: pass ``next`` as ``cursor`` until it is None."""
    query = _query(
        namespace=namespace,
        category=category,
        tag=tag,
        state=state,
        sort=sort,
        cursor=cursor,
        limit=limit,
    )
    return _get("/memories", contract.MemoryPage, query)


def tombstones(
    *, namespace: str | None = None, cursor: str | None = None, limit: int | None = None
) -> Operation[contract.MemoryPage]:
    """List what was deleted or withdrawn and can be restored."""
    query = _query(namespace=namespace, cursor=cursor, limit=limit)
    return _get("/tombstones", contract.MemoryPage, query)


def episode(episode_id: str) -> Operation[contract.EpisodeDetail]:
    """Read one episode, verbatim, and what became of it."""
    return _get(f"/episodes/{quote(episode_id, safe='')}", contract.EpisodeDetail)


def tags(*, namespace: str | None = None) -> Operation[contract.TagList]:
    """List tags with how many live memories carry each."""
    return _get("/tags", contract.TagList, _query(namespace=namespace))


def namespaces() -> Operation[contract.NamespaceList]:
    """List the namespaces that the key may read."""
    return _get("/namespaces", contract.NamespaceList)


def stats() -> Operation[contract.Stats]:
    """Count what the key may read."""
    return _get("/stats", contract.Stats)


def bootstrap() -> Operation[contract.Bootstrap]:
    """Read the core facts to start a session with."""
    return _get("/bootstrap", contract.Bootstrap)


def settings() -> Operation[contract.SettingList]:
    """Read the service's settings, each with where it came from (admin's key)."""
    return _get("/settings", contract.SettingList)


def health() -> Operation[contract.Health]:
    """Ask how the service is; an unhealthy one answers too."""
    return Operation(
        method="GET", path="/health", answer=contract.Health, good=frozenset({200, 503})
    )


def projections() -> Operation[contract.ProjectionList]:
    """Read how far each view has come and what it could not show (admin's key)."""
    return _get("/admin/projections", contract.ProjectionList)


def retry_projection(view: str) -> Operation[contract.RetryRequested]:
    """Ask for another try at the events that a view could not show (admin's key)."""
    return Operation(
        method="POST",
        path=f"/api/v1/admin/projections/{quote(view, safe='')}/retry",
        answer=contract.RetryRequested,
    )


# --- agents ------------------------------------------------------------------------------------


def register_agent(
    agent_id: str,
    kind: str,
    *,
    namespace: str | None = None,
    quota: contract.Quota | None = None,
    may_claim: Sequence[contract.Source] | None = None,
    key_expires_at: datetime | None = None,
    idempotency_key: str | None = None,
) -> Operation[contract.AgentRegistered]:
    """Let an agent speak (admin's key, or an enrolment token as key). Shows its key once."""
    request = contract.RegisterAgent(
        agent_id=agent_id,
        kind=kind,
        namespace=namespace,
        quota=quota,
        may_claim=_list(may_claim),
        key_expires_at=key_expires_at,
    )
    return _command("/agents/register", request, contract.AgentRegistered, idempotency_key, None)


def rotate_agent_key(
    agent_id: str, *, idempotency_key: str | None = None
) -> Operation[contract.AgentReceipt]:
    """Give an agent a new key; the old one ends at once."""
    return _on(
        "POST", "/agents/", agent_id, "/rotate-key", contract.AgentReceipt, idempotency_key, None
    )


def deactivate_agent(
    agent_id: str, *, idempotency_key: str | None = None
) -> Operation[contract.AgentReceipt]:
    """End an agent's access; what it stored stays."""
    return _on("DELETE", "/agents/", agent_id, "", contract.AgentReceipt, idempotency_key, None)


def agents() -> Operation[contract.AgentList]:
    """List the agents (admin's key)."""
    return _get("/agents", contract.AgentList)


def grant(
    agent_id: str, namespace: str, *, idempotency_key: str | None = None
) -> Operation[contract.GrantReceipt]:
    """Let an agent read one more namespace."""
    request = contract.Grant(agent_id=agent_id, namespace=namespace)
    return _command("/grants", request, contract.GrantReceipt, idempotency_key, None)


def revoke(
    agent_id: str, namespace: str, *, idempotency_key: str | None = None
) -> Operation[contract.GrantReceipt]:
    """End a grant."""
    request = contract.Grant(agent_id=agent_id, namespace=namespace)
    return msgspec.structs.replace(
        _command("/grants", request, contract.GrantReceipt, idempotency_key, None), method="DELETE"
    )


def issue_enrolment_token(
    *, expires_in_s: int = 86400, kind: str | None = None, idempotency_key: str | None = None
) -> Operation[contract.EnrolmentToken]:
    """Make a token with which one new agent may register itself. Shown once."""
    request = contract.IssueEnrolmentToken(expires_in_s=expires_in_s, kind=kind)
    return _command("/enrolment-tokens", request, contract.EnrolmentToken, idempotency_key, None)


# --- helpers -----------------------------------------------------------------------------------


def _commit(
    entry: contract.Commit, key: str | None, wait: Wait | None
) -> Operation[contract.CommitReceipt]:
    return msgspec.structs.replace(
        _command("/commit", entry, contract.CommitReceipt, key, wait), deferrable=True
    )


def _command(
    path: str, request: contract.Request, answer: type[A], key: str | None, wait: Wait | None
) -> Operation[A]:
    return Operation(
        method="POST",
        path="/api/v1" + path,
        answer=answer,
        query=_query(wait=wait),
        body=msgspec.json.encode(request),
        command=True,
        idempotency_key=key,
    )


def _on(
    method: str,
    before: str,
    thing_id: str,
    after: str,
    answer: type[A],
    key: str | None,
    wait: Wait | None,
) -> Operation[A]:
    return Operation(
        method=method,
        path=f"/api/v1{before}{quote(thing_id, safe='')}{after}",
        answer=answer,
        query=_query(wait=wait),
        command=True,
        idempotency_key=key,
    )


def _get(path: str, answer: type[A], query: dict[str, str] | None = None) -> Operation[A]:
    return Operation(method="GET", path="/api/v1" + path, answer=answer, query=query or {})


def _query(**parameters: object) -> dict[str, str]:
    return {name: str(value) for name, value in parameters.items() if value is not None}


def _list(items: Sequence[A] | None) -> list[A] | None:
    return None if items is None else list(items)
