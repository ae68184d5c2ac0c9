"""Finding a thing by id for somebody who may not know of it, and whether it is theirs to change."""

from __future__ import annotations

from commands.unit_of_work import UnitOfWork
from domain.caller import Caller, may_write, require_visible
from domain.episode import EPISODE, Episode
from domain.errors import Forbidden
from domain.memory import MEMORY, Memory
from domain.namespaces import is_ephemeral
from domain.session import SESSION, session_aggregate_id


def visible_memory(work: UnitOfWork, memory_id: str) -> Memory:
    """Give the memory. `NotFound` if there is none, or the caller may not read it."""
    memory = work.get(MEMORY, memory_id)
    require_visible(work.caller, "memory", memory_id, _namespace_of(work, memory))
    assert memory is not None
    return memory


def visible_episode(work: UnitOfWork, episode_id: str) -> Episode:
    """Give the episode. `NotFound` if there is none, or the caller may not read it."""
    episode = work.get(EPISODE, episode_id)
    require_visible(work.caller, "episode", episode_id, _namespace_of(work, episode))
    assert episode is not None
    return episode


def may_withdraw(caller: Caller, author: str, namespace: str) -> bool:
    """Tell whether the thing is the caller's to take away: its author's, the owner's, the admin's.

    Anybody else who may read it can only vote against it.
    """
    return caller.kind != "agent" or (caller.actor == author and may_write(caller, namespace))


def require_may_withdraw(caller: Caller, what: str, author: str, namespace: str) -> None:
    """Raise `Forbidden` unless `may_withdraw`."""
    if not may_withdraw(caller, author, namespace):
        raise Forbidden(f"this {what} is {author}'s to withdraw or restore, or the owner's")


def require_may_edit(caller: Caller, namespace: str) -> None:
    """Raise `Forbidden` unless the caller may store in the thing's namespace."""
    if not may_write(caller, namespace):
        raise Forbidden(f"you may read namespace {namespace!r} but not change what is in it")


def require_owner_or_admin(caller: Caller, action: str) -> None:
    """Raise `Forbidden` for an agent."""
    if caller.kind == "agent":
        raise Forbidden(f"to {action} needs the owner's or the admin's key")


def require_admin(caller: Caller, action: str) -> None:
    """Raise `Forbidden` for anybody but the admin."""
    if caller.kind != "admin":
        raise Forbidden(f"to {action} needs the admin's key")


def went_with_its_session(work: UnitOfWork, thing: Memory | Episode) -> bool:
    """Tell whether the thing was in an ephemeral namespace when its session was closed."""
    if not is_ephemeral(thing.namespace):
        return False
    session = work.get(SESSION, session_aggregate_id(work.log, thing.namespace, thing.session_id))
    # A thing of this very command has no position yet: it comes after every close.
    return session is not None and 0 < thing.created_at_position < session.closed_at_position


def _namespace_of(work: UnitOfWork, thing: Memory | Episode | None) -> str | None:
    """Give where the thing is; None if it is nowhere, or nothing of it is left."""
    if thing is None or thing.is_erased or went_with_its_session(work, thing):
        return None
    return thing.namespace
