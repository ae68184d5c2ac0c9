"""What is already remembered, as distillation and passive validation hold new talk against it."""

from __future__ import annotations

from msgspec import Struct

from domain.events import Entity, Relation


class Known(Struct, frozen=True, kw_only=True):
    """A live memory of an episode's shortlist: its present text and what that names.

    ``session_id`` is that of the talk in which it was said first.
    """

    memory_id: str
    content: str
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    session_id: str | None = None
