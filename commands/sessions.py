"""Closing a session: what it kept for itself goes (spec: lifecycle.md, "Ephemeral")."""

from __future__ import annotations

from msgspec import Struct

from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import Done, execute
from commands.unit_of_work import UnitOfWork
from domain.caller import Caller, require_named_namespace_writable
from domain.errors import InvalidCommand
from domain.events import SessionClosed
from domain.namespaces import is_ephemeral
from domain.policies.content import require_text
from domain.session import SESSION, session_aggregate_id
from memoryweave import contract


class CloseSession(Struct, frozen=True, kw_only=True):
    """POST /sessions/{id}/close. Without ``session_id``: the rows that name no session."""

    session_id: str | None
    namespace: str | None = None


def close_session(
    application: MemoryApplication, command: Command[CloseSession], clock: Clock
) -> contract.SessionReceipt:
    """Let everything go that the session put into the ephemeral namespace until now.

    Without ``namespace`` it is the caller's own ephemeral one. What is committed under the same
    session id afterwards begins anew.
    """
    request = command.request

    def decide(work: UnitOfWork) -> None:
        namespace = request.namespace or _own_ephemeral(work.caller)
        require_named_namespace_writable(work.caller, namespace)
        if not is_ephemeral(namespace):
            raise InvalidCommand(
                "namespace", f"{namespace!r} keeps what is in it; name an ephemeral one"
            )
        work.record(
            SESSION,
            session_aggregate_id(
                work.log, namespace, require_text("session_id", request.session_id)
            ),
            [
                SessionClosed(
                    agent_id=work.caller.actor,
                    namespace=namespace,
                    session_id=request.session_id,
                )
            ],
        )

    def receipt(done: Done) -> contract.SessionReceipt:
        return contract.SessionReceipt(
            session_id=request.session_id, position=done.position, duplicate=done.duplicate
        )

    return execute(application, command, clock, decide, receipt)


def _own_ephemeral(caller: Caller) -> str:
    for namespace in caller.namespaces:
        if is_ephemeral(namespace):
            return namespace
    raise InvalidCommand("namespace", "name the ephemeral namespace of the session")
