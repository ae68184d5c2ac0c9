"""Which stored rows a batch of events may change, before it is folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from domain import events as facts
from domain.events import Event
from eventlog.sealing import EPHEMERAL_SUFFIX
from projections.vector.schema import Row
from projections.vector.working_rows import ClosedSession

REMEMBERED: Final = "caller"
"""The distiller of an episode that is one statement already; such an episode has no rows."""

ECHOING: Final = frozenset(
    {
        facts.CandidateSettled,
        facts.CandidateDismissed,
        facts.MemoryCorrected,
        facts.MemorySuperseded,
        facts.MemoryDeprecated,
        facts.MemoryDeleted,
        facts.MemoryRestored,
    }
)
TOUCHING: Final = ECHOING | {facts.MemoryTagged, facts.EpisodeDeleted, facts.EpisodeRestored}


class Needs(Struct, frozen=True):
    """Which rows a batch may change.

    ``sources`` are the ids of memories and episodes; ``sessions`` pairs of namespace and session
    id (None for rows that name none).
    """

    sources: frozenset[str]
    sessions: frozenset[tuple[str, str | None]]


def needs_of(events: Iterable[Event]) -> Needs:
    """Tell which stored rows the events may change, besides those of `derived_episodes`."""
    sources: set[str] = set()
    sessions: set[tuple[str, str | None]] = set()
    for event in events:
        body = event.body
        if closed_session(event) is not None:
            assert isinstance(body, facts.SessionClosed)
            sessions.add((body.namespace, body.session_id))
        elif isinstance(body, facts.EpisodeDistilled):
            if body.distiller != REMEMBERED:
                sources.update((event.aggregate_id, *body.memory_ids, *body.reinforced_ids))
        elif isinstance(body, facts.SubjectErased):
            sources.update((*body.memory_ids, *body.episode_ids))
        elif type(body) in TOUCHING:
            sources.add(event.aggregate_id)
    return Needs(frozenset(sources), frozenset(sessions))


def derived_episodes(events: Sequence[Event], memories: Iterable[Row]) -> frozenset[str]:
    """Tell which episodes may lose or regain their place because a memory of theirs changes.

    ``memories`` are the stored rows that `needs_of` asked for.
    """
    changing = {event.aggregate_id for event in events if type(event.body) in ECHOING}
    for event in events:
        if isinstance(event.body, facts.SubjectErased):
            changing.update(event.body.memory_ids)
    episodes: set[str] = set()
    for row in memories:
        if row.source_id in changing:
            episodes.update(row.derived_from)
    for event in events:
        if isinstance(event.body, facts.NewMemory) and event.aggregate_id in changing:
            episodes.update(event.body.derived_from)
    return frozenset(episodes)


def closed_session(event: Event) -> ClosedSession | None:
    """Give the session whose rows go with this event; elsewhere than in an ephemeral
    namespace a close is only a note.
    """
    body = event.body
    if isinstance(body, facts.SessionClosed) and body.namespace.endswith(EPHEMERAL_SUFFIX):
        return ClosedSession(body.namespace, body.session_id, event.position)
    return None
