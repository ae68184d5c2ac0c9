"""Erasing a memory, an episode or an agent: the keys of its texts end with the append.

What is erased is one aggregate in the log (`domain.erasure`). More than one append holds is done in
parts, each of which is whole: whoever goes on finds in the states what is left
(docs/decisions/0023-erasure.md). The last part takes no thing. It ends the keys of the questions
that the things were an answer to, and these are looked for when every thing has gone: from then on
the log takes no question that found one (`commands.recalls`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from commands.access import require_admin
from commands.application import MemoryApplication
from commands.command import Clock, Command, CommandContext
from commands.erasure_scan import subjects_of_recalls
from commands.erasure_walk import Found, Walk, begin
from commands.execution import execute
from commands.unit_of_work import UnitOfWork
from domain.erasure import ERASURE, Erasure, erasure_id
from domain.errors import InvalidCommand
from domain.events import EraseTarget, ErasureFinished, SubjectErased
from domain.identity import id_from_command
from memoryweave import contract

THINGS_A_PART: Final = 200
"""Memories and episodes; with what the decision has read, an append stays far below its limits."""


class Erased(Struct, frozen=True, kw_only=True):
    """An erasure whose events are all in the log. ``duplicate``: they were before."""

    erasure: Erasure
    duplicate: bool


def target_of(request: contract.Erase) -> tuple[EraseTarget, str]:
    """Give what is to be erased. Raises `InvalidCommand` unless exactly one thing is named."""
    named: list[tuple[EraseTarget, str]] = []
    if request.memory_id is not None:
        named.append(("memory", request.memory_id))
    if request.episode_id is not None:
        named.append(("episode", request.episode_id))
    if request.agent_id is not None:
        named.append(("agent", request.agent_id))
    if len(named) != 1:
        raise InvalidCommand(
            "memory_id", f"name one of memory_id, episode_id, agent_id; {len(named)} are named"
        )
    return named[0]


def erase(application: MemoryApplication, command: Command[contract.Erase], clock: Clock) -> Erased:
    """Erase a thing and what rests on it alone, in as many appends as it takes. For the admin.

    Raises `NotFound` for an id that nothing has; a thing that was erased is found, and gives what
    was done. What it raises after the first append leaves an erasure that any repeat goes on with.
    """
    target, target_id = target_of(command.request)
    require_admin(command.caller, "erase")
    application.find_duplicate(command.context)
    known = load_erasure(application, target, target_id)
    if known is not None and known.complete:
        return Erased(erasure=known, duplicate=True)
    walk = begin(application, target, target_id)
    part = 0
    while True:
        one = replace(command, context=_context_of_part(command, part))
        part += 1
        if application.find_duplicate(one.context) is None:
            walk = _one_part(application, one, clock, walk, target, target_id)
        known = load_erasure(application, target, target_id)
        if known is not None and known.complete:
            return Erased(erasure=known, duplicate=False)


def load_erasure(
    application: MemoryApplication, target: EraseTarget, target_id: str
) -> Erasure | None:
    """Give how far an erasure has come, None if nobody has begun it."""
    return application.load(ERASURE, erasure_id(application.log_name, target, target_id))


def finish(
    application: MemoryApplication,
    command: Command[contract.Erase],
    clock: Clock,
    purged: Mapping[str, Sequence[str]],
    still_holding: Sequence[str],
) -> Erasure:
    """Note what the files hold since, unless that is what is noted already."""
    target, target_id = target_of(command.request)
    aggregate_id = erasure_id(application.log_name, target, target_id)
    body = ErasureFinished(
        purged={kind: list(names) for kind, names in purged.items()},
        still_holding=list(still_holding),
    )

    def decide(work: UnitOfWork) -> None:
        known = work.get(ERASURE, aggregate_id)
        if known is not None and known.finished != body:
            work.record(ERASURE, aggregate_id, [body])

    # Of its own every time: what is found may differ from what was found before.
    version = load_erasure(application, target, target_id)
    named = f"{aggregate_id}:finish:{version.version if version else 0}"
    context = replace(
        command.context,
        command_id=id_from_command(named, 0),
        fingerprint="",
    )
    execute(application, replace(command, context=context), clock, decide, lambda done: done)
    erasure = load_erasure(application, target, target_id)
    assert erasure is not None
    return erasure


def _context_of_part(command: Command[contract.Erase], part: int) -> CommandContext:
    context = command.context
    if part == 0:
        return context
    return replace(context, command_id=id_from_command(context.command_id, part))


def _one_part(
    application: MemoryApplication,
    command: Command[contract.Erase],
    clock: Clock,
    walk: Walk,
    target: EraseTarget,
    target_id: str,
) -> Walk:
    """Append one part; give the walk as it is after it."""
    aggregate_id = erasure_id(application.log_name, target, target_id)
    after: list[Walk] = []

    def decide(work: UnitOfWork) -> None:
        known = work.get(ERASURE, aggregate_id)
        if known is not None and known.complete:
            return
        attempt = walk.copy()
        found = attempt.take(work, THINGS_A_PART)
        last = known is not None and attempt.is_done and _all_gone(known, found)
        if last:
            assert known is not None
            gone = {*known.memory_ids, *known.episode_ids}
            found.subjects += subjects_of_recalls(application, gone)
        work.record(ERASURE, aggregate_id, [_part(target, target_id, found, last)])
        after[:] = [attempt]

    done = execute(application, command, clock, decide, lambda done: done)
    # Of a part that somebody else appended first, nobody here knows what was taken.
    return walk if done.duplicate or not after else after[0]


def _all_gone(known: Erasure, found: Found) -> bool:
    """Tell whether all that was found went with an earlier part."""
    memories, episodes = set(found.memory_ids), set(found.episode_ids)
    return memories <= {*known.memory_ids} and episodes <= {*known.episode_ids}


def _part(target: EraseTarget, target_id: str, found: Found, last: bool) -> SubjectErased:
    return SubjectErased(
        target=target,
        target_id=target_id,
        subjects=found.subjects,
        memory_ids=found.memory_ids,
        episode_ids=found.episode_ids,
        held=sorted(found.held),
        last=last,
    )
