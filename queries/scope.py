"""Which namespaces a question may look into (spec: recall.md, "Scope").

A scope is a frozenset of namespace names, or None for every namespace (owner and admin).
"""

from __future__ import annotations

from collections.abc import Iterable

from domain.caller import Caller, require_named_namespace_readable


def readable(caller: Caller) -> frozenset[str] | None:
    """Give everything the caller may read, grants included: the scope of lists and of ids."""
    if caller.kind != "agent":
        return None
    return frozenset(caller.namespaces) | caller.granted


def searched(
    caller: Caller, namespaces: Iterable[str] | None, include: Iterable[str]
) -> frozenset[str] | None:
    """Give what a recall looks into.

    By default an agent's own namespaces and ``shared``; ``namespaces`` names what to look into
    instead, ``include`` adds. Raises `Forbidden` for any named namespace that the caller may not
    read, whether it exists or not.
    """
    added = frozenset(include)
    named = None if namespaces is None else frozenset(namespaces)
    for namespace in sorted(added | (named or frozenset())):
        require_named_namespace_readable(caller, namespace)
    if named is not None:
        return named | added
    if caller.kind != "agent":
        return None
    return frozenset(caller.namespaces) | added


def listed(caller: Caller, namespace: str | None) -> frozenset[str] | None:
    """Give the scope of a list: what the caller may read, or only the namespace it names.

    Raises `Forbidden` for a named namespace that the caller may not read.
    """
    if namespace is None:
        return readable(caller)
    require_named_namespace_readable(caller, namespace)
    return frozenset({namespace})
