"""What those who run the service ask: agents, access, settings, health, views."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from urllib.parse import quote

import msgspec

from memoryweave import contract
from memoryweave.operation import (
    Operation,
    command,
    get,
    list_of,
    on_thing,
    query_of,
)


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
        may_claim=list_of(may_claim),
        key_expires_at=key_expires_at,
    )
    return command("/agents/register", request, contract.AgentRegistered, idempotency_key, None)


def rotate_agent_key(
    agent_id: str, *, idempotency_key: str | None = None
) -> Operation[contract.AgentReceipt]:
    """Give an agent a new key; the old one ends at once."""
    return on_thing(
        "POST", "/agents/", agent_id, "/rotate-key", contract.AgentReceipt, idempotency_key, None
    )


def deactivate_agent(
    agent_id: str, *, idempotency_key: str | None = None
) -> Operation[contract.AgentReceipt]:
    """End an agent's access; what it stored stays."""
    return on_thing(
        "DELETE", "/agents/", agent_id, "", contract.AgentReceipt, idempotency_key, None
    )


def agents() -> Operation[contract.AgentList]:
    """List the agents (admin's key)."""
    return get("/agents", contract.AgentList)


def grant(
    agent_id: str, namespace: str, *, idempotency_key: str | None = None
) -> Operation[contract.GrantReceipt]:
    """Let an agent read one more namespace."""
    request = contract.Grant(agent_id=agent_id, namespace=namespace)
    return command("/grants", request, contract.GrantReceipt, idempotency_key, None)


def revoke(
    agent_id: str, namespace: str, *, idempotency_key: str | None = None
) -> Operation[contract.GrantReceipt]:
    """End a grant."""
    request = contract.Grant(agent_id=agent_id, namespace=namespace)
    return msgspec.structs.replace(
        command("/grants", request, contract.GrantReceipt, idempotency_key, None), method="DELETE"
    )


def issue_enrolment_token(
    *, expires_in_s: int = 86400, kind: str | None = None, idempotency_key: str | None = None
) -> Operation[contract.EnrolmentToken]:
    """Make a token with which one new agent may register itself. Shown once."""
    request = contract.IssueEnrolmentToken(expires_in_s=expires_in_s, kind=kind)
    return command("/enrolment-tokens", request, contract.EnrolmentToken, idempotency_key, None)


def settings() -> Operation[contract.SettingList]:
    """Read the service's settings, each with where it came from (admin's key)."""
    return get("/settings", contract.SettingList)


def health() -> Operation[contract.Health]:
    """Ask how the service is; an unhealthy one answers too."""
    return Operation(
        method="GET", path="/health", answer=contract.Health, good=frozenset({200, 503})
    )


def projections() -> Operation[contract.ProjectionList]:
    """Read how far each view has come and what it could not show (admin's key)."""
    return get("/admin/projections", contract.ProjectionList)


def retry_projection(view: str) -> Operation[contract.RetryRequested]:
    """Ask for another try at the events that a view could not show (admin's key)."""
    return Operation(
        method="POST",
        path=f"/api/v1/admin/projections/{quote(view, safe='')}/retry",
        answer=contract.RetryRequested,
    )


