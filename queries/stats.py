"""Counts over what the caller may read: statistics, namespaces, tags."""

from __future__ import annotations

from datetime import datetime

from domain.caller import Caller, may_write
from memoryweave.contract import (
    DistillerQueue,
    NamespaceItem,
    NamespaceList,
    Stats,
    TagItem,
    TagLevel,
    TagList,
)
from projections.state.rows import TagRow
from projections.state.view import StateView
from queries.scope import listed, readable


def stats(caller: Caller, state: StateView, now: datetime) -> Stats:
    """Count live memories, episodes and tombstones, and episodes by what became of them."""
    row = state.stats(readable(caller), now=now)
    return Stats(
        position=row.position,
        memories=row.memories,
        episodes=row.episodes,
        tombstones=row.tombstones,
        by_category=row.by_category,
        by_namespace=row.by_namespace,
        distillation=row.distillation,
        candidates=row.candidates,
        queue=DistillerQueue(
            waiting=row.queue.waiting, failed=row.queue.failed, oldest_at=row.queue.oldest_at
        ),
    )


def namespaces(caller: Caller, state: StateView, now: datetime) -> NamespaceList:
    """List the namespaces that the caller may read and that hold or held something."""
    rows = state.namespaces(readable(caller), now=now)
    return NamespaceList(
        items=[
            NamespaceItem(
                namespace=row.namespace,
                memories=row.memories,
                episodes=row.episodes,
                tombstones=row.tombstones,
                writable=may_write(caller, row.namespace),
            )
            for row in rows
        ]
    )


def tags(
    caller: Caller, state: StateView, now: datetime, *, namespace: str | None = None
) -> TagList:
    """List the tags of live memories with their counts, the most frequent first.

    A tag has the level that it was given, on more memories if on several, ``user`` where on as
    many. One that was given none is at ``user`` level when most of what carries it are user
    preferences, else at ``project`` level. Raises `Forbidden` for a named namespace that the
    caller may not read.
    """
    rows = state.tags(listed(caller, namespace), now=now)
    return TagList(items=[tag_item(row) for row in rows])


def tag_item(row: TagRow) -> TagItem:
    """Give a tag with its count and its level."""
    return TagItem(tag=row.tag, count=row.count, level=_level(row))


def _level(row: TagRow) -> TagLevel:
    if row.at_user or row.at_project:
        return "user" if row.at_user >= row.at_project else "project"
    return "user" if 2 * row.user_preferences > row.count else "project"
