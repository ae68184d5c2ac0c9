"""Counts over a scope: tags, namespaces, statistics."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from projections.state.listing import CANDIDATE, ENDED, GONE, LIVE, Scope, within
from projections.state.rows import NamespaceRow, QueueRow, Redistillable, StatsRow, TagRow
from projections.state.step import microseconds, moment


def tags(connection: sqlite3.Connection, scope: Scope, now: datetime) -> list[TagRow]:
    """Give every tag on a live memory, the most frequent first."""
    in_scope, bound = within(scope)
    rows = connection.execute(
        "SELECT tag, count(*), sum(decay_class = 'user_pref'), "  # noqa: S608
        "coalesce(sum(level = 'user'), 0), coalesce(sum(level = 'project'), 0) FROM memory_tags "
        "JOIN memories ON id = memory_id LEFT JOIN tag_levels USING (memory_id, tag) "
        f"WHERE {in_scope} AND {LIVE} GROUP BY tag ORDER BY 2 DESC, tag",
        [*bound, microseconds(now)],
    )
    return [
        TagRow(tag=row[0], count=row[1], user_preferences=row[2], at_user=row[3], at_project=row[4])
        for row in rows
    ]


def namespaces(connection: sqlite3.Connection, scope: Scope, now: datetime) -> list[NamespaceRow]:
    """Give every namespace in the scope that exists, by name."""
    in_scope, bound = within(scope)
    names = [
        row[0]
        for row in connection.execute(
            f"SELECT namespace FROM namespaces WHERE {in_scope} ORDER BY namespace",  # noqa: S608
            bound,
        )
    ]
    memories, episodes, tombstones = _by_namespace(connection, scope, now)
    return [
        NamespaceRow(
            namespace=name,
            memories=memories.get(name, 0),
            episodes=episodes.get(name, 0),
            tombstones=tombstones.get(name, 0),
        )
        for name in names
    ]


def stats(connection: sqlite3.Connection, scope: Scope, now: datetime, position: int) -> StatsRow:
    """Count what is in the scope."""
    memories, episodes, tombstones = _by_namespace(connection, scope, now)
    at = microseconds(now)
    in_scope, bound = within(scope)
    by_category = connection.execute(
        f"SELECT category, count(*) FROM memories WHERE {in_scope} AND {LIVE} GROUP BY category",  # noqa: S608
        [*bound, at],
    )
    by_status = connection.execute(
        f"SELECT status, count(*) FROM episodes WHERE {in_scope} GROUP BY status",  # noqa: S608
        bound,
    )
    return StatsRow(
        position=position,
        memories=sum(memories.values()),
        episodes=sum(episodes.values()),
        tombstones=sum(tombstones.values()),
        by_category=dict(by_category.fetchall()),
        by_namespace=memories,
        distillation=dict(by_status.fetchall()),
        candidates=connection.execute(
            f"SELECT count(*) FROM memories WHERE {in_scope} AND {CANDIDATE}",  # noqa: S608
            [*bound, at],
        ).fetchone()[0],
        queue=_queue(connection, scope),
    )


def distillable_again(
    connection: sqlite3.Connection, namespace: str, now: datetime, up_to: int, limit: int
) -> Redistillable:
    """Find episodes that came to an end up to a position and hold something to distil."""
    which = (
        "FROM episodes WHERE namespace = ? AND status IN ('distilled', 'skipped', 'failed') "
        "AND distill = 1 AND content != '' AND (expires_at IS NULL OR expires_at > ?) "
        "AND position <= ?"
    )
    bound = (namespace, microseconds(now), up_to)
    found = connection.execute(
        f"SELECT id {which} ORDER BY position, id LIMIT ?",  # ours, here and below
        (*bound, limit),
    )
    ids = [row[0] for row in found]
    [known] = connection.execute(f"SELECT count(*) {which}", bound).fetchone()
    return Redistillable(ids=ids, remaining=known - len(ids), up_to=up_to)


def _queue(connection: sqlite3.Connection, scope: Scope) -> QueueRow:
    in_scope, bound = within(scope)
    waiting, failed, oldest = connection.execute(
        "SELECT count(*), coalesce(sum(status = 'failed'), 0), min(recorded_at) FROM episodes "  # noqa: S608
        f"WHERE {in_scope} AND status IN ('pending', 'failed') AND distill = 1",
        bound,
    ).fetchone()
    return QueueRow(waiting=waiting, failed=failed, oldest_at=moment(oldest))


def _by_namespace(
    connection: sqlite3.Connection, scope: Scope, now: datetime
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    in_scope, bound = within(scope)
    bound.append(microseconds(now))

    def count(table: str, which: str) -> dict[str, int]:
        return dict(
            connection.execute(
                f"SELECT namespace, count(*) FROM {table} WHERE {in_scope} AND {which} "  # noqa: S608
                "GROUP BY namespace",
                bound,
            ).fetchall()
        )

    tombstones = count("memories", ENDED)
    for name, deleted in count("episodes", GONE).items():
        tombstones[name] = tombstones.get(name, 0) + deleted
    return count("memories", LIVE), count("episodes", f"NOT {GONE}"), tombstones
