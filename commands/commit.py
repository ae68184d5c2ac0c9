"""Storing conversation, and statements given as such (spec: lifecycle.md, "Commit").

An ordinary commit is one event and reads nothing. What the caller was served and only says again is
left out of it (docs/decisions/0028); where nothing else is said, the episode is skipped.
With ``distill: false`` the content already is one statement: the same append makes its memory, or
reinforces the one that says exactly this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from commands.agents import claim_namespace
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import batch_receipt, commit_receipt
from commands.text_claims import claim_text, holder_of
from commands.unit_of_work import UnitOfWork
from domain.caller import SHARED, require_named_namespace_writable
from domain.episode import EPISODE
from domain.errors import Forbidden, InvalidCommand, TooLarge
from domain.events import (
    EpisodeCommitted,
    EpisodeDistilled,
    EpisodeSkipped,
    MemoryCreated,
)
from domain.memory import MEMORY, Memory, reinforce
from domain.policies.categories import DEFAULT_CATEGORY, default_decay_class
from domain.policies.confidence import initial_confidence
from domain.policies.content import (
    require_content,
    require_metadata,
    require_tags,
    require_text,
    utc,
)
from domain.policies.own_output import OwnOutput, without_own_output
from domain.policies.restatement import KnownTexts, known_texts
from domain.policies.text import text_hash
from domain.policies.trust import DISTILLED_BY_CALLER, require_may_claim
from eventlog.append import MAX_EVENTS
from memoryweave import contract

CLARITY_OF_A_STATEMENT: Final = 1.0
"""Who gives one statement says it plainly."""


OWN_OUTPUT: Final = "own_output"
"""Why an episode is skipped that only says what its sender was served."""

ServedBefore = Callable[[contract.Commit], KnownTexts]
"""Gives what was served to the caller and may come back in an entry."""

_EVENTS_OF_A_STATEMENT: Final = 4
"""Its episode, its memory, that the one became the other, and the claim on its text."""


def nothing_served(_entry: contract.Commit) -> KnownTexts:
    """Stand in where it is not known what was served: only a block's marks tell then."""
    return known_texts(())


def commit(
    application: MemoryApplication,
    command: Command[contract.Commit],
    clock: Clock,
    served_before: ServedBefore = nothing_served,
) -> contract.CommitReceipt:
    """Store one episode; with ``distill: false`` its memory too.

    Raises `Forbidden` for a namespace, agent id or source that is not the caller's,
    `InvalidCommand` and `TooLarge` for values that cannot be stored.
    """
    return execute(
        application,
        command,
        clock,
        lambda work: _record(work, command.request, served_before, index=0, where=""),
        commit_receipt,
    )


def batch_commit(
    application: MemoryApplication,
    command: Command[contract.BatchCommit],
    clock: Clock,
    served_before: ServedBefore = nothing_served,
) -> contract.BatchReceipt:
    """Store up to 500 entries in one append: all of them, or none.

    An entry that repeats an earlier one's statement reinforces it. Raises what `commit` raises,
    with the entry's number, and `TooLarge` when the events exceed one append.
    """
    entries = command.request.entries

    def decide(work: UnitOfWork) -> None:
        if len(entries) > work.policy.batch_max_entries:
            raise TooLarge(f"{len(entries)} entries, the limit is {work.policy.batch_max_entries}")
        for index, entry in enumerate(entries):
            fitting = len(work.events)
            _record(work, entry, served_before, index=index, where=f"entries[{index}].")
            if len(work.events) > MAX_EVENTS:
                raise TooLarge(
                    f"{len(entries)} entries: those before entries[{index}] make {fitting} events, "
                    f"and one append holds {MAX_EVENTS}. An entry makes one event, with distill: "
                    f"false up to {_EVENTS_OF_A_STATEMENT}: send the rest as another batch, with "
                    "an idempotency key of its own"
                )

    return execute(application, command, clock, decide, batch_receipt)


def _record(
    work: UnitOfWork,
    request: contract.Commit,
    served_before: ServedBefore,
    *,
    index: int,
    where: str,
) -> None:
    """Add one entry's events. Each entry has two ids to give: its episode's, its memory's."""
    episode_id, memory_id = work.new_id(2 * index), work.new_id(2 * index + 1)
    committed = _committed(work, request, where)
    _claim_namespace(work, committed.namespace)
    known = None if committed.distill else _said_before(work, committed)
    if known is not None:
        work.start(EPISODE, episode_id, committed)
        _see_again(work, known, episode_id)
        return
    own = _own_output(request, served_before)
    committed = replace(committed, content=own.rest, own_output=own.taken_out)
    work.start(EPISODE, episode_id, committed)
    if not own.rest:
        skipped = EpisodeSkipped(reason=OWN_OUTPUT, memory_ids=list(own.memories))
        work.record(EPISODE, episode_id, [skipped])
    elif not committed.distill:
        known = _said_before(work, committed) if own.taken_out else None
        if known is not None:
            _see_again(work, known, episode_id)
        else:
            _remember(work, committed, episode_id, memory_id)


