"""What a distiller is given and what it finds, whether rules or a model do it.

Distillation is the way from talk to memory (spec: lifecycle.md, "Distillation"). It decides
nothing about what is known already, except where a model says which memory a finding repeats.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from domain.events import Category, DecayClass, Entity, Relation, Source


class Talk(Struct, frozen=True, kw_only=True):
    """An episode as a distiller reads it.

    ``said_at`` is when it was said: ``observed_at`` where the caller gave it, else when it was
    committed. ``before`` are the turns of its session that came just before it, oldest first, as
    (speaker, content): they tell what a pronoun stands for and what an answer answers. Nothing is
    taken from them.
    """

    episode_id: str
    content: str
    source: Source
    said_at: datetime
    speaker: str | None = None
    category: Category | None = None
    decay_class: DecayClass | None = None
    before: tuple[tuple[str | None, str], ...] = ()


class Finding(Struct, frozen=True, kw_only=True):
    """One statement that stands by itself.

    ``clarity`` in [0, 1] is how plainly it was said. ``evidence`` is the part of the episode that
    says it, verbatim. ``depends_on`` are ids of memories without which it would not hold,
    ``rests_on`` the same among the findings of its episode, by their place there. ``reinforces``
    is the memory that a model takes it to repeat.
    """

    content: str
    category: Category
    decay_class: DecayClass
    clarity: float
    evidence: str
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    depends_on: tuple[str, ...] = ()
    rests_on: tuple[int, ...] = ()
    reinforces: str | None = None
