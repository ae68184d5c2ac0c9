"""The Episode aggregate: a piece of conversation as it was committed, never edited."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.errors import WrongState
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
)

Status = Literal["pending", "distilled", "skipped", "failed"]


class Episode(Struct, frozen=True, kw_only=True):
    """What a decision about an episode needs to know.

    ``memory_ids`` were ever made from it, ``reinforced_ids`` were seen again in it. ``status``:
    what became of it; ``failed`` waits as ``pending`` does. ``attempts`` counts the failures since
    it began to wait, ``redistillations`` how often it was to be distilled anew. ``is_remembered``:
    its sender gave it as one statement. ``is_empty``: all that it said was this system's own.
    ``is_deleted``: it is not recalled any more. ``is_erased``: nothing of it can be read any more.
    """

    id: str
    version: int
    created_at_position: int
    namespace: str
    session_id: str | None
    author: str
    memory_ids: tuple[str, ...] = ()
    reinforced_ids: tuple[str, ...] = ()
    status: Status = "pending"
    attempts: int = 0
    redistillations: int = 0
    is_remembered: bool = False
    is_empty: bool = False
    is_deleted: bool = False
    is_erased: bool = False

    @property
    def is_there(self) -> bool:
        """Whether it is neither deleted nor erased."""
        return not (self.is_deleted or self.is_erased)

    @property
    def is_waiting(self) -> bool:
        """Whether it is there and still to be distilled."""
        return self.is_there and self.status in ("pending", "failed")


def delete(episode: Episode, reason: str | None = None) -> list[EventBody]:
    """Take it out of recall. Nothing happens to one that was deleted."""
    _require_not_erased(episode)
    return [] if episode.is_deleted else [EpisodeDeleted(reason=reason)]


def restore(episode: Episode, *, agent_id: str) -> list[EventBody]:
    """Bring a deleted one back. Nothing happens to one that is there.

    The memories that went with it stay tombstones; each can be restored by itself.
    """
    _require_not_erased(episode)
    return [EpisodeRestored(agent_id=agent_id)] if episode.is_deleted else []


def fail(episode: Episode, error: str, attempt: int) -> list[EventBody]:
    """Note that a try at distilling it failed. Nothing happens to one that does not wait."""
    if not episode.is_waiting or attempt <= episode.attempts:
        return []
    return [DistillationFailed(error=error, attempt=attempt)]


def redistil(episode: Episode, reason: str | None = None) -> list[EventBody]:
    """Let it wait for the distiller again. Nothing happens to one that waits for the first time.

    Raises `WrongState` for one that is not there, or has nothing to distil.
    """
    _require_not_erased(episode)
    if episode.is_deleted:
        raise WrongState(f"episode {episode.id} is deleted: restore it first")
    if episode.is_remembered or episode.is_empty:
        raise WrongState(f"episode {episode.id} holds nothing to distil")
    return [] if episode.status == "pending" else [RedistillationRequested(reason=reason)]


def erase(episode: Episode) -> list[EventBody]:
    """Let nothing of it be read any more. Nothing happens to one that was erased."""
    return [] if episode.is_erased else [EpisodeErased()]


def _require_not_erased(episode: Episode) -> None:
    if episode.is_erased:
        raise WrongState(f"episode {episode.id} was erased: nothing of it is left")


def fold(episode: Episode | None, event: Event) -> Episode:
    """Apply one event of the log to the state."""
    body = event.body
    if isinstance(body, EpisodeCommitted):
        return Episode(
            id=event.aggregate_id,
            version=event.version,
            created_at_position=event.position,
            namespace=body.namespace,
            session_id=body.session_id,
            author=body.agent_id,
            is_remembered=not body.distill,
            is_empty=not body.content,
        )
    if episode is None:
        raise ValueError(f"episode {event.aggregate_id} begins with {event.type}")
    episode = replace(episode, version=event.version)
    match body:
        case EpisodeDistilled(memory_ids=made, reinforced_ids=reinforced):
            return replace(
                episode,
                status="distilled",
                memory_ids=_united(episode.memory_ids, made),
                reinforced_ids=_united(episode.reinforced_ids, reinforced),
            )
        case EpisodeSkipped():
            return replace(episode, status="skipped")
        case DistillationFailed(attempt=attempt):
            return replace(episode, status="failed", attempts=attempt)
        case RedistillationRequested():
            return replace(
                episode,
                status="pending",
                attempts=0,
                redistillations=episode.redistillations + 1,
            )
        case EpisodeDeleted():
            return replace(episode, is_deleted=True)
        case EpisodeRestored():
            return replace(episode, is_deleted=False)
        case EpisodeErased():
            return replace(episode, is_erased=True)
        case _:
            return episode


def _united(known: tuple[str, ...], more: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))


EPISODE = AggregateKind("Episode", Episode, fold)
