"""Finding what an agent left in the log, page by page.

The log and no view is asked: a view may be behind, parked or being built while something is erased.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct

from commands.application import MemoryApplication
from domain.events import EVENT_TYPES, RecallServed, type_of
from eventlog.body_shape import shape_of
from eventlog.codec import SUBJECT_MEMBER
from eventlog.entry import RawEntry

_PAGE: Final = 1000
RECALL_SERVED: Final = type_of(RecallServed)


class Page(Struct, frozen=True, kw_only=True):
    """What the agent committed, which memories are its own, on which it has said something."""

    episode_ids: list[str] = []
    memory_ids: list[str] = []
    spoken_on: list[str] = []


class _Author(Struct):
    agent_id: str = ""


class _Result(Struct):
    memory_id: str


class _Recall(Struct):
    results: list[_Result]


class _Served(Struct, rename={"subject": SUBJECT_MEMBER}):
    """The part of a `RecallServed` that stands open."""

    recalls: list[_Recall] = []
    episode_ids: list[str] = []
    subject: str = ""


_decode_served: Final = msgspec.json.Decoder(_Served).decode
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
        self._recalls: set[str] = set()

    @property
    def is_new(self) -> bool:
        """Whether nothing was read yet."""
        return self._after == 0

    def copy(self) -> AgentScan:
        """Give a scan that goes on from here."""
        other = AgentScan(self._application, self._agent_id, self.aggregate_id, self._after)
        other.is_done = self.is_done
        other._days = set(self._days)
        other._recalls = set(self._recalls)
        return other

    def day_subjects(self) -> list[str]:
        """Name the subjects of the days on which the agent was seen, and of what it recalled."""
        days = [f"agent:{self.aggregate_id}:{day}" for day in sorted(self._days)]
        return [*days, *sorted(self._recalls)]

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
            if is_its and entry.type == RECALL_SERVED:
                self._recalls.update(_subjects_named(entry))
            if entry.type == "EpisodeCommitted":
                if self._wrote(entry):
                    page.episode_ids.append(entry.aggregate_id)
            elif entry.type in ("MemoryCreated", "MemoryProposed"):
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


def subjects_of_recalls(application: MemoryApplication, ids: Collection[str]) -> list[str]:
    """Name whose keys seal the questions that any of these memories and episodes was an answer to.

    The log is read from the first of them on: nothing earlier can have found it.
    """
    log, wanted = application.event_log, frozenset(ids)
    first = [entry.position for one in wanted for entry in log.read_aggregate(one, limit=1)]
    if not first:
        return []
    after, found = min(first), set[str]()
    while entries := log.read(after + 1, limit=_PAGE):
        after = entries[-1].position
        for entry in entries:
            if entry.type == RECALL_SERVED and not wanted.isdisjoint(_found_in(entry)):
                found.update(_subjects_named(entry))
    return sorted(found)


def _found_in(entry: RawEntry) -> Iterator[str]:
    try:
        served = _decode_served(entry.body)
    except msgspec.MsgspecError:
        return
    for recall in served.recalls:
        for result in recall.results:
            yield result.memory_id
    yield from served.episode_ids


def _subjects_named(entry: RawEntry) -> list[str]:
    try:
        named = _decode_served(entry.body).subject
    except msgspec.MsgspecError:
        return []
    return [named] if named else []


def _says_something(entry: RawEntry) -> bool:
    body_class = EVENT_TYPES.get((entry.type, entry.schema))
    if body_class is None:
        return True  # of a newer program: it may hold a text
    try:
        body: dict[str, Any] = msgspec.json.decode(entry.body)
    except msgspec.MsgspecError:
        return True
    return any(isinstance(body.get(name), str) for name in shape_of(body_class).sealed)
