"""The Session aggregate: how often a session was closed, and when last."""

from __future__ import annotations

from msgspec import Struct

from domain.aggregate import AggregateKind
from domain.events import Event
from domain.identity import id_from_key


class Session(Struct, frozen=True, kw_only=True):
    """What was in the session before ``closed_at_position`` is gone. ``version`` counts closes."""

    id: str
    version: int
    closed_at_position: int


def session_aggregate_id(log: str, namespace: str, session_id: str | None) -> str:
    """Give the id of a session of an ephemeral namespace; ``-`` stands for no session named."""
    return id_from_key(log, "session", f"{namespace}:{session_id or '-'}")


def fold(_session: Session | None, event: Event) -> Session:
    """Apply one event of the log to the state."""
    return Session(id=event.aggregate_id, version=event.version, closed_at_position=event.position)


SESSION = AggregateKind("Session", Session, fold, grows=True)
