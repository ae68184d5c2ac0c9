"""Who holds the key of a request (spec: api.md, "Keys").

An agent's key names the agent; its hash comes from the state view, and from the log when the view
does not confirm it, so that a key works from the moment it was given out. A rotated or ended key
is refused at once because those commands answer only when the view shows them.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.types import Guard

from api.calls import require_admin
from api.last_used import LastUsed
from api.node import Node, key_digest
from api.query_string import require_known_parameters
from api.threads import Threads
from domain.agent import AGENT, agent_aggregate_id
from domain.caller import Caller
from domain.credentials import TOKEN_PREFIX, agent_named_in, key_matches
from domain.errors import Unauthenticated, ViewBehind, ViewDegraded
from domain.events import Quota, Source
from domain.namespaces import own_namespaces

_BEARER: Final = re.compile(r"bearer +(\S+) *", re.IGNORECASE)
TAKES_TOKEN: Final = "takes_enrolment_token"  # noqa: S105  # an option's name
"""Route option: an enrolment token may stand in the place of a key."""

_REFUSAL: Final = "send a valid key as X-API-Key or as Authorization: Bearer"


def key_holder_required(node: Node, threads: Threads, last_used: LastUsed) -> Guard:
    """Make the guard that finds the caller of a request and keeps it as ``request.user``.

    It looks at the query string too: the framework copies the route for every guard.
    """

    async def guard(
        connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
    ) -> None:
        key = presented_key(connection.headers)
        if handler.opt.get(TAKES_TOKEN) and key.startswith(TOKEN_PREFIX):
            return  # the command itself judges the token, in the same step that spends it
        caller = await caller_of(node, threads, key, last_used)
        connection.scope["user"] = caller
        connection.scope["state"]["actor"] = caller.actor
        require_known_parameters(connection, handler)

    return guard


def admin_key_required(node: Node) -> Guard:
    """Make the guard for what only the admin may see when it is not open to all."""

    def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        caller = _of_the_node(node, presented_key(connection.headers))
        if caller is None:
            raise Unauthenticated(_REFUSAL)
        require_admin(caller)

    return guard


async def caller_of(node: Node, threads: Threads, key: str, last_used: LastUsed) -> Caller:
    """Give who holds a key. Raises `Unauthenticated`, and `LogUnavailable` where only the log
    could tell.
    """
    return _of_the_node(node, key) or await _of_an_agent(node, threads, key, last_used)


def presented_key(headers: Mapping[str, str]) -> str:
    """Give the key of a request. Raises `Unauthenticated` for none, or for two that differ."""
    key = headers.get("X-API-Key")
    bearer = _BEARER.fullmatch(headers.get("Authorization", ""))
    given = {text for text in (key, bearer and bearer[1]) if text}
    if len(given) != 1:
        raise Unauthenticated(_REFUSAL)
    return given.pop()


def _of_the_node(node: Node, key: str) -> Caller | None:
    digest = key_digest(key)
    is_admin = hmac.compare_digest(digest, node.keys.admin)
    is_owner = hmac.compare_digest(digest, node.keys.owner)
    if is_admin:
        return Caller(actor="admin", kind="admin")
    if is_owner:
        return Caller(actor="owner", kind="owner")
    return None


class _AgentRecord(Protocol):
    """What the state view and the log both know of an agent."""

    @property
    def agent_id(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def key_hash(self) -> str: ...
    @property
    def key_expires_at(self) -> datetime | None: ...
    @property
    def quota(self) -> Quota: ...
    @property
    def may_claim(self) -> Sequence[Source]: ...
    @property
    def granted(self) -> frozenset[str]: ...
    @property
    def active(self) -> bool: ...


# Compared against when there is no such agent, so that a wrong name costs what a wrong key does.
_NOBODYS_HASH: Final = f"{'0' * 32}${'0' * 64}"


async def _of_an_agent(node: Node, threads: Threads, key: str, last_used: LastUsed) -> Caller:
    now = node.clock()
    agent_id = agent_named_in(key)
    if agent_id is None:
        raise Unauthenticated(_REFUSAL)

    def confirmed(look: Callable[[Node, str], _AgentRecord | None]) -> _AgentRecord | None:
        agent = _confirmed(look(node, agent_id), key, now)
        if agent is not None:
            last_used.note(agent_id, now)
        return agent

    agent = await threads.run(confirmed, _in_view) or await threads.ask_log(confirmed, _in_log)
    if agent is None:
        raise Unauthenticated(_REFUSAL)
    return Caller(
        actor=agent.agent_id,
        kind="agent",
        namespaces=own_namespaces(agent.namespace),
        granted=agent.granted,
        reads_any=node.options.cross_namespace_reads == "any",
        may_claim=frozenset(agent.may_claim),
        quota=agent.quota,
    )


def _confirmed(agent: _AgentRecord | None, key: str, now: datetime) -> _AgentRecord | None:
    matches = key_matches(key, _NOBODYS_HASH if agent is None else agent.key_hash)
    if agent is None or not matches or not agent.active:
        return None
    expired = agent.key_expires_at is not None and now >= agent.key_expires_at
    return None if expired else agent


def _in_view(node: Node, agent_id: str) -> _AgentRecord | None:
    try:
        return node.state.agent(agent_id)
    except (ViewBehind, ViewDegraded):
        return None  # the log knows it too


def _in_log(node: Node, agent_id: str) -> _AgentRecord | None:
    application = node.application
    return application.load(AGENT, agent_aggregate_id(application.log_name, agent_id))
