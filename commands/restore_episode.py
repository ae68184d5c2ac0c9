"""Bringing a deleted episode back."""

from __future__ import annotations

from msgspec import Struct

from commands.access import require_may_withdraw, visible_episode
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import execute
from commands.receipts import episode_receipt
from commands.unit_of_work import UnitOfWork
from domain import episode as episodes
from domain.episode import EPISODE
from memoryweave import contract


class RestoreEpisode(Struct, frozen=True, kw_only=True):
    """POST /episodes/{id}/restore."""

    episode_id: str


def restore_episode(
    application: MemoryApplication, command: Command[RestoreEpisode], clock: Clock
) -> contract.EpisodeReceipt:
    """Bring the episode back into recall; memories that went with it stay tombstones.

    Its author's to do, the owner's and the admin's.
    """
    request = command.request

    def decide(work: UnitOfWork) -> None:
        episode = visible_episode(work, request.episode_id)
        require_may_withdraw(work.caller, "episode", episode.author, episode.namespace)
        bodies = episodes.restore(episode, agent_id=work.caller.actor)
        work.record(EPISODE, episode.id, bodies)

    return execute(
        application, command, clock, decide, lambda done: episode_receipt(done, request.episode_id)
    )
