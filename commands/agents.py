"""Agents: who may speak, and with which key."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from msgspec.structs import asdict

from commands.access import require_admin
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import Done, execute
from commands.unit_of_work import UnitOfWork
from domain import agent as agents
from domain.agent import AGENT, Agent, agent_aggregate_id, require_agent_id
from domain.credentials import agent_key, hash_key, key_matches
from domain.errors import Forbidden, NameTaken, NotFound, WrongState
from domain.events import AgentKeyRotated, AgentRegistered, NamespaceClaimed, Quota, Source
from domain.namespace_claim import NAMESPACE_CLAIM, namespace_claim_id
from domain.namespaces import default_main_namespace, own_namespaces, require_main_namespace
from domain.policies.content import utc
from domain.policies.quotas import default_quota
from domain.policies.trust import default_claims
from memoryweave import contract


class RotateKey(Struct, frozen=True, kw_only=True):
    """POST /agents/{id}/rotate-key."""

    agent_id: str
    key_expires_at: datetime | None = None


class DeactivateAgent(Struct, frozen=True, kw_only=True):
    """DELETE /agents/{id}."""

    agent_id: str


def register(
    application: MemoryApplication,
    command: Command[contract.RegisterAgent],
    clock: Clock,
    secret: bytes,
) -> contract.AgentRegistered:
    """Let a new agent speak; the answer is the one place where its key stands.

    The key is made from ``secret`` (the node's) and the command id, so that a repeat gives it
    again. For the admin, who may put several agents into one namespace. Raises `NameTaken` for an
    agent id that was ever registered.
    """

    def decide(work: UnitOfWork) -> None:
        require_admin(work.caller, "register an agent")
        record_registration(work, command, secret)
        for namespace in own_namespaces(_main_namespace(command.request))[:2]:
            claim_namespace(work, namespace, command.request.agent_id)

    return execute(
        application,
        command,
        clock,
        decide,
        lambda done: registration_receipt(done, command, secret),
    )


def rotate_key(
    application: MemoryApplication, command: Command[RotateKey], clock: Clock, secret: bytes
) -> contract.AgentReceipt:
    """Give an agent a new key in the place of its old one. For the admin, and for the agent itself.

    When a key ends is the admin's to say: a key that the agent makes for itself ends when the old
    one would have. Raises `WrongState` for an agent that was deactivated.
    """
    request = command.request
    key = agent_key(request.agent_id, secret, command.context.command_id)

    def decide(work: UnitOfWork) -> None:
        if work.caller.actor != request.agent_id:
            require_admin(work.caller, "rotate another agent's key")
        agent = known_agent(work, request.agent_id)
        key_hash = hash_key(key, secret, command.context.command_id)
        expires_at = utc("key_expires_at", request.key_expires_at)
        if work.caller.kind != "admin":
            if expires_at is not None:
                raise Forbidden("when a key ends is the admin's to say; leave key_expires_at out")
            expires_at = agent.key_expires_at
        work.record(AGENT, agent.id, agents.rotate_key(agent, key_hash, expires_at))

    def receipt(done: Done) -> contract.AgentReceipt:
        [rotated] = [e.body for e in done.events if isinstance(e.body, AgentKeyRotated)]
        require_derivable(key, rotated.key_hash)
        return contract.AgentReceipt(
            agent_id=request.agent_id,
            position=done.position,
            duplicate=done.duplicate,
            api_key=key,
        )

    return execute(application, command, clock, decide, receipt)


def deactivate(
    application: MemoryApplication, command: Command[DeactivateAgent], clock: Clock
) -> contract.AgentReceipt:
    """End an agent's right to speak; what it stored stays. For the admin."""
    request = command.request

    def decide(work: UnitOfWork) -> None:
        require_admin(work.caller, "deactivate an agent")
        agent = known_agent(work, request.agent_id)
        work.record(AGENT, agent.id, agents.deactivate(agent))

    def receipt(done: Done) -> contract.AgentReceipt:
        return contract.AgentReceipt(
            agent_id=request.agent_id, position=done.position, duplicate=done.duplicate
        )

    return execute(application, command, clock, decide, receipt)


def known_agent(work: UnitOfWork, agent_id: str) -> Agent:
    """Give the agent; `NotFound` if none was registered under that id."""
    agent = work.get(AGENT, agent_aggregate_id(work.log, agent_id))
    if agent is None:
        raise NotFound(f"no agent {agent_id}")
    return agent


def record_registration(
    work: UnitOfWork, command: Command[contract.RegisterAgent], secret: bytes
) -> None:
    """Add the event that makes an agent, whoever was allowed to ask for it."""
    request, command_id = command.request, command.context.command_id
    require_agent_id(request.agent_id)
    namespace = _main_namespace(request)
    require_main_namespace(namespace)
    if "owner_edit" in (request.may_claim or ()):
        raise Forbidden("source 'owner_edit' needs the owner's key; no agent may claim it")
    aggregate_id = agent_aggregate_id(work.log, request.agent_id)
    if work.get(AGENT, aggregate_id) is not None:
        raise NameTaken(f"agent id {request.agent_id!r} is taken; choose another")
    key = agent_key(request.agent_id, secret, command_id)
    registered = AgentRegistered(
        agent_id=request.agent_id,
        kind=request.kind,
        namespace=namespace,
        key_hash=hash_key(key, secret, command_id),
        quota=_quota(request),
        may_claim=_claims(request),
        key_expires_at=utc("key_expires_at", request.key_expires_at),
    )
    work.record(AGENT, aggregate_id, [registered])


def claim_namespace(work: UnitOfWork, namespace: str, holder: str) -> None:
    """Note who is the first in a namespace; later ones change nothing."""
    claim_id = namespace_claim_id(work.log, namespace)
    if work.get(NAMESPACE_CLAIM, claim_id) is None:
        claimed = NamespaceClaimed(namespace=namespace, agent_id=holder)
        work.record(NAMESPACE_CLAIM, claim_id, [claimed])


def registration_receipt(
    done: Done, command: Command[contract.RegisterAgent], secret: bytes
) -> contract.AgentRegistered:
    """Show the new agent its key and namespaces."""
    [registered] = [e.body for e in done.events if isinstance(e.body, AgentRegistered)]
    key = agent_key(registered.agent_id, secret, command.context.command_id)
    require_derivable(key, registered.key_hash)
    return contract.AgentRegistered(
        agent_id=registered.agent_id,
        api_key=key,
        namespaces=list(own_namespaces(registered.namespace)),
        quota=contract.Quota(**asdict(registered.quota)),
        websocket=f"/api/v1/ws/{registered.agent_id}",
        position=done.position,
        duplicate=done.duplicate,
    )


def require_derivable(key: str, key_hash: str) -> None:
    """Raise `WrongState` on a node whose secret is not the one that made the key."""
    if not key_matches(key, key_hash):
        raise WrongState("the key was made by another node and cannot be shown here; rotate it")


def _main_namespace(request: contract.RegisterAgent) -> str:
    return request.namespace or default_main_namespace(request.agent_id)


def _quota(request: contract.RegisterAgent) -> Quota:
    if request.quota is None:
        return default_quota(request.agent_id, request.kind)
    return Quota(**asdict(request.quota))


def _claims(request: contract.RegisterAgent) -> list[Source]:
    if request.may_claim is None:
        return default_claims(request.kind)
    return sorted(set(request.may_claim))