def audit(
    *,
    type: str | None = None,  # noqa: A002  # its name on the wire
    actor: str | None = None,
    aggregate_id: str | None = None,
    memory_id: str | None = None,
    episode_id: str | None = None,
    namespace: str | None = None,
    from_position: int | None = None,
    to_position: int | None = None,
    from_time: datetime | None = None,
    to_time: datetime | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Operation[contract.AuditPage]:
    """Read events of the log, opened, page by page: pass ``next`` as ``cursor`` (admin's key)."""
    query = query_of(
        type=type,
        actor=actor,
        aggregate_id=aggregate_id,
        memory_id=memory_id,
        episode_id=episode_id,
        namespace=namespace,
        from_position=from_position,
        to_position=to_position,
        from_time=None if from_time is None else from_time.isoformat(),
        to_time=None if to_time is None else to_time.isoformat(),
        cursor=cursor,
        limit=limit,
    )
    return get("/admin/audit", contract.AuditPage, query)


def audit_query(sql: str, *, limit: int = 1000) -> Operation[contract.AuditAnswer]:
    """Answer one SELECT over the audit's views (admin's key; docs/audit.md lists the views)."""
    return Operation(
        method="POST",
        path="/api/v1/admin/audit/query",
        answer=contract.AuditAnswer,
        body=msgspec.json.encode(contract.AuditQuery(sql=sql, limit=limit)),
    )


def rebuild(
    view: str, *, allow_parked: bool = False, compare: bool = False
) -> Operation[contract.RebuildRequested]:
    """Have a view built anew beside the live one; `projections` tells how it goes (admin's key)."""
    return Operation(
        method="POST",
        path=f"/api/v1/admin/rebuild/{quote(view, safe='')}",
        answer=contract.RebuildRequested,
        query={
            "allow_parked": str(allow_parked).lower(),
            "compare": str(compare).lower(),
        },
    )


def backup(*, vectors: bool = True) -> Operation[contract.BackupMade]:
    """Back the service's node up now, into its own folder; may take minutes (admin's key)."""
    return Operation(
        method="POST",
        path="/api/v1/admin/backup",
        answer=contract.BackupMade,
        query={"vectors": str(vectors).lower()},
    )


def replicas() -> Operation[contract.NodeList]:
    """List the nodes that live on the service's log, primaries too (admin's key)."""
    return get("/admin/replicas", contract.NodeList)


def digest(*, at: int | None = None) -> Operation[contract.DigestList]:
    """Digest every view at its position: equal on two nodes that are right (admin's key).

    ``at``: only at that position; refused where a view has passed it or has not come so far.
    """
    return get("/admin/digest", contract.DigestList, query_of(at=at))


def erase(
    *,
    memory_id: str | None = None,
    episode_id: str | None = None,
    agent_id: str | None = None,
    idempotency_key: str | None = None,
) -> Operation[contract.ErasureReceipt]:
    """Erase one memory, episode or agent for ever; ask again while ``pending_views`` is not empty
    (admin's key).
    """
    request = contract.Erase(memory_id=memory_id, episode_id=episode_id, agent_id=agent_id)
    return command("/admin/erase", request, contract.ErasureReceipt, idempotency_key, None)


def redistil(
    *,
    episode_ids: Sequence[str] | None = None,
    namespace: str | None = None,
    reason: str | None = None,
    up_to: int | None = None,
    idempotency_key: str | None = None,
) -> Operation[contract.RedistilReceipt]:
    """Let episodes be distilled anew: those named, or the next 500 of a namespace (admin's key).

    ``up_to``: that of the first receipt, with every further call for the namespace.
    """
    request = contract.Redistil(
        episode_ids=list_of(episode_ids), namespace=namespace, reason=reason, up_to=up_to
    )
    return command("/admin/redistil", request, contract.RedistilReceipt, idempotency_key, None)


def run_evaluation(
    name: str | None = None,
    *,
    questions: Sequence[contract.EvaluationQuestion] | None = None,
    namespaces: Sequence[str] | None = None,
    idempotency_key: str | None = None,
) -> Operation[contract.EvaluationReport]:
    """Ask questions with known answers and keep how it went (admin's or owner's key).

    ``name``: a generated set, None: the deployment's own; with ``questions`` the name under which
    their run is kept.
    """
    request = contract.RunEvaluation(
        set=name, questions=list_of(questions), namespaces=list_of(namespaces)
    )
    return command("/eval/run", request, contract.EvaluationReport, idempotency_key, None)


def generate_evaluation(
    name: str = "own",
    *,
    seed: int = 7,
    per_cell: int = 5,
    namespaces: Sequence[str] | None = None,
    generator: Literal["auto", "templates", "llm"] = "auto",
    idempotency_key: str | None = None,
) -> Operation[contract.GoldenSetReceipt]:
    """Make questions on the live memories and keep them as a set (admin's or owner's key)."""
    request = contract.GenerateEvaluation(
        set=name,
        seed=seed,
        per_cell=per_cell,
        namespaces=list_of(namespaces),
        generator=generator,
    )
    return command("/eval/generate", request, contract.GoldenSetReceipt, idempotency_key, None)


def evaluation_history(
    name: str | None = None, *, limit: int | None = None
) -> Operation[contract.EvaluationHistory]:
    """Read how runs went, of one set or of all, the newest first (admin's or owner's key)."""
    return get("/eval/history", contract.EvaluationHistory, query_of(set=name, limit=limit))
