"""What each event does to the rows of the vector view: pure, and the same on every replay.

Exactly-once comes from the checkpoint that is committed with the rows, so the fold is only ever
given events that the view has not seen. Row by row, ``event_pos`` rises with every change; an
event that was parked and comes late takes the next number instead of its own position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from domain import events as facts
from domain.caller import DISTILLER_ACTOR
from domain.events import Event, EventBody
from projections.projector import PoisonEvent
from projections.vector.chunks import chunks
from projections.vector.lexical import document_tokens
from projections.vector.needs import REMEMBERED, closed_session
from projections.vector.schema import (
    Row,
    embedded_text,
    metadata_pair,
    microseconds,
    text_sha,
)
from projections.vector.turns import next_number, turn_key
from projections.vector.working_rows import (
    CLOSED_WITH_SESSION,
    ClosedSession,
    Reinforced,
    WorkingRows,
)

MEMORY: Final = "memory"
EPISODE: Final = "episode"
_CORRECTED: Final = "corrected:"
_GONE: Final = "gone:"

_PROPOSED: Final = facts.type_of(facts.MemoryProposed)
"""What ended the stretch of a candidate, which has no length; with `_WHILE_PROPOSED` and a type,
of a candidate that became a tombstone."""
_WHILE_PROPOSED: Final = f"{_PROPOSED} "
_REDISTILLED: Final = "redistilled"
"""What ended a memory that the distiller did not find again: its episode is as right as ever."""
_AGAINST_NO_EPISODE: Final = frozenset(
    {CLOSED_WITH_SESSION, _PROPOSED, _REDISTILLED, _WHILE_PROPOSED + _REDISTILLED}
)


def fold(
    rows: WorkingRows, events: Iterable[Event], closed_sessions: Sequence[ClosedSession] = ()
) -> None:
    """Apply events in order. Raises `PoisonEvent` for one that speaks of an unknown memory.

    ``closed_sessions`` are those that ended while events were parked: a row that comes after the
    end of its session, because its event was parked, appears closed.
    """
    for event in events:
        step = _STEPS.get(type(event.body))
        if step is None:
            continue
        step(rows, event, event.body)
        if isinstance(event.body, facts.EpisodeCommitted | facts.NewMemory):
            for session in closed_sessions:
                if session.position > event.position:
                    _end_session(rows, session)


def _committed(rows: WorkingRows, event: Event, body: facts.EpisodeCommitted) -> None:
    if not body.distill or not body.content:
        return
    parts = chunks(body.content)
    number = turn = None
    if body.session_id is not None:
        number = next_number(rows.numbers.get((body.namespace, body.session_id), {}))
        turn = turn_key(body.namespace, body.session_id, number)
    for index, content in enumerate(parts):
        rows.put(
            Row(
                id=_row_id(event, index),
                layer=EPISODE,
                source_id=event.aggregate_id,
                chunk_index=index,
                chunk_of=len(parts),
                speaker=body.speaker,
                session_seq=number,
                turn=turn,
                category=body.category,
                **_common(event, body, content),
                **_analysed(body.speaker, content),
            ),
            event.position,
        )


def _distilled(rows: WorkingRows, event: Event, body: facts.EpisodeDistilled) -> None:
    """A memory that an episode reinforced also rests on that episode from here on.

    If the event was parked, its memories may have changed since: then the episode is marked now,
    as it would have been by their events.
    """
    if body.distiller == REMEMBERED:
        return
    for memory_id in (*body.memory_ids, *body.reinforced_ids):
        if memory_id in rows.gone:
            _mark(rows, event, event.aggregate_id, add=_GONE + memory_id)
            continue
        memory = _known(rows, event, memory_id)
        if event.aggregate_id not in memory.derived_from:
            origins = (*memory.derived_from, event.aggregate_id)
            rows.put(replace(memory, derived_from=origins), event.position)
            rows.reinforced.add(Reinforced(memory_id, event.aggregate_id, event.position))
        if any(row.position > event.position for row in rows.of(memory_id)):
            _mark(rows, event, event.aggregate_id, add=_CORRECTED + memory_id)
        if not memory.is_open and memory.ended_by not in _AGAINST_NO_EPISODE:
            _mark(rows, event, event.aggregate_id, add=_GONE + memory_id)


def _episode_deleted(rows: WorkingRows, event: Event, _body: facts.EpisodeDeleted) -> None:
    for row in rows.latest_of(event.aggregate_id):
        if row.is_open:
            rows.put(_closed(row, event), event.position)


def _episode_restored(rows: WorkingRows, event: Event, _body: facts.EpisodeRestored) -> None:
    for row in rows.latest_of(event.aggregate_id):
        if not row.is_open and row.ended_by != CLOSED_WITH_SESSION:
            rows.put(_reopened(row, event), event.position)


def _created(rows: WorkingRows, event: Event, body: facts.NewMemory) -> None:
    rows.put(_begun(event, body), event.position)


def _proposed(rows: WorkingRows, event: Event, body: facts.MemoryProposed) -> None:
    """A candidate is found by no search, of the present or the past: its stretch has no length."""
    rows.put(
        replace(_begun(event, body), to_position=event.position, ended_by=_PROPOSED),
        event.position,
    )


def _begun(event: Event, body: facts.NewMemory) -> Row:
    return Row(
        id=_row_id(event),
        layer=MEMORY,
        source_id=event.aggregate_id,
        category=body.category,
        derived_from=tuple(body.derived_from),
        **_common(event, body, body.content),
        **_analysed(None, body.content),
    )


def _settled(rows: WorkingRows, event: Event, body: facts.CandidateSettled) -> None:
    """A candidate's first stretch begins; with another text, a live memory's next one."""
    row = _known(rows, event, event.aggregate_id)
    if row.ended_by == CLOSED_WITH_SESSION:
        return
    if row.ended_by == _PROPOSED:
        row = _reopened(row, event)
        rows.put(row, event.position)
    if body.content is not None:
        _reword(rows, event, row, body.content, body.source or row.source)


def _corrected(rows: WorkingRows, event: Event, body: facts.MemoryCorrected) -> None:
    """Close the old text's stretch and open the new one's.

    The text of a memory that is not alive changes too, and is what a restore brings back, but
    nothing is opened by that: its stretch ends where it begins.
    """
    row = _known(rows, event, event.aggregate_id)
    if row.ended_by != CLOSED_WITH_SESSION:
        _reword(rows, event, row, body.content, body.source)


def _reword(rows: WorkingRows, event: Event, row: Row, content: str, source: str) -> None:
    if row.is_open and row.from_position < event.position:
        rows.put(_closed(row, event), event.position)
    rows.put(
        replace(
            row,
            id=_row_id(event),
            version=row.version + 1,
            content=content,
            source=source,
            recorded_at=_recorded(event),
            from_position=event.position,
            to_position=None if row.is_open else event.position,
            position=event.position,
            vector=None,
            **_analysed(None, content),
        ),
        event.position,
    )
    later = {
        one.episode_id
        for one in rows.reinforced
        if one.memory_id == row.source_id and one.position > event.position
    }
    for episode_id in row.derived_from:
        # What was said after this, which was parked and comes late, is no older than it.
        if episode_id not in later:
            _mark(rows, event, episode_id, add=_CORRECTED + row.source_id)


def _gone(rows: WorkingRows, event: Event, _body: EventBody) -> None:
    row = _known(rows, event, event.aggregate_id)
    redistilled = event.actor == DISTILLER_ACTOR
    ended_by = _REDISTILLED if redistilled else event.type
    if row.is_open:
        ended = replace(row, to_position=event.position, ended_by=ended_by)
        rows.put(ended, event.position)
    elif row.ended_by == _PROPOSED:
        rows.put(replace(row, ended_by=_WHILE_PROPOSED + ended_by), event.position)
    elif row.ended_by.endswith(_REDISTILLED) and not redistilled:
        withdrawn = row.ended_by.removesuffix(_REDISTILLED) + event.type
        rows.put(replace(row, ended_by=withdrawn), event.position)
    if row.ended_by != CLOSED_WITH_SESSION and not redistilled:
        _mark_episodes(rows, event, row, add=_GONE + row.source_id)


def _restored(rows: WorkingRows, event: Event, _body: facts.MemoryRestored) -> None:
    """What was a candidate is one again."""
    row = _known(rows, event, event.aggregate_id)
    if row.is_open or row.ended_by in (CLOSED_WITH_SESSION, _PROPOSED):
        return
    if row.ended_by.startswith(_WHILE_PROPOSED):
        rows.put(replace(row, ended_by=_PROPOSED), event.position)
    else:
        rows.put(_reopened(row, event), event.position)
    _mark_episodes(rows, event, row, remove=_GONE + row.source_id)


def _tagged(rows: WorkingRows, event: Event, body: facts.MemoryTagged) -> None:
    row = _known(rows, event, event.aggregate_id)
    if row.ended_by != CLOSED_WITH_SESSION:
        rows.put(replace(row, tags=tuple(body.tags)), event.position)


def _session_closed(rows: WorkingRows, event: Event, _body: facts.SessionClosed) -> None:
    if (session := closed_session(event)) is not None:
        _end_session(rows, session)


def _erased(rows: WorkingRows, event: Event, body: facts.SubjectErased) -> None:
    """Remove every stretch of what was erased; an episode that stays knows that a memory went."""
    for memory_id in body.memory_ids:
        for row in rows.latest_of(memory_id):
            if row.ended_by != CLOSED_WITH_SESSION:
                _mark_episodes(rows, event, row, add=_GONE + memory_id)
    rows.gone.update(body.memory_ids)
    for thing in (*body.memory_ids, *body.episode_ids):
        for row in rows.of(thing):
            rows.remove(row)


_STEPS: Final[Mapping[type[EventBody], Callable[[WorkingRows, Event, Any], None]]] = {
    facts.EpisodeCommitted: _committed,
    facts.EpisodeDistilled: _distilled,
    facts.EpisodeDeleted: _episode_deleted,
    facts.EpisodeRestored: _episode_restored,
    facts.MemoryCreated: _created,
    facts.MemoryProposed: _proposed,
    facts.CandidateSettled: _settled,
    facts.CandidateDismissed: _gone,
    facts.MemoryCorrected: _corrected,
    facts.MemorySuperseded: _gone,
    facts.MemoryDeprecated: _gone,
    facts.MemoryDeleted: _gone,
    facts.MemoryRestored: _restored,
    facts.MemoryTagged: _tagged,
    facts.SessionClosed: _session_closed,
    facts.SubjectErased: _erased,
}


def _known(rows: WorkingRows, event: Event, memory_id: str) -> Row:
    latest = rows.latest_of(memory_id)
    if not latest:
        raise PoisonEvent(event.position, f"{event.type} names memory {memory_id}, never created")
    return latest[0]


def _row_id(event: Event, chunk: int | None = None) -> str:
    stretch = f"{event.aggregate_id}:{event.position}"
    return stretch if chunk is None else f"{stretch}:{chunk}"


def _closed(row: Row, event: Event) -> Row:
    return replace(row, to_position=event.position, ended_by=event.type)


def _reopened(row: Row, event: Event) -> Row:
    return replace(
        row,
        id=_row_id(event, row.chunk_index if row.layer == EPISODE else None),
        from_position=event.position,
        to_position=None,
        ended_by="",
    )


def _end_session(rows: WorkingRows, session: ClosedSession) -> None:
    """End the session's rows and take their text away: nothing brings them back.

    Of an episode one row stays, as if it had never been longer: nobody can tell any more.
    """
    for row in rows.of_session(session):
        if row.chunk_index > 0:
            rows.remove(row)
            continue
        ended = replace(
            row,
            to_position=session.position if row.to_position is None else row.to_position,
            ended_by=CLOSED_WITH_SESSION,
            content="",
            tokens="",
            text_sha="",
            speaker=None,
            chunk_of=1,
            tags=(),
            metadata_pairs=(),
            vector=None,
        )
        rows.put(ended, session.position)


def _mark_episodes(
    rows: WorkingRows, event: Event, memory: Row, *, add: str = "", remove: str = ""
) -> None:
    for episode_id in memory.derived_from:
        _mark(rows, event, episode_id, add=add, remove=remove)


def _mark(
    rows: WorkingRows, event: Event, episode_id: str, *, add: str = "", remove: str = ""
) -> None:
    """Note on an episode's newest rows that a memory of it says something else, or again."""
    for row in rows.latest_of(episode_id):
        marks = (set(row.changed_memories) | {add}) - {remove, ""}
        if marks != set(row.changed_memories):
            marked = replace(row, changed_memories=tuple(sorted(marks)), superseded=bool(marks))
            rows.put(marked, event.position)


def _common(
    event: Event, body: facts.EpisodeCommitted | facts.NewMemory, content: str
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
