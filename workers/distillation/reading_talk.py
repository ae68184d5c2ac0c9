"""Reading what an episode says, and what was said before it, from the log: the views may lag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Final

from msgspec import Struct

from commands.application import MemoryApplication
from domain.distillation.finding import Talk
from domain.episode import Episode, fold
from domain.events import EpisodeCommitted, Event, RedistillationRequested
from domain.namespaces import is_ephemeral
from eventlog.body_shape import ERASED
from eventlog.entry import RawEntry
from eventlog.reading_ahead import read_aggregates

_EVENTS_AT_ONCE: Final = 50


class Unreadable(Exception):
    """An event of the episode cannot be opened. The message names it, and no text."""


class Case(Struct, frozen=True, kw_only=True):
    """An episode that waits, and its events. ``because_of`` asks for it to be distilled."""

    episode: Episode
    events: tuple[Event, ...]
    committed: EpisodeCommitted
    because_of: Event
    talk: Talk


class TalkReader:
    """Reads episodes. For one job: the texts it keeps may be deleted before the next."""

    def __init__(self, application: MemoryApplication) -> None:
        self._log = application.event_log
        self._codec = application.codec
        self._texts: dict[str, tuple[str | None, str] | None] = {}
        self._entries: dict[str, list[RawEntry]] = {}

    def read_ahead(self, episode_ids: Iterable[str]) -> None:
        """Read these together; each is then given once from there. Raises `LogUnavailable`."""
        wanted = list(dict.fromkeys(episode_ids))
        self._entries.update(read_aggregates(self._log, wanted, _EVENTS_AT_ONCE))
        # Their keys too, all in one round trip: the codec keeps them.
        self._codec.open_batch([e for entries in self._entries.values() for e in entries[:1]])

    def read(self, episode_id: str, before: Sequence[str]) -> Case | None:
        """Give an episode that is to be distilled; None for one that is not (any more).

        Raises `Unreadable`, `LogUnavailable`.
        """
        events = self._events(episode_id)
        episode = _state(events)
        if episode is None or not episode.is_waiting:
            return None
        first = events[0]
        assert isinstance(first.body, EpisodeCommitted)
        if not first.body.content or self._is_gone(first):
            return None
        requests = [e for e in events if isinstance(e.body, RedistillationRequested)]
        return Case(
            episode=episode,
            events=tuple(events),
            committed=first.body,
            because_of=requests[-1] if requests else first,
            talk=self._talk(first, first.body, before),
        )

    def _talk(self, first: Event, said: EpisodeCommitted, before: Sequence[str]) -> Talk:
        turns = (self._turn(episode_id) for episode_id in before)
        return Talk(
            episode_id=first.aggregate_id,
            content=said.content,
            source=said.source,
            said_at=said.observed_at or first.occurred_at,
            speaker=said.speaker,
            category=said.category,
            decay_class=said.decay_class,
            before=tuple(turn for turn in turns if turn is not None),
        )

    def _turn(self, episode_id: str) -> tuple[str | None, str] | None:
        """Give speaker and text of an earlier turn, None where it is not there any more."""
        if episode_id not in self._texts:
            self._texts[episode_id] = self._read_turn(episode_id)
        return self._texts[episode_id]

    def _read_turn(self, episode_id: str) -> tuple[str | None, str] | None:
        try:
            events = self._events(episode_id)
        except Unreadable:
            return None
        episode = _state(events)
        if episode is None or not episode.is_there:
            return None
        said = events[0].body
        assert isinstance(said, EpisodeCommitted)
        return None if self._is_gone(events[0]) else (said.speaker, said.content)

    def _events(self, episode_id: str) -> list[Event]:
        entries = self._entries.pop(episode_id, None)
        if entries is None:
            entries = self._log.read_aggregate(episode_id)
        events = []
        for event in self._codec.open_batch(entries):
            if isinstance(event, Exception):
                raise Unreadable(f"{type(event).__name__} at position {event.position}") from event
            events.append(event)
        return events

    def _is_gone(self, first: Event) -> bool:
        """Tell whether a session's text went with the session's key."""
        said = first.body
        assert isinstance(said, EpisodeCommitted)
        return is_ephemeral(said.namespace) and said.content == ERASED


def _state(events: Sequence[Event]) -> Episode | None:
    return reduce(fold, events, None)
