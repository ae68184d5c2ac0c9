"""What happened, for who runs the node: every event, opened, and SQL over them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias

from litestar.params import JSONBody, QueryParameter

from api.calls import require_admin
from api.dependencies import GivenCall
from api.documented import question
from api.routes.listing import Cursor, Limit, Namespace
from domain.errors import InvalidCommand
from memoryweave import contract
from projections.analytics.filter import EventFilter
from queries.audit import AuditList, audit_events, audit_query

Word: TypeAlias = Annotated[str | None, QueryParameter(min_length=1, max_length=200)]
Position: TypeAlias = Annotated[int | None, QueryParameter(ge=1, le=2**62)]


@question("GET", "/admin/audit", tag="admin")
async def get_audit(
    call: GivenCall,
    type_: Annotated[str | None, QueryParameter(name="type", min_length=1, max_length=200)] = None,
    actor: Word = None,
    aggregate_id: Word = None,
    memory_id: Word = None,
    episode_id: Word = None,
    namespace: Namespace = None,
    from_position: Position = None,
    to_position: Position = None,
    from_time: Annotated[datetime | None, QueryParameter()] = None,
    to_time: Annotated[datetime | None, QueryParameter()] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> contract.AuditPage:
    """List events of the log with opened bodies, by position (admin).

    ``memory_id`` and ``episode_id`` give the thing's own events and those that name it.
    """
    require_admin(call.caller)
    wanted = EventFilter(
        type=type_,
        actor=actor,
        aggregate_id=aggregate_id,
        mentions=tuple(name for name in (memory_id, episode_id) if name is not None),
        namespace=namespace,
        first=from_position,
        last=to_position,
        since=_with_zone("from_time", from_time),
        until=_with_zone("to_time", to_time),
    )
    asked = AuditList(wanted=wanted, cursor=cursor, limit=limit)
    return await call.threads.audit(audit_events, asked, call.node.analytics)


@question("POST", "/admin/audit/query", tag="admin")
async def post_query(call: GivenCall, data: JSONBody[contract.AuditQuery]) -> contract.AuditAnswer:
    """Answer one SELECT over the audit's views, within limits of time, memory and rows (admin)."""
    require_admin(call.caller)
    node = call.node
    return await call.threads.audit(
        audit_query, data.sql, data.limit, node.analytics, node.audit_processes
    )


def _with_zone(field: str, moment: datetime | None) -> datetime | None:
    if moment is not None and moment.tzinfo is None:
        raise InvalidCommand(field, "needs a zone, as in 2026-03-01T00:00:00Z")
    return moment
