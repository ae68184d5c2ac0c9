"""The end of a session."""

from __future__ import annotations

from litestar import Response
from litestar.params import FromPath, JSONBody

from api.calls import carry_out
from api.dependencies import GivenCall, WaitFor
from api.documented import command
from commands.sessions import CloseSession, close_session
from memoryweave import contract


@command("POST", "/sessions/{session_id:str}/close", contract.SessionReceipt)
async def post_close(
    call: GivenCall,
    session_id: FromPath[str],
    data: JSONBody[contract.CloseSession | None] = None,
    wait: WaitFor = "false",
) -> Response[contract.SessionReceipt]:
    """Let a session's ephemeral rows go; ``-`` names those without a session."""
    message = CloseSession(
        session_id=None if session_id == "-" else session_id,
        namespace=data.namespace if data is not None else None,
    )
    return await carry_out(call, close_session, message, wait=wait)
