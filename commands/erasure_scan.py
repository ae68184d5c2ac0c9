"""Finding what an agent left in the log, page by page.

The log and no view is asked: a view may be behind, parked or being built while something is erased.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct

from commands.application import MemoryApplication
from domain.events import EVENT_TYPES
from eventlog.body_shape import shape_of
from eventlog.entry import RawEntry

_PAGE: Final = 1000


class Page(Struct, frozen=True, kw_only=True):
    """What the agent committed, which memories are its own, on which it has said something."""

    episode_ids: list[str] = []
    memory_ids: list[str] = []
    spoken_on: list[str] = []


class _Author(Struct):
    agent_id: str = ""


_decode_author: Final = msgspec.json.Decoder(_Author).decode


class AgentScan:
    """How far the log was read for an agent.

    ``is_done``: to its end, and nothing of the agent's was found after what was found before.
    """

    def __init__(
        self, application: MemoryApplication, agent_id: str, aggregate_id: str, after: int = 0
    ) -> None:
        self.aggregate_id = aggregate_id
        self.is_done = False
        self._application = application
        self._agent_id = agent_id
        self._after = after
        self._days: set[str] = set()

    @property
    def is_new(self) -> bool:
        """Whether nothing was read yet."""
        return self._after == 0

    def copy(self) -> AgentScan:
        """Give a scan that goes on from here."""
        other = AgentScan(self._application, self._agent_id, self.aggregate_id, self._after)
        other.is_done = self.is_done
        other._days = set(self._days)
        return other

    def day_subjects(self) -> list[str]:
        """Name the subjects of the days on which the agent was seen."""
        return [f"agent:{self.aggregate_id}:{day}" for day in sorted(self._days)]

    def next_page(self) -> Page:
        """Read on until something of the agent's is found, or the log ends."""
        log = self._application.event_log
        while entries := log.read(self._after + 1, limit=_PAGE):
            self._after = entries[-1].position
            page = self._page(entries)
            if page != Page():
                self.is_done = False
                return page
        self.is_done = True
        return Page()

    def _page(self, entries: list[RawEntry]) -> Page:
        page = Page()
        for entry in entries:
            is_its = entry.actor == self._agent_id
            if is_its or entry.aggregate_id == self.aggregate_id:
                seconds = entry.occurred_at_us / 1e6
                self._days.add(f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}")
            if entry.type == "EpisodeCommitted":
                if self._wrote(entry):
                    page.episode_ids.append(entry.aggregate_id)
            elif entry.type == "MemoryCreated":
                if self._wrote(entry):
                    page.memory_ids.append(entry.aggregate_id)
            elif is_its and entry.aggregate_type == "Memory" and _says_something(entry):
                page.spoken_on.append(entry.aggregate_id)
        return page

    def _wrote(self, entry: RawEntry) -> bool:
        try:
            return _decode_author(entry.body).agent_id == self._agent_id
        except msgspec.MsgspecError:
            return False  # bytes that no view can read either


def _says_something(entry: RawEntry) -> bool:
    body_class = EVENT_TYPES.get((entry.type, entry.schema))
    if body_class is None:
        return True  # of a newer program: it may hold a text
    try:
        body: dict[str, Any] = msgspec.json.decode(entry.body)
    except msgspec.MsgspecError:
        return True
    return any(isinstance(body.get(name), str) for name in shape_of(body_class).sealed)
