"""A log with episodes that wait, a distiller on it, and what the log says became of each."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from commands.application import MemoryApplication
from domain.episode import EPISODE
from domain.events import (
    DistillationFailed,
    EpisodeCommitted,
    EpisodeDistilled,
    EpisodeSkipped,
    Event,
    MemoryCreated,
)
from tests.commands.speaking import Speaker
from tests.servers import eventually
from workers.distillation.hands import ProcessHands
from workers.distillation.running import distilling
from workers.settings import Settings

CHILD = (sys.executable, "-m", "tests.workers.distiller_child")


def statement(number: int) -> str:
    """Give a statement that is worth keeping, and no other's."""
    return f"The render node {number} of the studio listens on port {20_000 + number}"


def speaker(application: MemoryApplication) -> Speaker:
    """Give the agent whose episodes these are."""
    return Speaker.agent(application, "hermes-d", main="hermes-main", may_claim=True)


@contextmanager
def working(settings: Settings) -> Iterator[list[ProcessHands]]:
    """Distil with the foreseeable rules until the block ends; gives the hands."""
    hands: list[ProcessHands] = []

    def make(settings: Settings) -> ProcessHands:
        hands.append(ProcessHands(settings, command=CHILD))
        return hands[-1]

    with distilling(settings, make):
        yield hands


def history(application: MemoryApplication) -> list[Event]:
    """Read the whole log."""
    return application.read(1, application.event_log.head().position)


def endings(application: MemoryApplication) -> dict[str, list[str]]:
    """Give, for each episode of the log, the types of what happened to it, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for event in history(application):
        if event.aggregate_type == EPISODE.name:
            found[event.aggregate_id].append(event.type)
    return dict(found)


def await_endings(application: MemoryApplication, count: int, within_s: float = 60) -> None:
    """Wait until so many episodes have ended."""

    log, wanted = application.event_log, {"EpisodeDistilled", "EpisodeSkipped"}
    ids: set[str] = set()
    position = 0

    def ended() -> bool:
        nonlocal position
        while entries := log.read(position + 1, limit=1000):
            ids.update(entry.aggregate_id for entry in entries if entry.type in wanted)
            position = entries[-1].position
        return len(ids) >= count

    eventually(ended, within_s=within_s, every_s=0.05)


def require_each_once(application: MemoryApplication, count: int) -> None:
    """Require that each episode ended once, in one append with all that it made."""
    events = history(application)
    committed = [e for e in events if isinstance(e.body, EpisodeCommitted)]
    ended = [e for e in events if isinstance(e.body, EpisodeDistilled | EpisodeSkipped)]
    assert len(committed) == count
    assert Counter(e.aggregate_id for e in ended) == {e.aggregate_id: 1 for e in committed}
    made = {e.aggregate_id: e for e in events if isinstance(e.body, MemoryCreated)}
    named: list[str] = []
    for end in ended:
        if isinstance(end.body, EpisodeDistilled):
            named += end.body.memory_ids
            for memory_id in end.body.memory_ids:
                assert made[memory_id].command_id == end.command_id
                assert made[memory_id].body.derived_from == [end.aggregate_id]  # type: ignore[attr-defined]
    assert sorted(named) == sorted(made)


def failures(application: MemoryApplication) -> list[DistillationFailed]:
    """Give what was noted of failed attempts."""
    return [e.body for e in history(application) if isinstance(e.body, DistillationFailed)]
