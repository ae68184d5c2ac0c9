"""Asking for episodes to be distilled anew, by other rules or another model."""

from __future__ import annotations

from commands.access import require_owner_or_admin, visible_episode
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import Done, execute
from commands.unit_of_work import UnitOfWork
from domain.episode import EPISODE
from domain.episode import redistil as redistilled
from domain.errors import InvalidCommand
from domain.events import RedistillationRequested
from domain.policies.content import require_text
from memoryweave import contract


def redistil(
    application: MemoryApplication, command: Command[contract.Redistil], clock: Clock
) -> contract.RedistilReceipt:
    """Let the named episodes wait for the distiller again: all of them, or none.

    For the owner and the admin. Nothing happens to one that waits. Raises `WrongState` for a
    deleted one, and for one that has nothing to distil.
    """
    request = command.request
    named = list(dict.fromkeys(request.episode_ids or ()))
    if not named and request.namespace is None:
        raise InvalidCommand("episode_ids", "name at least one episode")
    require_owner_or_admin(command.caller, "distil anew")

    def decide(work: UnitOfWork) -> None:
        reason = require_text("reason", request.reason)
        for episode_id in named:
            episode = visible_episode(work, episode_id)
            work.record(EPISODE, episode.id, redistilled(episode, reason))

    return execute(application, command, clock, decide, _receipt)


def _receipt(done: Done) -> contract.RedistilReceipt:
    requested = [e.aggregate_id for e in done.events if isinstance(e.body, RedistillationRequested)]
    return contract.RedistilReceipt(
        episode_ids=requested, position=done.position, duplicate=done.duplicate
    )
