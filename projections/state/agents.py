"""Events of agents, their grants, enrolment tokens and claimed namespaces."""

from __future__ import annotations

from domain.caller import SHARED
from domain.events import (
    AgentDeactivated,
    AgentKeyRotated,
    AgentRegistered,
    EnrolmentTokenIssued,
    EnrolmentTokenUsed,
    Event,
    NamespaceClaimed,
    ReadGranted,
    ReadRevoked,
)
from projections.projector import PoisonEvent
from projections.state.step import Step, as_json, microseconds


def agent_registered(step: Step, event: Event, body: AgentRegistered) -> None:
    """Add the agent, or register it anew under the same id."""
    at = microseconds(event.occurred_at)
    step.execute(
        "INSERT INTO agents (agent_id, aggregate_id, kind, namespace, key_hash, quota, may_claim, "
        "active, registered_at, key_changed_at, key_expires_at, created_position, position) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (agent_id) DO UPDATE SET "
        "kind = excluded.kind, namespace = excluded.namespace, key_hash = excluded.key_hash, "
        "quota = excluded.quota, may_claim = excluded.may_claim, active = 1, "
        "key_changed_at = excluded.key_changed_at, key_expires_at = excluded.key_expires_at, "
        "position = excluded.position WHERE excluded.position > position",
        (
            body.agent_id,
            event.aggregate_id,
            body.kind,
            body.namespace,
            body.key_hash,
            as_json(body.quota),
            as_json(body.may_claim),
            at,
            at,
            microseconds(body.key_expires_at),
            event.position,
            event.position,
        ),
    )
    step.mention(body.namespace)
    step.mention(SHARED)


def agent_key_rotated(step: Step, event: Event, body: AgentKeyRotated) -> None:
    """Put the new key's hash in the place of the old one."""
    if not _is_new_to(step, event):
        return
    step.execute(
        "UPDATE agents SET key_hash = ?, key_changed_at = ?, key_expires_at = ?, position = ? "
        "WHERE aggregate_id = ?",
        (
            body.key_hash,
            microseconds(event.occurred_at),
            microseconds(body.key_expires_at),
            event.position,
            event.aggregate_id,
        ),
    )


def agent_deactivated(step: Step, event: Event, body: AgentDeactivated) -> None:  # noqa: ARG001  # it has no fields
    """End the agent's right to speak."""
    if not _is_new_to(step, event):
        return
    step.execute(
        "UPDATE agents SET active = 0, position = ? WHERE aggregate_id = ?",
        (event.position, event.aggregate_id),
    )


def read_granted(step: Step, event: Event, body: ReadGranted) -> None:
    """Let the agent read one more namespace."""
    if not _is_new_to(step, event):
        return
    step.execute(
        "INSERT INTO grants (agent_id, namespace, position) VALUES (?, ?, ?) "
        "ON CONFLICT (agent_id, namespace) DO UPDATE SET position = excluded.position",
        (body.agent_id, body.namespace, event.position),
    )
    _touch(step, event)


def read_revoked(step: Step, event: Event, body: ReadRevoked) -> None:
    """End a grant."""
    if not _is_new_to(step, event):
        return
    step.execute(
        "DELETE FROM grants WHERE agent_id = ? AND namespace = ?", (body.agent_id, body.namespace)
    )
    _touch(step, event)


def namespace_claimed(step: Step, event: Event, body: NamespaceClaimed) -> None:  # noqa: ARG001  # same shape as the others
    """Note whose namespace it is."""
    step.execute(
        "INSERT INTO namespaces (namespace, claimed_by, changed_at) VALUES (?, ?, 0) "
        "ON CONFLICT (namespace) DO UPDATE "
        "SET claimed_by = coalesce(claimed_by, excluded.claimed_by)",
        (body.namespace, body.agent_id),
    )
    step.mention(body.namespace)


def enrolment_token_issued(step: Step, event: Event, body: EnrolmentTokenIssued) -> None:
    """Add a token that is still to be spent."""
    step.add(
        "enrolment_tokens",
        {
            "token_hash": body.token_hash,
            "aggregate_id": event.aggregate_id,
            "expires_at": microseconds(body.expires_at),
            "kind": body.kind,
            "position": event.position,
        },
    )


def enrolment_token_used(step: Step, event: Event, body: EnrolmentTokenUsed) -> None:
    """Note who spent the token."""
    step.execute(
        "UPDATE enrolment_tokens SET used_by = ?, position = ? "
        "WHERE aggregate_id = ? AND position < ?",
        (body.agent_id, event.position, event.aggregate_id, event.position),
    )


def _is_new_to(step: Step, event: Event) -> bool:
    row = step.execute(
        "SELECT position FROM agents WHERE aggregate_id = ?", (event.aggregate_id,)
    ).fetchone()
    if row is None:
        raise PoisonEvent(event.position, f"{event.type} of an agent that was never registered")
    return bool(row[0] < event.position)


def _touch(step: Step, event: Event) -> None:
    step.execute(
        "UPDATE agents SET position = ? WHERE aggregate_id = ?",
        (event.position, event.aggregate_id),
    )
