"""Commands on memories, episodes and sessions: pure functions that each build one operation.

The clients take their methods from here, so a signature stands once. Every command takes
``idempotency_key`` (a UUIDv7 is made when it is None) and ``wait``: ``"true"`` answers only when
this node's views show the command, ``"vectors"`` also when its vectors are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

import msgspec

from memoryweave import contract
from memoryweave.operation import (
    Operation,
    Wait,
    command,
    on_thing,
)


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
    """Store up to 500 entries: all of them, or none.

    With ``distill=False`` about 250 fit; `errors.TooLarge` names the first that does not.
    """
    request = contract.BatchCommit(entries=list(entries))
    return msgspec.structs.replace(
        command("/batch-commit", request, contract.BatchReceipt, idempotency_key, wait),
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
    return command("/feedback/useful", request, contract.MemoryReceipt, idempotency_key, wait)


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
    return command("/feedback/not-useful", request, contract.MemoryReceipt, idempotency_key, wait)


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
    return command("/feedback/deprecate", request, contract.MemoryReceipt, idempotency_key, wait)


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
    return command("/feedback/correct", request, contract.MemoryReceipt, idempotency_key, wait)


def delete_memory(
    memory_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.MemoryReceipt]:
    """Delete softly: it becomes a tombstone that can be restored."""
    return on_thing(
        "DELETE", "/distilled/", memory_id, "", contract.MemoryReceipt, idempotency_key, wait
    )


def delete_episode(
    episode_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.EpisodeReceipt]:
    """Delete an episode and the memories that rest on it alone."""
    return on_thing(
        "DELETE", "/episodes/", episode_id, "", contract.EpisodeReceipt, idempotency_key, wait
    )


def restore(
    memory_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.MemoryReceipt]:
    """Let a tombstone live again, with the text it had."""
    return on_thing(
        "POST", "/memory/", memory_id, "/restore", contract.MemoryReceipt, idempotency_key, wait
    )


def restore_episode(
    episode_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.EpisodeReceipt]:
    """Let a deleted episode be recalled again."""
    return on_thing(
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
    return on_thing(
        "POST", "/memory/", memory_id, "/pin", contract.MemoryReceipt, idempotency_key, wait
    )


def unpin(
    memory_id: str, *, idempotency_key: str | None = None, wait: Wait | None = None
) -> Operation[contract.MemoryReceipt]:
    """End a pin (owner's key)."""
    return on_thing(
        "POST", "/memory/", memory_id, "/unpin", contract.MemoryReceipt, idempotency_key, wait
    )


def set_tags(
    memory_id: str,
    tags: Sequence[str],
    *,
    level: contract.TagLevel | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.MemoryReceipt]:
    """Give a memory exactly these tags from now on, each at ``level`` if one is given."""
    path = f"/memory/{quote(memory_id, safe='')}/tags"
    request = contract.SetTags(tags=list(tags), level=level)
    return command(path, request, contract.MemoryReceipt, idempotency_key, wait)


def settle(
    memory_ids: Sequence[str],
    *,
    content: str | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.CandidatesReceipt]:
    """Let candidates be memories, of one alone perhaps in other words (owner's key)."""
    request = contract.SettleCandidates(memory_ids=list(memory_ids), content=content)
    path = "/candidates/settle"
    return command(path, request, contract.CandidatesReceipt, idempotency_key, wait)


def dismiss(
    memory_ids: Sequence[str],
    *,
    reason: str | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.CandidatesReceipt]:
    """Make tombstones of candidates (owner's key)."""
    request = contract.DismissCandidates(memory_ids=list(memory_ids), reason=reason)
    path = "/candidates/dismiss"
    return command(path, request, contract.CandidatesReceipt, idempotency_key, wait)


def close_session(
    session_id: str | None,
    *,
    namespace: str | None = None,
    idempotency_key: str | None = None,
    wait: Wait | None = None,
) -> Operation[contract.SessionReceipt]:
    """End a session: its ephemeral rows go. None names the rows that have no session."""
    # A server takes %2F for a slash, and a client leaves "." and ".." out of a path.
    in_body = session_id is not None and ("/" in session_id or session_id in {".", ".."})
    in_path = "-" if session_id is None or in_body else quote(session_id, safe="")
    path = f"/sessions/{in_path}/close"
    request = contract.CloseSession(namespace=namespace, session_id=session_id if in_body else None)
    return command(path, request, contract.SessionReceipt, idempotency_key, wait)


def _commit(
    entry: contract.Commit, key: str | None, wait: Wait | None
) -> Operation[contract.CommitReceipt]:
    return msgspec.structs.replace(
        command("/commit", entry, contract.CommitReceipt, key, wait), deferrable=True
    )
