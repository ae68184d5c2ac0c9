"""The Enrolment aggregate: a token with which one new agent may register itself once."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.errors import Forbidden, Unauthenticated
from domain.events import EnrolmentTokenIssued, EnrolmentTokenUsed, Event, EventBody
from domain.identity import id_from_key


class Enrolment(Struct, frozen=True, kw_only=True):
    """What a decision about a token needs to know. Without ``kind`` any kind may enrol."""

    id: str
    version: int
    expires_at: datetime
    kind: str | None
    used: bool = False


def enrolment_id(log: str, token_hash: str) -> str:
    """Give the id of a token's aggregate, by the hash of the token."""
    return id_from_key(log, "enrolment", token_hash)


def use(enrolment: Enrolment | None, agent_id: str, kind: str, now: datetime) -> list[EventBody]:
    """Spend the token on a new agent.

    An unknown, spent or expired token is `Unauthenticated`, with one message for all three.
    """
    if enrolment is None or enrolment.used or now >= enrolment.expires_at:
        raise Unauthenticated("the enrolment token is not valid; ask the admin for a new one")
    if enrolment.kind is not None and enrolment.kind != kind:
        raise Forbidden(f"this enrolment token is for agents of kind {enrolment.kind!r}")
    return [EnrolmentTokenUsed(agent_id=agent_id)]


def fold(enrolment: Enrolment | None, event: Event) -> Enrolment:
    """Apply one event of the log to the state."""
    body = event.body
    if isinstance(body, EnrolmentTokenIssued):
        return Enrolment(
            id=event.aggregate_id,
            version=event.version,
            expires_at=body.expires_at,
            kind=body.kind,
        )
    if enrolment is None:
        raise ValueError(f"enrolment {event.aggregate_id} begins with {event.type}")
    used = enrolment.used or isinstance(body, EnrolmentTokenUsed)
    return replace(enrolment, version=event.version, used=used)


ENROLMENT = AggregateKind("Enrolment", Enrolment, fold)
