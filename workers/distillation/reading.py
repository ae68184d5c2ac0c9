"""From the log's entries to what waits.

Only the entries that tell of an episode's waiting are looked at, and only a commit and a failure
are opened: whether a commit is urgent may stand in its text, which is let go of at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from msgspec import Struct

from domain.distillation.urgency import is_urgent
from domain.events import (
    DistillationFailed,
    EpisodeCommitted,
    EpisodeDeleted,
    EpisodeDistilled,
    EpisodeErased,
    EpisodeRestored,
    EpisodeSkipped,
    Event,
    EventBody,
    RedistillationRequested,
    SessionClosed,
    SubjectErased,
    type_of,
)
from domain.namespaces import is_ephemeral
from eventlog.codec import Codec
from eventlog.entry import RawEntry
from eventlog.upcasters import current_name
from workers.distillation.pending import Pending, Waiting

_OF_INTEREST: Final[tuple[type[EventBody], ...]] = (
    EpisodeCommitted,
    EpisodeDistilled,
    EpisodeSkipped,
    EpisodeDeleted,
    EpisodeErased,
    EpisodeRestored,
    DistillationFailed,
    RedistillationRequested,
    SessionClosed,
    SubjectErased,
)
_TYPES: Final = frozenset(type_of(body) for body in _OF_INTEREST)

_log = structlog.get_logger("distiller")


class Reading(Struct, frozen=True):
    """How entries are read into ``pending``: what was before ``first`` is only context."""

    pending: Pending
    codec: Codec
    first: int

    def read(self, entries: Sequence[RawEntry], now: float, clock: datetime) -> None:
        """Take account of entries in order. ``now``: monotonic seconds, ``clock``: the present."""
        wanted = [e for e in entries if current_name(e.type, e.schema) in _TYPES]
        for entry, event in zip(wanted, self.codec.open_batch(wanted), strict=True):
            if isinstance(event, Exception):
                # Views set it aside, and say so; nobody can distil what nobody can read.
                _log.warning("not_distilled", position=entry.position, reason=type(event).__name__)
            elif entry.position >= self.first:
                self._take(event, now, clock)
            else:
                self._take_context(event)

    def _take(self, event: Event, now: float, clock: datetime) -> None:
        pending, episode_id = self.pending, event.aggregate_id
        match event.body:
            case EpisodeCommitted() as committed:
                session = (committed.namespace, committed.session_id or "")
                before = self._take_context(event)
                if committed.distill:
                    urgent = is_urgent(committed)
                    waiting = Waiting(
                        episode_id=episode_id,
                        position=event.position,
                        session=session,
                        urgent=urgent,
                        exempt=urgent,
                        before=before,
                    )
                    pending.add(waiting, now)
            case RedistillationRequested() | EpisodeRestored():
                # One that need not be distilled after all is found out when its turn comes.
                asked = Waiting(episode_id=episode_id, position=event.position, urgent=True)
                pending.add(asked, now)
            case EpisodeDistilled() | EpisodeSkipped() | EpisodeDeleted() | EpisodeErased():
                pending.remove(episode_id)
            case DistillationFailed(attempt=attempt):
                ago = clock - event.occurred_at
                pending.failed(episode_id, attempt, ago / timedelta(seconds=1), now)
            case SubjectErased(episode_ids=erased):
                for gone in erased:
                    pending.remove(gone)
            case SessionClosed(namespace=namespace, session_id=session_id):
                if is_ephemeral(namespace):
                    pending.close_session(namespace, session_id)

    def _take_context(self, event: Event) -> tuple[str, ...]:
        match event.body:
            case EpisodeCommitted(namespace=namespace, session_id=str(session), distill=True):
                return self.pending.turn(event.aggregate_id, (namespace, session))
            case _:
                return ()


def utc_now() -> datetime:
    """Give the present as an aware UTC datetime."""
    return datetime.now(UTC)
