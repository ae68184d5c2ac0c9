"""Lists and counts over what the caller may read."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from litestar.params import FromQuery, QueryParameter

from api.dependencies import GivenCall
from api.documented import question
from api.moments import AsOfPosition, AsOfTime, moment_asked_for
from memoryweave import contract
from projections.state.listing import Sort
from queries.bootstrap import bootstrap
from queries.brief import brief
from queries.memories import MemoryList, memories, tombstones
from queries.stats import namespaces, stats, tags

Limit: TypeAlias = Annotated[int, QueryParameter(ge=1, le=200)]
Cursor: TypeAlias = Annotated[str | None, QueryParameter(max_length=500)]
Namespace: TypeAlias = Annotated[
    str | None,
    QueryParameter(min_length=1, max_length=128, pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$"),
]
TagText: TypeAlias = Annotated[str | None, QueryParameter(min_length=1, max_length=200)]


@question("GET", "/memories")
async def get_memories(
    call: GivenCall,
    namespace: Namespace = None,
    state_: Annotated[contract.MemoryState, QueryParameter(name="state")] = "live",
    category: FromQuery[contract.Category | None] = None,
    tag: TagText = None,
    sort: FromQuery[Sort] = "recent",
    cursor: Cursor = None,
    limit: Limit = 50,
    as_of_position: AsOfPosition = None,
    as_of_time: AsOfTime = None,
) -> contract.MemoryPage:
    """List memories, as they are or were at an earlier moment.

    ``next`` is the cursor of the next page, null at the end; pages of the past name one moment.
    """
    asked = MemoryList(
        namespace=namespace,
        state=state_,
        category=category,
        tag=tag,
        sort=sort,
        cursor=cursor,
        limit=limit,
        as_of=await moment_asked_for(call, as_of_position, as_of_time),
    )
    node = call.node
    policy = node.application.policy
    page = await call.threads.run(memories, asked, call.caller, node.state, node.clock(), policy)
    if tag is not None:
        await call.threads.run(node.served.note, call.caller.actor, page.items)
    return page


@question("GET", "/tombstones")
async def get_tombstones(
    call: GivenCall,
    namespace: Namespace = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> contract.MemoryPage:
    """List what was deleted or withdrawn and can be restored, the latest first."""
    node = call.node
    return await call.threads.run(
        tombstones,
        call.caller,
        node.state,
        node.clock(),
        namespace=namespace,
        cursor=cursor,
        limit=limit,
        policy=node.application.policy,
    )


@question("GET", "/tags")
async def get_tags(call: GivenCall, namespace: Namespace = None) -> contract.TagList:
    """List tags with how many live memories carry each."""
    node = call.node
    return await call.threads.run(tags, call.caller, node.state, node.clock(), namespace=namespace)


@question("GET", "/namespaces")
async def get_namespaces(call: GivenCall) -> contract.NamespaceList:
    """List the namespaces that hold something and that the caller may read."""
    node = call.node
    return await call.threads.run(namespaces, call.caller, node.state, node.clock())


@question("GET", "/stats")
async def get_stats(call: GivenCall) -> contract.Stats:
    """Count what the caller may read."""
    node = call.node
    return await call.threads.run(stats, call.caller, node.state, node.clock())


@question("GET", "/bootstrap")
async def get_bootstrap(call: GivenCall) -> contract.Bootstrap:
    """Read the core facts to start a session with."""
    node = call.node
    policy = node.application.policy
    facts = await call.threads.run(bootstrap, call.caller, node.state, node.clock(), policy)
    await call.threads.run(node.served.note, call.caller.actor, facts.items)
    return facts


@question("GET", "/brief")
async def get_brief(call: GivenCall) -> contract.Brief:
    """Read what is known under tags of the user, and which tags of projects there are."""
    node = call.node
    policy = node.application.policy
    told = await call.threads.run(brief, call.caller, node.state, node.clock(), policy)
    items = [item for tag in told.user for item in tag.items]
    await call.threads.run(node.served.note, call.caller.actor, items)
    return told
