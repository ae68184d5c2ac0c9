"""Noting that an episode could not be distilled this time."""

from __future__ import annotations

from msgspec import Struct

from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.distil import DISTILLER, context_of
from commands.execution import execute
from commands.unit_of_work import UnitOfWork
from domain.episode import EPISODE
from domain.episode import fail as failed
from domain.events import Event
from domain.policies.content import require_text
from eventlog.append import Fence


class FailedDistillation(Struct, frozen=True, kw_only=True):
    """The ``attempt``-th try (from 1) at an episode failed; ``error`` says at what."""

    episode_id: str
    error: str
    attempt: int


def command_for(request: FailedDistillation, because_of: Event) -> Command[FailedDistillation]:
    """Give the command of an attempt; ``because_of`` as for `commands.distil.command_for`."""
    context = context_of("distillation_failed", because_of, f":{request.attempt}")
    return Command(caller=DISTILLER, context=context, request=request)


def distillation_failed(
    application: MemoryApplication,
    command: Command[FailedDistillation],
    clock: Clock,
    fence: Fence | None = None,
) -> int:
    """Note the failure and give its position; nothing happens to an episode that does not wait."""
    request = command.request

    def decide(work: UnitOfWork) -> None:
        episode = work.get(EPISODE, request.episode_id)
        if episode is not None:
            error = require_text("error", request.error) or ""
            work.record(EPISODE, episode.id, failed(episode, error, request.attempt))

    return execute(application, command, clock, decide, lambda done: done.position, fence)
