"""A state view beside a real write side, which takes up what the log has gained when told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from commands.application import MemoryApplication
from eventlog.subscription import Checkpoint
from memoryweave.contract import MemoryDetail
from projections.generation import ViewDirectory
from projections.state.projector import StateProjector
from projections.state.rows import MemoryRow
from projections.state.view import StateView
from queries.items import memory_detail


class Shown:
    """A state view that takes up what the log has gained."""

    def __init__(self, application: MemoryApplication, folder: Path) -> None:
        self.application = application
        self.directory = ViewDirectory(folder)
        self.projector = StateProjector(self.directory.live)
        self.view = StateView(folder)
        self.position = 0

    def catch_up(self) -> None:
        while entries := self.application.event_log.read(self.position + 1):
            events = [self.application.codec.open(entry) for entry in entries]
            self.position = events[-1].position
            self.projector.apply(events, Checkpoint(position=self.position))

    def rows(self, ids: list[str], now: datetime) -> dict[str, MemoryRow]:
        return self.view.memories(ids, now=now)

    def figures(self, ids: list[str], now: datetime) -> dict[str, MemoryDetail]:
        return {name: memory_detail(row, now) for name, row in self.rows(ids, now).items()}


@contextmanager
def shown(application: MemoryApplication, folder: Path) -> Iterator[Shown]:
    view = Shown(application, folder)
    try:
        yield view
    finally:
        view.view.close()
        view.projector.close()
        view.directory.close()
