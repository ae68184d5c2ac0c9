"""What agents and the owner say of a memory."""

from __future__ import annotations

from litestar import Response
from litestar.params import JSONBody

from api.calls import carry_out
from api.dependencies import GivenCall, WaitFor
from api.documented import command
from commands import correct, feedback
from memoryweave import contract


@command("POST", "/feedback/useful", contract.MemoryReceipt)
async def post_useful(
    call: GivenCall, data: JSONBody[contract.Feedback], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Vote that a memory helped."""
    return await carry_out(call, feedback.useful, data, wait=wait)


@command("POST", "/feedback/not-useful", contract.MemoryReceipt)
async def post_not_useful(
    call: GivenCall, data: JSONBody[contract.Feedback], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Vote that a memory did not help."""
    return await carry_out(call, feedback.not_useful, data, wait=wait)


@command("POST", "/feedback/deprecate", contract.MemoryReceipt)
async def post_deprecate(
    call: GivenCall, data: JSONBody[contract.Feedback], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Withdraw a memory: at once for its author and the owner, two votes against it for others."""
    return await carry_out(call, feedback.deprecate, data, wait=wait)


@command("POST", "/feedback/correct", contract.MemoryReceipt)
async def post_correct(
    call: GivenCall, data: JSONBody[contract.Correct], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Make a memory say something else; with ``expected_version`` only if nobody was first."""
    return await carry_out(call, correct.correct, data, wait=wait)
