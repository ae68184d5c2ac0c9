"""Asking what is known."""

from __future__ import annotations

from litestar import Response
from litestar.params import JSONBody

from api.dependencies import GivenCall
from api.documented import question
from api.rate_limits import Bucket, headers_of
from api.recalling import recalled
from api.waiting import wait_for_moment, wait_for_position
from memoryweave import contract


@question("POST", "/recall", limited=True)
async def post_recall(
    call: GivenCall, data: JSONBody[contract.Recall]
) -> Response[contract.RecallAnswer]:
    """Find memories and episodes that answer a query, the best first."""
    bucket = await call.threads.run(call.service.limits.take, call.caller, "recall")
    if data.min_position is not None:
        await wait_for_position(call.node, call.threads, data.min_position)
    if data.as_of is not None:
        await wait_for_moment(call.node, call.threads, data.as_of, "views")
    answer = await recalled(call, data)
    return Response(answer, headers=_headers(bucket))


def _headers(bucket: Bucket | None) -> dict[str, str]:
    return {} if bucket is None else headers_of(bucket)
