"""The Episode aggregate: a piece of conversation as it was committed, never edited."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.events import (
    EpisodeCommitted,
    EpisodeDeleted,
    EpisodeDistilled,
    EpisodeSkipped,
    Event,
    EventBody,
)


class Episode(Struct, frozen=True, kw_only=True):
    """What a decision about an episode needs to know.

    ``memory_ids`` were made from it, ``reinforced_ids`` were seen again in it.
    """

    id: str
    version: int
    created_at_position: int
    namespace: str
    session_id: str | None
    author: str
    status: Literal["pending", "distilled", "skipped", "deleted"] = "pending"
    memory_ids: tuple[str, ...] = ()
    reinforced_ids: tuple[str, ...] = ()

    @property
    def is_deleted(self) -> bool:
        """Whether it is not recalled any more."""
        return self.status == "deleted"


def delete(episode: Episode, reason: str | None = None) -> list[EventBody]:
    """Take it out of recall. Nothing happens to one that was deleted."""
    return [] if episode.is_deleted else [EpisodeDeleted(reason=reason)]


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
        )
    if episode is None:
        raise ValueError(f"episode {event.aggregate_id} begins with {event.type}")
    episode = replace(episode, version=event.version)
    match body:
        case EpisodeDistilled(memory_ids=made, reinforced_ids=reinforced):
            return replace(
                episode,
                status="distilled",
                memory_ids=tuple(made),
                reinforced_ids=tuple(reinforced),
            )
        case EpisodeSkipped():
            return replace(episode, status="skipped")
        case EpisodeDeleted():
            return replace(episode, status="deleted")
        case _:
            return episode


EPISODE = AggregateKind("Episode", Episode, fold)
