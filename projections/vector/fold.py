"""What each event does to the rows of the vector view: pure, and the same on every replay.

Exactly-once comes from the checkpoint that is committed with the rows, so the fold is only ever
given events that the view has not seen. Row by row, ``event_pos`` rises with every change; an
event that was parked and comes late takes the next number instead of its own position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from domain import events as facts
from domain.events import Event, EventBody
from projections.projector import PoisonEvent
from projections.vector.chunks import chunks
from projections.vector.lexical import document_tokens
from projections.vector.schema import (
    Row,
    embedded_text,
    metadata_pair,
    microseconds,
    text_sha,
)

MEMORY: Final = "memory"
EPISODE: Final = "episode"
CLOSED_WITH_SESSION: Final = "SessionClosed"
_CORRECTED: Final = "corrected:"
_GONE: Final = "gone:"

B = TypeVar("B", bound=EventBody)


class Needs(Struct, frozen=True):
    """Which rows a batch may change.

    ``sources`` are the ids of memories and episodes; ``sessions`` pairs of namespace and session
    id (None for rows that name none).
    """

    sources: frozenset[str]
    sessions: frozenset[tuple[str, str | None]]


class WorkingRows:
    """The rows that a batch works on, and which of them it changed."""

    def __init__(self) -> None:
        self.changed: dict[str, Row] = {}
        self._rows: dict[str, Row] = {}
        self._of_source: dict[str, list[str]] = {}

    def load(self, rows: Iterable[Row]) -> None:
        """Take rows as they are stored. One that is here already stays as it is here."""
        for row in rows:
            if row.id not in self._rows:
                self._rows[row.id] = row
                self._of_source.setdefault(row.source_id, []).append(row.id)

    def put(self, row: Row, position: int) -> None:
        """Change a row, or add it."""
        before = self._rows.get(row.id)
        if before is None:
            self._of_source.setdefault(row.source_id, []).append(row.id)
            event_pos = position
        else:
            event_pos = max(position, before.event_pos + 1)
        self._rows[row.id] = self.changed[row.id] = replace(row, event_pos=event_pos)

    def open_of(self, source_id: str) -> list[Row]:
        """Give the open rows of a memory (one at most) or an episode (its chunks)."""
        rows = (self._rows[row_id] for row_id in self._of_source.get(source_id, ()))
        return [row for row in rows if row.is_open]

    def latest_of(self, memory_id: str) -> Row | None:
        """Give a memory's newest stretch of life, open or closed."""
        rows = [self._rows[row_id] for row_id in self._of_source.get(memory_id, ())]
        return max(rows, key=lambda row: row.from_position, default=None)

    def open_in_session(self, namespace: str, session_id: str | None) -> list[Row]:
        """Give the open rows of a session in a namespace."""
        return [
            row
            for row in self._rows.values()
            if row.is_open and row.namespace == namespace and row.session_id == session_id
        ]


def needs_of(events: Iterable[Event]) -> Needs:
    """Tell which stored rows the events may change, besides episodes of `derived_episodes`."""
    sources: set[str] = set()
    sessions: set[tuple[str, str | None]] = set()
    for event in events:
        body = event.body
        if isinstance(body, facts.SessionClosed):
            sessions.add((body.namespace, body.session_id))
        elif isinstance(body, facts.EpisodeDistilled):
            sources.update(_reinforced(body))
        elif type(body) in _TOUCHING:
            sources.add(event.aggregate_id)
    return Needs(frozenset(sources), frozenset(sessions))


def derived_episodes(events: Sequence[Event], memories: Iterable[Row]) -> frozenset[str]:
    """Tell which episodes may lose or regain their place because a memory of theirs changes.

    ``memories`` are the stored rows that `needs_of` asked for.
    """
    changing = {event.aggregate_id for event in events if type(event.body) in _ECHOING}
    episodes: set[str] = set()
    for row in memories:
        if row.source_id in changing:
            episodes.update(row.derived_from)
    for event in events:
        body = event.body
        if isinstance(body, facts.MemoryCreated) and event.aggregate_id in changing:
            episodes.update(body.derived_from)
        elif isinstance(body, facts.EpisodeDistilled) and changing.intersection(_reinforced(body)):
            episodes.add(event.aggregate_id)
    return frozenset(episodes)


def fold(rows: WorkingRows, events: Iterable[Event]) -> None:
    """Apply events in order. Raises `PoisonEvent` for one that speaks of an unknown memory."""
    for event in events:
        step = _STEPS.get(type(event.body))
        if step is not None:
            step(rows, event, event.body)


def _committed(rows: WorkingRows, event: Event, body: facts.EpisodeCommitted) -> None:
    if not body.distill:
        return
    parts = chunks(body.content)
    for index, content in enumerate(parts):
        rows.put(
            Row(
                id=f"{event.aggregate_id}:{event.position}:{index}",
                layer=EPISODE,
                source_id=event.aggregate_id,
                chunk_index=index,
                chunk_of=len(parts),
                speaker=body.speaker,
                category=body.category,
                **_common(event, body, content),
                **_analysed(body.speaker, content),
            ),
            event.position,
        )


def _distilled(rows: WorkingRows, event: Event, body: facts.EpisodeDistilled) -> None:
    """A memory that an episode reinforced also rests on that episode from here on."""
    for memory_id in _reinforced(body):
        row = _known(rows, event, memory_id)
        if event.aggregate_id not in row.derived_from:
            rows.put(
                replace(row, derived_from=(*row.derived_from, event.aggregate_id)), event.position
            )


def _episode_deleted(rows: WorkingRows, event: Event, _body: facts.EpisodeDeleted) -> None:
    for row in rows.open_of(event.aggregate_id):
        rows.put(_closed(row, event), event.position)


