"""Lists of memories and tombstones, paged by a cursor that names the last row given.

A page starts behind that row's sort key, never at a count of rows, so rows that are added or
removed meanwhile neither repeat nor hide others. The cursor also keeps the time of the first page:
what time does to confidence and importance stands still from page to page. A row whose key is
changed by an event between two pages is where its new key says.
"""

from __future__ import annotations

import binascii
import sqlite3
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal, cast

import msgspec

from domain.distillation.known import Known
from domain.errors import InvalidCommand
from domain.events import Entity, Relation
from domain.policies.ageing import days_of, last_attended
from domain.policies.confidence import effective_confidence
from domain.policies.importance import importance, retention
from domain.policies.volatility import is_volatile
from domain.settings import PolicySettings
from projections.state.decoding import select_by_ids
from projections.state.history import as_of
from projections.state.rows import EpisodeRow, MemoryRow, MemoryState
from projections.state.step import microseconds, moment

Sort = Literal["recent", "confidence", "importance"]
Scope = frozenset[str] | None

_ENTITIES: Final = msgspec.json.Decoder(tuple[Entity, ...])
_RELATIONS: Final = msgspec.json.Decoder(tuple[Relation, ...])
LIVE: Final = "(state = 'live' AND (expires_at IS NULL OR expires_at > ?))"
CANDIDATE: Final = "(state = 'candidate' AND (expires_at IS NULL OR expires_at > ?))"
ENDED: Final = "(state = 'tombstone' OR expires_at <= ?)"
GONE: Final = "(status = 'deleted' OR (expires_at IS NOT NULL AND expires_at <= ?))"

_TAGGED: Final = "EXISTS (SELECT 1 FROM memory_tags WHERE memory_id = id AND tag = ?)"
_TAGGED_THEN: Final = "EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)"

_END_OF_TIME: Final = 253_402_300_799_999_999  # the last microsecond of the year 9999

_IMPORTANCE: Final = (
    "importance(decay_class, tier, created_at, observed_at, last_reinforced_at, corrections, "
    "useful, not_useful, "
    "coalesce((SELECT recalls FROM recall_counts WHERE memory_id = memories.id), 0), ?)"
)
_KEYS: Final[dict[Sort, str]] = {
    "recent": "created_position, 0, 0",
    "confidence": (
        "effective_confidence(confidence, coalesce(last_reinforced_at, created_at), ?), "
        "coalesce(last_reinforced_at, created_at), created_position"
    ),
    "importance": f"{_IMPORTANCE}, created_position, 0",
}


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """Where a list goes on: after ``key``, in the order of ``sort`` as of ``now`` (µs).

    ``position`` is that of a list of the past.
    """

    sort: str
    now: Annotated[int, msgspec.Meta(ge=0, le=_END_OF_TIME)]
    key: tuple[float, float, float]
    position: int | None = None


def list_memories(
    connection: sqlite3.Connection,
    scope: Scope,
    *,
    now: datetime,
    state: MemoryState,
    category: str | None,
    tag: str | None,
    sort: Sort,
    cursor: str | None,
    limit: int,
    position: int | None = None,
) -> tuple[list[MemoryRow], str | None]:
    """Give one page and the cursor of the next, None at the end. Raises `InvalidCommand`.

    ``position``: the memories as they were there; ``now`` is then the time by which they age.
    """
    after = _read_cursor(cursor, sort, position) if cursor is not None else None
    at = after.now if after is not None else microseconds(now) or 0
    key = _KEYS[sort]
    in_scope, bound = within(scope)
    clauses = [in_scope, _state_clause(state)]
    bound.append(at)
    if category is not None:
        clauses.append("category = ?")
        bound.append(category)
    if tag is not None:
        clauses.append(_TAGGED if position is None else _TAGGED_THEN)
        bound.append(tag)
    key_bound = [at] * key.count("?")
    if after is not None:
        clauses.append(f"({key}) < (?, ?, ?)")
        bound += [*key_bound, *after.key]
    # Only keys and ids are sorted; the rows of the one page are fetched by id.
    then = as_of("memories", position)
    keys = connection.execute(
        f"{then.sql}SELECT {key}, id FROM memories WHERE {' AND '.join(clauses)} "  # noqa: S608
        "ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT ?",
        [*then.bound, *key_bound, *bound, limit + 1],
    ).fetchall()
    ids = [found[3] for found in keys[:limit]]
    rows = select_by_ids(connection, MemoryRow, "memories", ids, position)
    items = [row.at(_moment(at)) for row in rows.values()]
    return items, _next(keys, limit, sort, at, position)


