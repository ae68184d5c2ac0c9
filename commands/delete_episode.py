"""Deleting an episode, and the memories that rest on it alone."""

from __future__ import annotations

from msgspec import Struct

from commands.access import require_may_withdraw, visible_episode
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import episode_receipt
from commands.unit_of_work import UnitOfWork
from domain import episode as episodes
from domain import memory as memories
from domain.episode import EPISODE
from domain.memory import MEMORY, Memory
from domain.policies.content import require_text
from memoryweave import contract


class DeleteEpisode(Struct, frozen=True, kw_only=True):
    """DELETE /episodes/{id}."""

    episode_id: str
    reason: str | None = None


def delete_episode(
    application: MemoryApplication, command: Command[DeleteEpisode], clock: Clock
) -> contract.EpisodeReceipt:
    """Take the episode out of recall, and make tombstones of what rests on it alone.

    A memory rests on the episodes it was taken from or seen again in; it stays while one of the
    others is there. Its author's to do, the owner's and the admin's.
    """
    request = command.request

    def decide(work: UnitOfWork) -> None:
        episode = visible_episode(work, request.episode_id)
        require_may_withdraw(work.caller, "episode", episode.author, episode.namespace)
        reason = require_text("reason", request.reason)
        bodies = episodes.delete(episode, reason)
        work.record(EPISODE, episode.id, bodies)
        if not bodies:
            return
        for memory_id in dict.fromkeys((*episode.memory_ids, *episode.reinforced_ids)):
            memory = work.get(MEMORY, memory_id)
            if memory is not None and _rests_on_nothing(work, memory):
                gone = memories.delete(
                    memory, agent_id=work.caller.actor, reason=reason, with_episode=episode.id
                )
                work.record(MEMORY, memory.id, gone)

    return execute(
        application, command, clock, decide, lambda done: episode_receipt(done, request.episode_id)
    )


def _rests_on_nothing(work: UnitOfWork, memory: Memory) -> bool:
    """Tell whether every episode of the memory is deleted; the newest is asked first."""
    for episode_id in reversed(memory.episodes):
        episode = work.get(EPISODE, episode_id)
        if episode is not None and episode.is_there:
            return False
    return True
