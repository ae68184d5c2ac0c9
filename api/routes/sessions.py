"""The end of a session."""

from __future__ import annotations

from typing import Final

from litestar import Response
from litestar.params import FromPath, JSONBody

from api.calls import carry_out
from api.dependencies import GivenCall, WaitFor
from api.documented import command
from commands.sessions import CloseSession, close_session
from domain.errors import InvalidCommand
from memoryweave import contract

LONGEST_ID: Final = 200
"""Of a session: what `contract.Label` allows."""


@command("POST", "/sessions/{session_id:str}/close", contract.SessionReceipt)
async def post_close(
    call: GivenCall,
    session_id: FromPath[str],
    data: JSONBody[contract.CloseSession | None] = None,
    wait: WaitFor = "false",
) -> Response[contract.SessionReceipt]:
    """Let a session's ephemeral rows go; ``-`` names those without a session, or the body's."""
    body = data or contract.CloseSession()
    message = CloseSession(session_id=_named(session_id, body.session_id), namespace=body.namespace)
    return await carry_out(call, close_session, message, wait=wait)


def _named(in_path: str, in_body: str | None) -> str | None:
    if in_path == "-":
        return in_body
    if in_body is not None:
        raise InvalidCommand("session_id", "the path names a session already; send '-' there")
    if len(in_path) > LONGEST_ID:
        raise InvalidCommand("session_id", f"has more than {LONGEST_ID} characters, as none has")
    return in_path
