"""The Agent aggregate: who may speak, with which key, and what it may read besides its own."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.errors import InvalidCommand, WrongState
from domain.events import (
    AgentDeactivated,
    AgentKeyRotated,
    AgentRegistered,
    Event,
    EventBody,
    Quota,
    ReadGranted,
    ReadRevoked,
    Source,
)
from domain.identity import id_from_key
from domain.namespaces import own_namespaces

RESERVED_AGENT_IDS: Final = frozenset({"owner", "admin", "system"})


class Agent(Struct, frozen=True, kw_only=True):
    """What a decision about an agent needs to know, and what its key lets it do."""

    id: str
    version: int
    agent_id: str
    namespace: str
    key_hash: str
    quota: Quota
    may_claim: list[Source]
    key_expires_at: datetime | None = None
    granted: frozenset[str] = frozenset()
    active: bool = True


def agent_aggregate_id(log: str, agent_id: str) -> str:
    """Give the id of an agent's aggregate."""
    return id_from_key(log, "agent", agent_id)


def require_agent_id(agent_id: str) -> None:
    """Raise `InvalidCommand` for a name that means somebody else in the log."""
    if agent_id in RESERVED_AGENT_IDS:
        raise InvalidCommand("agent_id", f"{agent_id!r} is not an agent's name; choose another")


def rotate_key(agent: Agent, key_hash: str, key_expires_at: datetime | None) -> list[EventBody]:
    """Give it a new key; the old one ends here."""
    _require_active(agent)
    return [AgentKeyRotated(key_hash=key_hash, key_expires_at=key_expires_at)]


def deactivate(agent: Agent) -> list[EventBody]:
    """End its right to speak. Nothing happens to one that has none."""
    return [AgentDeactivated()] if agent.active else []


def grant_reading(agent: Agent, namespace: str) -> list[EventBody]:
    """Let it read one more namespace. Nothing happens if it may read it already."""
    _require_active(agent)
    if namespace in agent.granted or namespace in own_namespaces(agent.namespace):
        return []
    return [ReadGranted(agent_id=agent.agent_id, namespace=namespace)]


def revoke_reading(agent: Agent, namespace: str) -> list[EventBody]:
    """Take a grant back. Nothing happens if there is none; its own namespaces stay."""
    if namespace not in agent.granted:
        return []
    return [ReadRevoked(agent_id=agent.agent_id, namespace=namespace)]


def _require_active(agent: Agent) -> None:
    if not agent.active:
        raise WrongState(f"agent {agent.agent_id!r} was deactivated: register another agent id")


def fold(agent: Agent | None, event: Event) -> Agent:
    """Apply one event of the log to the state."""
    body = event.body
    if isinstance(body, AgentRegistered):
        return Agent(
            id=event.aggregate_id,
            version=event.version,
            agent_id=body.agent_id,
            namespace=body.namespace,
            key_hash=body.key_hash,
            quota=body.quota,
            may_claim=body.may_claim,
            key_expires_at=body.key_expires_at,
        )
    if agent is None:
        raise ValueError(f"agent {event.aggregate_id} begins with {event.type}")
    agent = replace(agent, version=event.version)
    match body:
        case AgentKeyRotated(key_hash=key_hash, key_expires_at=key_expires_at):
            return replace(agent, key_hash=key_hash, key_expires_at=key_expires_at)
        case AgentDeactivated():
            return replace(agent, active=False)
        case ReadGranted(namespace=namespace):
            return replace(agent, granted=agent.granted | {namespace})
        case ReadRevoked(namespace=namespace):
            return replace(agent, granted=agent.granted - {namespace})
        case _:
            return agent


AGENT = AggregateKind("Agent", Agent, fold, grows=True)
