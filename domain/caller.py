"""Who speaks, and what that one may read and write (spec: api.md "Keys", recall.md "Scope").

Scope comes from the credential; a namespace in a request can only narrow it.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from domain.errors import Forbidden, NotFound
from domain.events import Quota, Source

SHARED: Final = "shared"
SYSTEM: Final = "system:"
"""What the names of this system's own processes begin with, as actors."""

DISTILLER_ACTOR: Final = "system:distiller"
"""Who makes memories of episodes. When it ends one, nobody has said that the episode is wrong."""


class Caller(Struct, frozen=True, kw_only=True):
    """The holder of a key.

    ``actor`` is what the log keeps: an agent id, ``owner`` or ``admin``. ``namespaces`` are an
    agent's own, main first, ``shared`` last; ``granted`` are those it may read besides. The owner
    and the admin may read and write every namespace, so both fields are empty for them.
    """

    actor: str
    kind: Literal["agent", "owner", "admin"]
    namespaces: tuple[str, ...] = ()
    granted: frozenset[str] = frozenset()
    reads_any: bool = False
    may_claim: frozenset[Source] = frozenset()
    quota: Quota | None = None

    @property
    def main_namespace(self) -> str:
        """Where a commit goes that names no namespace."""
        return self.namespaces[0] if self.namespaces else SHARED


def may_read(caller: Caller, namespace: str) -> bool:
    """Tell whether the caller may know anything of that namespace."""
    return (
        caller.kind != "agent"
        or caller.reads_any
        or namespace in caller.namespaces
        or namespace in caller.granted
    )


def may_write(caller: Caller, namespace: str) -> bool:
    """Tell whether the caller may store in that namespace."""
    return caller.kind != "agent" or namespace in caller.namespaces


def require_named_namespace_readable(caller: Caller, namespace: str) -> None:
    """Raise `Forbidden` for a namespace that the caller named but may not read.

    The answer is the same whether the namespace exists or not.
    """
    if not may_read(caller, namespace):
        raise Forbidden(f"namespace {namespace!r} is not yours to read")


def require_named_namespace_writable(caller: Caller, namespace: str) -> None:
    """Raise `Forbidden` for a namespace that the caller named but may not write."""
    if not may_write(caller, namespace):
        raise Forbidden(f"namespace {namespace!r} is not yours to write")


def require_visible(caller: Caller, what: str, thing_id: str, namespace: str | None) -> None:
    """Raise `NotFound` unless the thing exists (namespace given) and the caller may read it."""
    if namespace is None or not may_read(caller, namespace):
        raise NotFound(f"no {what} {thing_id}")
