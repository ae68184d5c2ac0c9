"""Commits, and the end of what was committed."""

from __future__ import annotations

from litestar import Response
from litestar.params import FromPath, JSONBody

from api.calls import carry_out
from api.dependencies import GivenCall, WaitFor
from api.documented import command
from api.own_output import knowing_what_was_served
from api.rate_limits import commit_tokens
from commands.commit import batch_commit, commit
from commands.delete_episode import DeleteEpisode, delete_episode
from commands.delete_memory import DeleteMemory, delete_memory
from memoryweave import contract

BATCH_BODY_LIMIT = 2 * 1024 * 1024


@command("POST", "/commit", contract.CommitReceipt, first_status=201)
async def post_commit(
    call: GivenCall, data: JSONBody[contract.Commit], wait: WaitFor = "false"
) -> Response[contract.CommitReceipt]:
    """Store a piece of conversation; with ``distill`` false one statement, as a memory."""
    return await carry_out(
        call,
        knowing_what_was_served(call, commit),
        data,
        wait=wait,
        first_status=201,
        purpose="commit",
    )


@command(
    "POST",
    "/batch-commit",
    contract.BatchReceipt,
    first_status=201,
    body_limit=BATCH_BODY_LIMIT,
)
async def post_batch_commit(
    call: GivenCall, data: JSONBody[contract.BatchCommit], wait: WaitFor = "false"
) -> Response[contract.BatchReceipt]:
    """Store up to 500 entries: all of them, or none."""
    return await carry_out(
        call,
        knowing_what_was_served(call, batch_commit),
        data,
        wait=wait,
        first_status=201,
        purpose="commit",
        cost=commit_tokens(len(data.entries)),
    )


@command("DELETE", "/distilled/{memory_id:str}", contract.MemoryReceipt)
async def delete_distilled(
    call: GivenCall, memory_id: FromPath[str], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Delete a memory softly: it becomes a tombstone that can be restored."""
    return await carry_out(call, delete_memory, DeleteMemory(memory_id=memory_id), wait=wait)


@command("DELETE", "/episodes/{episode_id:str}", contract.EpisodeReceipt)
async def delete_one_episode(
    call: GivenCall, episode_id: FromPath[str], wait: WaitFor = "false"
) -> Response[contract.EpisodeReceipt]:
    """Delete an episode and the memories that rest on it alone."""
    return await carry_out(call, delete_episode, DeleteEpisode(episode_id=episode_id), wait=wait)