def _said_before(work: UnitOfWork, committed: EpisodeCommitted) -> Memory | None:
    """Give the memory that says exactly this."""
    said = text_hash(committed.content)
    return holder_of(work, committed.namespace, committed.session_id, said)


def _own_output(request: contract.Commit, served_before: ServedBefore) -> OwnOutput:
    """Tell what of an entry was served; what the owner edits is the owner's, whoever said it."""
    if request.source == "owner_edit":
        return OwnOutput(rest=request.content, taken_out=0, memories=())
    return without_own_output(request.content, served_before(request))


def _see_again(work: UnitOfWork, known: Memory, episode_id: str) -> None:
    work.record(MEMORY, known.id, reinforce(known, episode_id, work.policy.reinforcement_delta))
    work.record(
        EPISODE,
        episode_id,
        [EpisodeDistilled(memory_ids=[], reinforced_ids=[known.id], distiller=DISTILLED_BY_CALLER)],
    )


def _remember(
    work: UnitOfWork, committed: EpisodeCommitted, episode_id: str, memory_id: str
) -> None:
    category = committed.category or DEFAULT_CATEGORY
    memory = work.start(
        MEMORY,
        memory_id,
        MemoryCreated(
            content=committed.content,
            category=category,
            decay_class=committed.decay_class or default_decay_class(category),
            namespace=committed.namespace,
            agent_id=committed.agent_id,
            source=committed.source,
            distilled_by=DISTILLED_BY_CALLER,
            confidence=initial_confidence(CLARITY_OF_A_STATEMENT, work.policy),
            clarity=CLARITY_OF_A_STATEMENT,
            trigger=committed.trigger,
            derived_from=[episode_id],
            tags=committed.tags,
            metadata=committed.metadata,
            session_id=committed.session_id,
            observed_at=committed.observed_at,
            expires_at=committed.expires_at,
        ),
    )
    work.record(
        EPISODE,
        episode_id,
        [
            EpisodeDistilled(
                memory_ids=[memory_id], reinforced_ids=[], distiller=DISTILLED_BY_CALLER
            )
        ],
    )
    claim_text(work, memory)


def _committed(work: UnitOfWork, request: contract.Commit, where: str) -> EpisodeCommitted:
    """Check an entry's meaning and put it into the words of the log."""
    caller = work.caller
    if request.agent_id is not None and request.agent_id != caller.actor:
        raise Forbidden(f"{where}agent_id {request.agent_id!r} is not whose key this is")
    namespace = request.namespace or caller.main_namespace
    require_named_namespace_writable(caller, namespace)
    require_may_claim(caller, request.source)
    if request.session_id == "-":
        raise InvalidCommand(f"{where}session_id", "'-' stands for no session; leave it out")
    return EpisodeCommitted(
        agent_id=caller.actor,
        namespace=namespace,
        content=require_content(f"{where}content", request.content, work.policy),
        source=request.source,
        speaker=require_text(f"{where}speaker", request.speaker),
        trigger=require_text(f"{where}trigger", request.trigger),
        category=request.category,
        decay_class=request.decay_class,
        task_status=require_text(f"{where}task_status", request.task_status),
        session_id=require_text(f"{where}session_id", request.session_id),
        observed_at=utc(f"{where}observed_at", request.observed_at),
        urgent=request.urgent,
        distill=request.distill,
        tags=require_tags(f"{where}tags", request.tags),
        metadata=require_metadata(f"{where}metadata", request.metadata, work.policy),
        expires_at=utc(f"{where}expires_at", request.expires_at),
    )


def _claim_namespace(work: UnitOfWork, namespace: str) -> None:
    """Note that a namespace in which the owner or the admin stores first is no agent's.

    Otherwise whoever holds an enrolment token could take the name and read what is in it. An agent
    only writes to namespaces that were claimed when it was registered.
    """
    if work.caller.kind != "agent" and namespace != SHARED:
        claim_namespace(work, namespace, work.caller.actor)
