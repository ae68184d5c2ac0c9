"""One memory or episode by its id."""

from __future__ import annotations

from litestar import Response
from litestar.params import FromPath, JSONBody

from api.calls import carry_out
from api.dependencies import GivenCall, WaitFor
from api.documented import command, question
from api.moments import AsOfPosition, AsOfTime, moment_asked_for
from commands.pin import PinMemory, pin, unpin
from commands.restore import RestoreMemory, restore
from commands.restore_episode import RestoreEpisode, restore_episode
from commands.tag import TagMemory, set_tags
from memoryweave import contract
from queries.episode import episode
from queries.memory import memory, versions
from queries.provenance import provenance


@question("GET", "/memory/{memory_id:str}")
async def get_memory(
    call: GivenCall,
    memory_id: FromPath[str],
    as_of_position: AsOfPosition = None,
    as_of_time: AsOfTime = None,
) -> contract.MemoryDetail:
    """Read one memory with what is known of its life, or was at an earlier moment."""
    as_of = await moment_asked_for(call, as_of_position, as_of_time)
    node = call.node
    return await call.threads.run(
        memory,
        memory_id,
        call.caller,
        node.state,
        node.clock(),
        node.application.policy,
        as_of=as_of,
    )


@question("GET", "/memory/{memory_id:str}/versions")
async def get_versions(call: GivenCall, memory_id: FromPath[str]) -> contract.MemoryVersions:
    """Read every text that a memory had, oldest first, and why each came."""
    node = call.node
    return await call.threads.run(versions, memory_id, call.caller, node.state, node.clock())


@question("GET", "/memory/{memory_id:str}/provenance")
async def get_provenance(call: GivenCall, memory_id: FromPath[str]) -> contract.Provenance:
    """Read what a memory rests on: its episodes, who stored them, and its corrections."""
    node = call.node
    return await call.threads.run(provenance, memory_id, call.caller, node.state, node.clock())


@question("GET", "/episodes/{episode_id:str}")
async def get_episode(call: GivenCall, episode_id: FromPath[str]) -> contract.EpisodeDetail:
    """Read one episode, verbatim, and what became of it."""
    node = call.node
    return await call.threads.run(episode, episode_id, call.caller, node.state, node.clock())


@command("POST", "/memory/{memory_id:str}/restore", contract.MemoryReceipt)
async def post_restore(
    call: GivenCall, memory_id: FromPath[str], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Let a tombstone live again, with the text it had."""
    return await carry_out(call, restore, RestoreMemory(memory_id=memory_id), wait=wait)


@command("POST", "/episodes/{episode_id:str}/restore", contract.EpisodeReceipt)
async def post_restore_episode(
    call: GivenCall, episode_id: FromPath[str], wait: WaitFor = "false"
) -> Response[contract.EpisodeReceipt]:
    """Bring a deleted episode back into recall; memories that went with it stay tombstones."""
    return await carry_out(call, restore_episode, RestoreEpisode(episode_id=episode_id), wait=wait)


@command("POST", "/memory/{memory_id:str}/pin", contract.MemoryReceipt)
async def post_pin(
    call: GivenCall, memory_id: FromPath[str], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Keep a memory from being forgotten (owner)."""
    return await carry_out(call, pin, PinMemory(memory_id=memory_id), wait=wait)


@command("POST", "/memory/{memory_id:str}/unpin", contract.MemoryReceipt)
async def post_unpin(
    call: GivenCall, memory_id: FromPath[str], wait: WaitFor = "false"
) -> Response[contract.MemoryReceipt]:
    """Let a pinned memory fade again (owner)."""
    return await carry_out(call, unpin, PinMemory(memory_id=memory_id), wait=wait)


@command("POST", "/memory/{memory_id:str}/tags", contract.MemoryReceipt)
async def post_tags(
    call: GivenCall,
    memory_id: FromPath[str],
    data: JSONBody[contract.SetTags],
    wait: WaitFor = "false",
) -> Response[contract.MemoryReceipt]:
    """Give a memory exactly these tags from now on, each at a level if one is given."""
    message = TagMemory(memory_id=memory_id, tags=data.tags, level=data.level)
    return await carry_out(call, set_tags, message, wait=wait)