def list_tombstones(
    connection: sqlite3.Connection, scope: Scope, *, now: datetime, cursor: str | None, limit: int
) -> tuple[list[MemoryRow | EpisodeRow], str | None]:
    """Give ended memories and deleted episodes, the last ended first, like `list_memories`."""
    after = _read_cursor(cursor, "ended") if cursor is not None else None
    at = after.now if after is not None else microseconds(now) or 0
    in_scope, scope_bound = within(scope)
    which = [*scope_bound, at]
    behind, behind_bound = "", []
    if after is not None:
        behind, behind_bound = "WHERE (ended, created, 0) < (?, ?, ?)", list(after.key)
    keys = connection.execute(
        "SELECT ended, created, 0, id FROM ("  # noqa: S608  # constants of this module
        "SELECT coalesce(ended_at, expires_at) AS ended, created_position AS created, id "
        f"FROM memories WHERE {in_scope} AND {ENDED} "
        "UNION ALL SELECT coalesce(deleted_at, expires_at), created_position, id "
        f"FROM episodes WHERE {in_scope} AND {GONE}"
        f") {behind} ORDER BY 1 DESC, 2 DESC LIMIT ?",
        [*which, *which, *behind_bound, limit + 1],
    ).fetchall()
    ids = [found[3] for found in keys[:limit]]
    now_then = _moment(at)
    memories = select_by_ids(connection, MemoryRow, "memories", ids)
    episodes = select_by_ids(connection, EpisodeRow, "episodes", ids)
    rows: dict[str, MemoryRow | EpisodeRow] = {**memories, **episodes}
    return [rows[name].at(now_then) for name in ids], _next(keys, limit, "ended", at)


def most_important(
    connection: sqlite3.Connection, scope: Scope, *, now: datetime, limit: int
) -> list[str]:
    """Give the ids of the live memories to start a session with: pinned first, by importance."""
    at = microseconds(now)
    in_scope, bound = within(scope)
    keys = connection.execute(
        f"SELECT tier = 'core', {_IMPORTANCE}, created_position, id FROM memories "  # noqa: S608
        f"WHERE {in_scope} AND {LIVE} ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT ?",
        [at, *bound, at, limit],
    )
    return [row[3] for row in keys]


def newest(
    connection: sqlite3.Connection, namespace: str, *, now: datetime, limit: int
) -> list[tuple[str, str]]:
    """Give id and text of the live memories of one namespace, the newest first."""
    return connection.execute(
        f"SELECT id, content FROM memories WHERE namespace = ? AND {LIVE} "  # noqa: S608  # ours
        "ORDER BY created_position DESC, id LIMIT ?",
        (namespace, microseconds(now), limit),
    ).fetchall()


def known(connection: sqlite3.Connection, ids: Iterable[str], *, now: datetime) -> dict[str, Known]:
    """Give the live memories among ``ids`` as distillation holds talk against them."""
    wanted = msgspec.json.encode(list(ids)).decode()
    rows = connection.execute(
        f"SELECT id, content, entities, relations, session_id FROM memories WHERE {LIVE} "  # noqa: S608  # ours
        "AND id IN (SELECT value FROM json_each(?))",
        (microseconds(now), wanted),
    )
    return {
        memory_id: Known(
            memory_id=memory_id,
            content=content,
            entities=_ENTITIES.decode(entities),
            relations=_RELATIONS.decode(relations),
            session_id=session_id,
        )
        for memory_id, content, entities, relations, session_id in rows
    }


