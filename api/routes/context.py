"""What an agent is told without asking for it."""

from __future__ import annotations

from litestar import Response
from litestar.params import JSONBody

from api.dependencies import GivenCall
from api.documented import question
from api.rate_limits import headers_of
from api.recalling import answered, tell
from memoryweave import contract
from queries.context import NOTHING_TO_RECALL, assembled, query_in, search_for
from queries.recall import Recalled


@question("POST", "/context", limited=True)
async def post_context(
    call: GivenCall, data: JSONBody[contract.Context]
) -> Response[contract.ContextBlock]:
    """Give the block of memory to put before an agent's prompt; none where nobody asks anything."""
    bucket = await call.threads.run(call.service.limits.take, call.caller, "recall")
    headers = {} if bucket is None else headers_of(bucket)
    query = query_in(data)
    if query is None:
        return Response(NOTHING_TO_RECALL, headers=headers)
    request, node = search_for(query), call.node

    def assemble(found: Recalled) -> contract.ContextBlock:
        policy = node.application.policy
        made = assembled(data, found.answer, call.caller, node.state, node.clock(), policy)
        node.served.note(call.caller.actor, made.shown, data.session_id)
        tell(call, request, found, made.shown)
        return made.answer

    return Response(await answered(call, request, assemble), headers=headers)