def _created(rows: WorkingRows, event: Event, body: facts.MemoryCreated) -> None:
    rows.put(
        Row(
            id=f"{event.aggregate_id}:{event.position}",
            layer=MEMORY,
            source_id=event.aggregate_id,
            category=body.category,
            derived_from=tuple(body.derived_from),
            **_common(event, body, body.content),
            **_analysed(None, body.content),
        ),
        event.position,
    )


def _corrected(rows: WorkingRows, event: Event, body: facts.MemoryCorrected) -> None:
    """Close the old text's stretch and open the new one's.

    The text of a memory that is not alive changes too, and is what a restore brings back, but
    nothing is opened by that: its stretch ends where it begins.
    """
    row = _known(rows, event, event.aggregate_id)
    if row.is_open:
        rows.put(_closed(row, event), event.position)
    rows.put(
        replace(
            row,
            id=f"{event.aggregate_id}:{event.position}",
            version=row.version + 1,
            content=body.content,
            source=body.source,
            recorded_at=_recorded(event),
            from_position=event.position,
            to_position=None if row.is_open else event.position,
            position=event.position,
            vector=None,
            **_analysed(None, body.content),
        ),
        event.position,
    )
    _mark_episodes(rows, event, row, add=_CORRECTED + row.source_id)


def _gone(rows: WorkingRows, event: Event, _body: EventBody) -> None:
    row = _known(rows, event, event.aggregate_id)
    if row.is_open:
        rows.put(_closed(row, event), event.position)
    _mark_episodes(rows, event, row, add=_GONE + row.source_id)


def _restored(rows: WorkingRows, event: Event, _body: facts.MemoryRestored) -> None:
    row = _known(rows, event, event.aggregate_id)
    if row.is_open or row.ended_by == CLOSED_WITH_SESSION:
        return
    rows.put(
        replace(
            row,
            id=f"{event.aggregate_id}:{event.position}",
            from_position=event.position,
            to_position=None,
            ended_by="",
        ),
        event.position,
    )
    _mark_episodes(rows, event, row, remove=_GONE + row.source_id)


def _tagged(rows: WorkingRows, event: Event, body: facts.MemoryTagged) -> None:
    row = _known(rows, event, event.aggregate_id)
    rows.put(replace(row, tags=tuple(body.tags)), event.position)


def _session_closed(rows: WorkingRows, event: Event, body: facts.SessionClosed) -> None:
    for row in rows.open_in_session(body.namespace, body.session_id):
        rows.put(_closed(row, event), event.position)


_STEPS: Final[Mapping[type[EventBody], Callable[[WorkingRows, Event, Any], None]]] = {
    facts.EpisodeCommitted: _committed,
    facts.EpisodeDistilled: _distilled,
    facts.EpisodeDeleted: _episode_deleted,
    facts.MemoryCreated: _created,
    facts.MemoryCorrected: _corrected,
    facts.MemorySuperseded: _gone,
    facts.MemoryDeprecated: _gone,
    facts.MemoryDeleted: _gone,
    facts.MemoryRestored: _restored,
    facts.MemoryTagged: _tagged,
    facts.SessionClosed: _session_closed,
}
_ECHOING: Final = frozenset(
    {
        facts.MemoryCorrected,
        facts.MemorySuperseded,
        facts.MemoryDeprecated,
        facts.MemoryDeleted,
        facts.MemoryRestored,
    }
)
_TOUCHING: Final = _ECHOING | {facts.MemoryTagged, facts.EpisodeDeleted}


def _reinforced(body: facts.EpisodeDistilled) -> Iterator[str]:
    """Give the older memories that gained an episode with rows: a remembered one has none."""
    if body.distiller != "caller":
        yield from body.reinforced_ids


def _known(rows: WorkingRows, event: Event, memory_id: str) -> Row:
    row = rows.latest_of(memory_id)
    if row is None:
        raise PoisonEvent(event.position, f"{event.type} names memory {memory_id}, never created")
    return row


def _closed(row: Row, event: Event) -> Row:
    return replace(row, to_position=event.position, ended_by=event.type)


def _mark_episodes(
    rows: WorkingRows, event: Event, memory: Row, *, add: str = "", remove: str = ""
) -> None:
    """Note on the open rows of a memory's episodes that it says something else, or again."""
    for episode_id in memory.derived_from:
        for row in rows.open_of(episode_id):
            marks = (set(row.changed_memories) | {add}) - {remove, ""}
            if marks != set(row.changed_memories):
                rows.put(
                    replace(row, changed_memories=tuple(sorted(marks)), superseded=bool(marks)),
                    event.position,
                )


def _common(
    event: Event, body: facts.EpisodeCommitted | facts.MemoryCreated, content: str
) -> dict[str, Any]:
    return {
        "content": content,
        "namespace": body.namespace,
        "agent_id": body.agent_id,
        "session_id": body.session_id,
        "source": body.source,
        "tags": tuple(body.tags),
        "metadata_pairs": tuple(sorted(metadata_pair(k, v) for k, v in body.metadata.items())),
        "observed_at": microseconds(body.observed_at),
        "recorded_at": _recorded(event),
        "from_position": event.position,
        "position": event.position,
        "event_pos": event.position,
    }


def _analysed(speaker: str | None, content: str) -> dict[str, Any]:
    text = embedded_text(speaker, content)
    return {"tokens": " ".join(document_tokens(text)), "text_sha": text_sha(text)}


def _recorded(event: Event) -> int:
    recorded = microseconds(event.occurred_at)
    assert recorded is not None
    return recorded