def pinned(
    connection: sqlite3.Connection, scope: Scope, *, now: datetime, limit: int
) -> list[MemoryRow]:
    """Give the live memories that are pinned, by importance. Looks at no others."""
    at = microseconds(now)
    in_scope, bound = within(scope)
    keys = connection.execute(
        f"SELECT {_IMPORTANCE}, created_position, id FROM memories "  # noqa: S608
        f"WHERE tier = 'core' AND {in_scope} AND {LIVE} ORDER BY 1 DESC, 2 DESC LIMIT ?",
        [at, *bound, at, limit],
    )
    found = select_by_ids(connection, MemoryRow, "memories", [row[2] for row in keys])
    return list(found.values())


def tagged(
    connection: sqlite3.Connection, tags: Iterable[str], scope: Scope, position: int
) -> frozenset[str]:
    """Give the ids of the memories in the scope that had all these tags at ``position``."""
    then = as_of("memories", position)
    in_scope, bound = within(scope)
    wanted = list(tags)
    which = " AND ".join([in_scope, *[_TAGGED_THEN] * len(wanted)])
    rows = connection.execute(
        f"{then.sql}SELECT id FROM memories WHERE {which}",  # noqa: S608  # our names
        [*then.bound, *bound, *wanted],
    )
    return frozenset(row[0] for row in rows)


def within(scope: Scope) -> tuple[str, list[Any]]:
    """Give the condition that keeps a query inside the scope, and its arguments."""
    if scope is None:
        return "1", []
    names = msgspec.json.encode(sorted(scope)).decode()
    return "namespace IN (SELECT value FROM json_each(?))", [names]


def define_formulas(connection: sqlite3.Connection, policy: PolicySettings) -> None:
    """Let SQL call the formulas of domain/policies, so that there is one of each."""

    def confidence_in_sql(confidence: float, last_seen: int, now: int) -> float:
        return effective_confidence(confidence, _moment(last_seen), _moment(now), policy)

    def importance_in_sql(
        decay_class: Any,
        tier: Any,
        created: int,
        observed: int | None,
        reinforced: int | None,
        corrections: int,
        useful: int,
        not_useful: int,
        recall_count: int,
        now: int,
    ) -> float:
        # In microseconds: a list looks at every memory of its scope.
        days = days_of(last_attended(created, observed, reinforced), now)
        return importance(
            days=days,
            recall_count=recall_count,
            retained=retention(
                days,
                decay_class,
                volatile=is_volatile(corrections, policy),
                tier=tier,
                policy=policy,
            ),
            useful=useful,
            not_useful=not_useful,
            policy=policy,
        )

    connection.create_function("effective_confidence", 3, confidence_in_sql, deterministic=True)
    connection.create_function("importance", 10, importance_in_sql, deterministic=True)


def _state_clause(state: MemoryState) -> str:
    return {"live": LIVE, "tombstone": ENDED, "candidate": CANDIDATE}[state]


def _next(
    keys: list[Sequence[Any]], limit: int, sort: str, at: int, position: int | None = None
) -> str | None:
    """Give the cursor behind the last row of the page, None if there was no row more."""
    if len(keys) <= limit:
        return None
    last = keys[limit - 1]
    return _write_cursor(Cursor(sort, at, (last[0], last[1], last[2]), position))


def _write_cursor(cursor: Cursor) -> str:
    return urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")


def _read_cursor(text: str, sort: str, position: int | None = None) -> Cursor:
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        cursor = msgspec.json.decode(raw, type=Cursor)
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise InvalidCommand(
            "cursor", "it is not one that this list gave; leave it out to start anew"
        ) from error
    if cursor.sort != sort:
        raise InvalidCommand(
            "cursor", f"it belongs to a list sorted by {cursor.sort!r}, not {sort!r}"
        )
    if cursor.position != position:
        belongs = "the present" if cursor.position is None else f"position {cursor.position}"
        raise InvalidCommand("cursor", f"it belongs to a list as of {belongs}; ask as of the same")
    return cursor


def _moment(value: int) -> datetime:
    return cast("datetime", moment(value))
