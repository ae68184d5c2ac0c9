"""The NamespaceClaim aggregate: who was the first in a namespace."""

from __future__ import annotations

from msgspec import Struct

from domain.aggregate import AggregateKind
from domain.events import Event, NamespaceClaimed
from domain.identity import id_from_key


class NamespaceClaim(Struct, frozen=True, kw_only=True):
    """The agent (or ``owner``, ``admin``) that had the namespace first."""

    id: str
    version: int
    agent_id: str


def namespace_claim_id(log: str, namespace: str) -> str:
    """Give the id of the claim on a namespace."""
    return id_from_key(log, "namespace", namespace)


def fold(claim: NamespaceClaim | None, event: Event) -> NamespaceClaim:
    """Apply one event of the log to the state: the first claim stands."""
    if not isinstance(event.body, NamespaceClaimed):
        raise ValueError(f"namespace claim {event.aggregate_id} holds {event.type}")  # noqa: TRY004
    holder = claim.agent_id if claim else event.body.agent_id
    return NamespaceClaim(id=event.aggregate_id, version=event.version, agent_id=holder)


NAMESPACE_CLAIM = AggregateKind("NamespaceClaim", NamespaceClaim, fold)
