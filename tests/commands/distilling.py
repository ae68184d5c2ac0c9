"""Being the distiller, in one line per episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.distil import Distil, Distilled, command_for, distil, order_for
from commands.distil_ahead import Ahead
from commands.distillation_failed import FailedDistillation, distillation_failed
from commands.distillation_failed import command_for as failure_of
from commands.execution import execute_each
from domain.distillation.finding import Finding
from domain.events import EpisodeCommitted, Event, RedistillationRequested
from eventlog.append import Fence
from tests.commands.speaking import Hand


def finding(content: str, **fields: Any) -> Finding:
    given = {"category": "fact", "decay_class": "proj_context", "clarity": 0.8, "evidence": content}
    return Finding(content=content, **{**given, **fields})


class Distiller:
    """Distils what it is given, by rules unless told otherwise."""

    def __init__(self, application: MemoryApplication, clock: Clock | None = None) -> None:
        self.application = application
        self.clock = clock or Hand()
        self.fence: Fence | None = None

    def distil(self, episode_id: str, *findings: str | Finding, **fields: Any) -> Distilled:
        """Send the episode's command; again, it is the same one."""
        command = self.command(episode_id, *findings, **fields)
        return distil(self.application, command, self.clock, self.fence)

    def command(self, episode_id: str, *findings: str | Finding, **fields: Any) -> Command[Distil]:
        """Give the episode's command."""
        found = tuple(finding(f) if isinstance(f, str) else f for f in findings)
        asked = Distil(
            episode_id=episode_id,
            findings=found,
            **{"distiller": "rules", "scores": None, **fields},
        )
        return command_for(asked, self.asked_for(episode_id))

    def fail(self, episode_id: str, error: str, attempt: int = 1) -> int:
        asked = FailedDistillation(episode_id=episode_id, error=error, attempt=attempt)
        command = failure_of(asked, self.asked_for(episode_id))
        return distillation_failed(self.application, command, self.clock, self.fence)

    def asked_for(self, episode_id: str) -> Event:
        """Give the event that lets the episode wait now."""
        return next(
            event
            for event in reversed(events_of(self.application, episode_id))
            if isinstance(event.body, EpisodeCommitted | RedistillationRequested)
        )


class TogetherDistiller(Distiller):
    """Sends commands as a job does: together, as far as none rests on another."""

    def distil(self, episode_id: str, *findings: str | Finding, **fields: Any) -> Distilled:
        [answer] = self.send([self.command(episode_id, *findings, **fields)])
        return answer()

    def send(self, commands: Sequence[Command[Distil]]) -> list[Callable[[], Distilled]]:
        """Send these; what is given tells what became of each."""
        ahead = Ahead(self.application)
        orders = [order_for(self.application, command, ahead) for command in commands]
        return execute_each(self.application, orders, self.clock, self.fence)


def events_of(application: MemoryApplication, aggregate_id: str) -> list[Event]:
    return [application.codec.open(e) for e in application.event_log.read_aggregate(aggregate_id)]
