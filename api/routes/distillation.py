"""What was distilled: the owner's word on it, and doing it anew."""

from __future__ import annotations

from typing import Final

from litestar import Response
from litestar.params import JSONBody
from msgspec import structs

from api.calls import Handler, carry_out, require_admin
from api.dependencies import GivenCall, WaitFor
from api.documented import command, question
from api.node import Node
from api.routes.listing import Cursor, Limit, Namespace
from commands import redistil, settle
from commands.application import MemoryApplication
from commands.command import Clock, Command
from domain.errors import InvalidCommand
from memoryweave import contract
from queries.proposed import candidates

REDISTILLED_AT_ONCE: Final = 500


@question("GET", "/candidates")
async def get_candidates(
    call: GivenCall, namespace: Namespace = None, cursor: Cursor = None, limit: Limit = 50
) -> contract.CandidatePage:
    """List what was distilled and waits for the owner, the newest first. Nobody recalls it."""
    node = call.node
    return await call.threads.run(
        candidates,
        call.caller,
        node.state,
        node.clock(),
        namespace=namespace,
        cursor=cursor,
        limit=limit,
        policy=node.application.policy,
    )


@command("POST", "/candidates/settle", contract.CandidatesReceipt)
async def post_settle(
    call: GivenCall, data: JSONBody[contract.SettleCandidates], wait: WaitFor = "false"
) -> Response[contract.CandidatesReceipt]:
    """Let candidates be memories, or stand by memories; of one alone perhaps in other words
    (owner).
    """
    return await carry_out(call, settle.settle, data, wait=wait)


@command("POST", "/candidates/dismiss", contract.CandidatesReceipt)
async def post_dismiss(
    call: GivenCall, data: JSONBody[contract.DismissCandidates], wait: WaitFor = "false"
) -> Response[contract.CandidatesReceipt]:
    """Make tombstones of candidates (owner)."""
    return await carry_out(call, settle.dismiss, data, wait=wait)


@command("POST", "/admin/redistil", contract.RedistilReceipt, tag="admin")
async def post_redistil(
    call: GivenCall, data: JSONBody[contract.Redistil], wait: WaitFor = "false"
) -> Response[contract.RedistilReceipt]:
    """Let episodes be distilled anew, by the rules or the model of now (admin).

    What they became before stays until then. What was settled, pinned or corrected stays for good.
    """
    require_admin(call.caller)
    if (data.episode_ids is None) == (data.namespace is None):
        raise InvalidCommand("episode_ids", "name either episodes or a namespace")
    return await carry_out(call, _redistil_on(call.node), data, wait=wait)


def _redistil_on(node: Node) -> Handler[contract.Redistil, contract.RedistilReceipt]:
    """Give the handler that finds a namespace's episodes where only that is named."""

    def handler(
        application: MemoryApplication, asked: Command[contract.Redistil], clock: Clock
    ) -> contract.RedistilReceipt:
        namespace = asked.request.namespace
        if namespace is None:
            return redistil.redistil(application, asked, clock)
        found = node.state.distillable_again(
            namespace, now=clock(), up_to=asked.request.up_to, limit=REDISTILLED_AT_ONCE
        )
        request = structs.replace(asked.request, episode_ids=found.ids)
        receipt = redistil.redistil(application, structs.replace(asked, request=request), clock)
        return structs.replace(receipt, remaining=found.remaining, up_to=found.up_to)

    return handler
