"""The TextClaim aggregate: which one memory of a namespace says exactly a text, or a statement.

Its id is made from the namespace and the hash of the normalised text, so two processes that
remember the same text at once append to the same aggregate and one of them finds a conflict. A
claim is not given back: it holds while the memory it names is live and still says the text, and is
written anew by whoever comes next (docs/decisions/0007-exact-text-claims.md). What is distilled
claims its statement in the same way, by the hash of what it says instead of how (docs/decisions/
0035-distilling-in-one-append.md).
"""

from __future__ import annotations

from msgspec import Struct

from domain.aggregate import AggregateKind
from domain.events import Event, TextClaimed
from domain.identity import id_from_key
from domain.namespaces import is_ephemeral


class TextClaim(Struct, frozen=True, kw_only=True):
    """The memory that took the text last."""

    id: str
    version: int
    memory_id: str


def claim_id(log: str, scope: str, text_hash: str) -> str:
    """Give the id of the claim on a text, by the hash of its normalised form."""
    return id_from_key(log, "text", f"{scope}:{text_hash}")


def statement_claim_id(log: str, scope: str, statement_hash: str) -> str:
    """Give the id of the claim on a statement, by the hash that all its wordings have."""
    return id_from_key(log, "statement", f"{scope}:{statement_hash}")


def claim_scope(namespace: str, session_id: str | None) -> str:
    """Give within what a text may stand only once: the namespace, or the session where it is one.

    What a session of an ephemeral namespace holds goes with it, and must not take along what
    another session said.
    """
    return f"{namespace}/{session_id or '-'}" if is_ephemeral(namespace) else namespace


def fold(_claim: TextClaim | None, event: Event) -> TextClaim:
    """Apply one event of the log to the state."""
    if not isinstance(event.body, TextClaimed):
        raise ValueError(f"text claim {event.aggregate_id} holds {event.type}")  # noqa: TRY004
    return TextClaim(id=event.aggregate_id, version=event.version, memory_id=event.body.memory_id)


TEXT_CLAIM = AggregateKind("TextClaim", TextClaim, fold)
