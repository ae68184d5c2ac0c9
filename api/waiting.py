"""Waiting until this node's views show a position (spec: recall.md, "Read your writes").

Between two looks no thread is held: ten waiting commands must not stop an eleventh.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Literal

import structlog

from api.node import Node
from api.threads import Threads
from domain.caller import Caller
from domain.errors import InvalidCommand, LogUnavailable, ViewBehind, ViewDegraded
from memoryweave.contract import AsOf
from queries.moments import require_one
from queries.read_your_writes import COMMAND_WAIT_S, RECALL_WAIT_S

Until = Literal["stored", "state", "views", "vectors"]
"""``stored`` waits for nothing; ``state`` for the state view; ``views`` for all; ``vectors`` also
until no row of the caller's namespaces lacks its vector."""

_FIRST_PAUSE_S: Final = 0.002
_LONGEST_PAUSE_S: Final = 0.05


async def wait_for_command(
    node: Node, threads: Threads, position: int, until: Until, caller: Caller | None
) -> list[str]:
    """Wait at most 10 s for the views; give the names of those that do not show the command yet.

    ``caller`` says whose vectors are waited for and is needed for nothing else.

    Raises `ViewDegraded` when a view has set the command's event aside: it will not show it until
    somebody mends that.
    """
    if until == "stored":
        return []
    pending = await _wait(
        threads, lambda: _pending(node, position, until, caller), within_s=COMMAND_WAIT_S
    )
    if not pending:
        await threads.run(_require_not_parked, node, position, until)
    return pending


async def wait_for_moment(node: Node, threads: Threads, as_of: AsOf, until: Until) -> None:
    """Wait at most 2 s until the views can answer for a moment of the past.

    A time that no stored event has passed yet means the end of the log, which is asked for here.
    Raises `InvalidCommand` for a position that is not in the log yet or anything but one of
    position and time, `ViewBehind`, and `LogUnavailable` where only the log could tell.
    """
    require_one(as_of)
    position = as_of.position
    if as_of.time is not None:
        if await threads.run(node.state.has_passed, as_of.time):
            return
        position = (await threads.ask_log(node.application.event_log.head)).position
    assert position is not None
    await wait_for_position(node, threads, position, until=until, field="as_of")


async def wait_for_position(
    node: Node,
    threads: Threads,
    position: int,
    *,
    until: Until = "views",
    field: str = "min_position",
) -> None:
    """Wait at most 2 s until the views have come to a position.

    Raises `ViewBehind`, and `InvalidCommand` for a position that the log itself has not reached:
    no receipt can have named it. Only then is a recall let into one of the few places for
    searches. A vector view that cannot be read is not waited for: recall goes on without it and
    says so.
    """

    def look() -> list[str]:
        pending = _pending(node, position, until, None)
        return [] if pending == ["vector"] and _vector_position(node) is None else pending

    if await threads.run(look):
        await threads.ask_log(require_in_log, node, position, field)
    pending = await _wait(threads, look, within_s=RECALL_WAIT_S)
    if pending:
        raise ViewBehind(
            f"view {', '.join(pending)} has not reached position {position}; try again"
        )


def require_in_log(node: Node, position: int, field: str) -> None:
    """Raise `InvalidCommand` for a position beyond the log's end, unless nobody can tell where
    that is: then it is as if the views were behind.
    """
    try:
        head = node.application.event_log.head().position
    except LogUnavailable:
        return
    if position > head:
        raise InvalidCommand(field, f"the log ends at {head}; send a receipt's position")


async def _wait(threads: Threads, look: Callable[[], list[str]], within_s: float) -> list[str]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within_s
    pause = _FIRST_PAUSE_S
    while True:
        pending = await threads.run(look)
        left = deadline - loop.time()
        if not pending or left <= 0:
            return pending
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)


def _pending(node: Node, position: int, until: Until, caller: Caller | None) -> list[str]:
    if node.state.checkpoint().position < position:
        return ["state"] if until == "state" else ["state", "vector"]
    if until == "state":
        return []
    reached = _vector_position(node)
    if reached is None or reached < position:
        return ["vector"]
    if until != "vectors" or caller is None:
        return []
    # Only where the caller writes: what others stored at the same time is not its to wait for.
    namespaces = frozenset(caller.namespaces) if caller.kind == "agent" else None
    return ["vectors"] if node.vector.missing_vectors(namespaces) else []


def _vector_position(node: Node) -> int | None:
    try:
        return node.vector.checkpoint().position
    except Exception as error:  # noqa: BLE001  # Lance raises what it likes about damaged files
        structlog.get_logger("api").warning("vector view unreadable", error=type(error).__name__)
        return None


def _require_not_parked(node: Node, position: int, until: Until) -> None:
    parked = {"state": node.state.parked_events(position, position)}
    if until != "state":
        parked["vector"] = node.vector.parked_events(position, position)
    for name, events in parked.items():
        if events:
            raise ViewDegraded(
                f"view {name} has set position {position} aside: the command is stored, but not "
                "shown there until an admin has that mended"
            )
