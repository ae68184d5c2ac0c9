"""Answers from the state view: read-only, thread-safe, for any number of processes.

Every question is answered inside one read transaction, so one answer never mixes two positions.
``scope`` is the set of namespaces the asker may read; None is every namespace, for the owner and
the admin. What lies outside the scope is as if it did not exist.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

import msgspec
from msgspec import Struct

from domain.distillation.known import Known
from domain.errors import ViewBehind
from domain.settings import DEFAULT_POLICY, PolicySettings
from eventlog.subscription import Checkpoint
from projections.digest import ViewDigest
from projections.parking import ParkedEvent
from projections.state import counts, evaluation_history, listing, scan
from projections.state import standing as standings
from projections.state.connection import Readers, stand_in_for_what_is_new
from projections.state.decoding import select, select_by_ids
from projections.state.digest import digest_tables
from projections.state.first_memories import FirstMemories
from projections.state.history import Moment, moment_at, position_passed
from projections.state.listing import Scope, Sort
from projections.state.rows import (
    AgentRow,
    EpisodeOrigin,
    EpisodeOutline,
    EpisodeRow,
    EvaluationRow,
    GoldenQuestionRow,
    GoldenSetRow,
    MemoryOutline,
    MemoryRow,
    MemoryState,
    NamespaceRow,
    ObservationRow,
    Redistillable,
    ScanHit,
    SettledRow,
    StatsRow,
    TagRow,
    VerificationRow,
    VersionRow,
)
from projections.state.step import moment

R = TypeVar("R", bound=Struct)


class StateView:
    """What everything is, and was. Every method raises `ViewBehind` before the view was begun."""

    def __init__(self, path: Path, policy: PolicySettings = DEFAULT_POLICY) -> None:
        """Read the view in ``path`` (``views/state``), which need not exist yet."""

        def prepare(connection: sqlite3.Connection) -> None:
            stand_in_for_what_is_new(connection)
            listing.define_formulas(connection, policy)

        self._readers = Readers(path, prepare)
        self._first = FirstMemories()

    def close(self) -> None:
        """Close the connections."""
        self._readers.close()

    # --- how far it has come -------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """Give how far the view has come; position 0 before it was begun."""
        try:
            with self._readers.reading() as connection:
                return _checkpoint(connection)
        except ViewBehind:
            return Checkpoint()

    def generation(self) -> int:
        """Give the live generation, 0 before the view was begun."""
        return self._readers.generation() or 0

    def parked(self) -> int:
        """Count the parked events. While there are any, no answer may be cached."""
        with self._readers.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM parked").fetchone()[0])

    def parked_events(self, first: int = 1, last: int | None = None) -> list[ParkedEvent]:
        """Give the parked events whose command wrote any of ``first`` to ``last``, by position."""
        with self._readers.reading() as connection:
            return select(
                connection,
                ParkedEvent,
                "FROM parked WHERE max(position, through) >= ? "
                "AND position <= coalesce(?, position) ORDER BY position",
                (first, last),
            )

    def changed_at(self, namespaces: Iterable[str]) -> dict[str, int]:
        """Give, per namespace, the last position that can have changed an answer; 0 if none."""
        wanted = list(namespaces)
        with self._readers.reading() as connection:
            rows = connection.execute(
                "SELECT namespace, changed_at FROM namespaces "
                "WHERE namespace IN (SELECT value FROM json_each(?))",
                (_json(wanted),),
            )
            return dict.fromkeys(wanted, 0) | dict(rows.fetchall())

    def standing(self, scope: Scope) -> standings.Standing:
        """Give what an answer for that scope rests on, at one position."""
        with self._readers.reading() as connection:
            return standings.standing(connection, scope)

    def next_expiry(self, scope: Scope, now: datetime) -> datetime | None:
        """Give when the next row of the scope expires, None if none will."""
        with self._readers.reading() as connection:
            return standings.next_expiry(connection, scope, now)

    def digest(self) -> ViewDigest:
        """Digest every row, at one position."""
        with self._readers.reading() as connection:
            return digest_tables(connection)

    # --- the past ------------------------------------------------------------------------------

    def moment_at(self, position: int) -> Moment:
        """Give the moment of a position. Raises `ViewBehind` if the view has not reached it."""
        with self._readers.reading() as connection:
            reached = _checkpoint(connection).position
            if reached < position:
                raise ViewBehind(f"the state view is at {reached}, before position {position}")
            return moment_at(connection, position)

    def moment_before(self, time: datetime) -> Moment:
        """Give the moment of the largest position whose running maximum of times is ≤ ``time``.

        Where the view has seen no later time, that is its own end.
        """
        with self._readers.reading() as connection:
            position = position_passed(connection, time)
            if position is None:
                position = _checkpoint(connection).position
            return moment_at(connection, position)

    def has_passed(self, time: datetime) -> bool:
        """Tell whether the view has seen a later time, so that ``time`` has its position."""
        with self._readers.reading() as connection:
            return position_passed(connection, time) is not None

    # --- by id ---------------------------------------------------------------------------------

    def memory(
        self, memory_id: str, *, now: datetime, position: int | None = None
    ) -> MemoryRow | None:
        """Give one memory in whatever state it is at ``now``, or was at ``position``."""
        return self.memories((memory_id,), now=now, position=position).get(memory_id)

    def memories(
        self, ids: Iterable[str], *, now: datetime, position: int | None = None
    ) -> dict[str, MemoryRow]:
        """Give the memories that exist among ``ids``, in whatever state they are at ``now``.

        ``position``: those that existed there, as they were; ``now`` is then their moment's time.
        """
        with self._readers.reading() as connection:
            rows = select_by_ids(connection, MemoryRow, "memories", ids, position)
        return {name: row.at(now) for name, row in rows.items()}

    def episode(self, episode_id: str, *, now: datetime) -> EpisodeRow | None:
        """Give one episode in whatever state it is at ``now``."""
        return self.episodes((episode_id,), now=now).get(episode_id)

    def episodes(
        self, ids: Iterable[str], *, now: datetime, position: int | None = None
    ) -> dict[str, EpisodeRow]:
        """Give the episodes that exist among ``ids``, like `memories`."""
        with self._readers.reading() as connection:
            rows = select_by_ids(connection, EpisodeRow, "episodes", ids, position)
        return {name: row.at(now) for name, row in rows.items()}

    def outlines(
        self, memory_ids: Iterable[str], episode_ids: Iterable[str], *, now: datetime
    ) -> tuple[dict[str, MemoryOutline], dict[str, EpisodeOutline]]:
        """Give what these memories and episodes are ranked by, as far as they exist, at ``now``.

        Among the memories are those that the episodes were made into, or confirmed.
        """
        with self._readers.reading() as connection:
            told = select_by_ids(connection, EpisodeOutline, "episodes", episode_ids)
            behind = (
                name for row in told.values() for name in (*row.memory_ids, *row.reinforced_ids)
            )
            wanted = (*memory_ids, *behind)
            known = select_by_ids(connection, MemoryOutline, "memories", wanted)
        return (
            {name: row.at(now) for name, row in known.items()},
            {name: row.at(now) for name, row in told.items()},
        )

    def origins(self, ids: Iterable[str]) -> dict[str, EpisodeOrigin]:
        """Give what memories tell of the episodes that exist among ``ids``, in any state."""
        with self._readers.reading() as connection:
            return select_by_ids(connection, EpisodeOrigin, "episodes", ids)

    def versions(self, memory_id: str) -> list[VersionRow]:
        """Give every text the memory had, oldest first; empty for an unknown id."""
        with self._readers.reading() as connection:
            return select(
                connection,
                VersionRow,
                "FROM versions WHERE memory_id = ? ORDER BY version",
                (memory_id,),
            )

    def observations(self, memory_id: str) -> list[ObservationRow]:
        """Give how often the memory was seen again, oldest first."""
        return self._of_memory(ObservationRow, "observations", memory_id)

    def verifications(self, memory_id: str) -> list[VerificationRow]:
        """Give what bears the memory out, oldest first."""
        return self._of_memory(VerificationRow, "verifications", memory_id)

    def settled(self, memory_id: str) -> SettledRow | None:
        """Give who first stood by the memory, None if nobody has."""
        with self._readers.reading() as connection:
            row = connection.execute(
                "SELECT settled_by, settled_at, settled_position FROM settling "
                "WHERE memory_id = ? AND settled_position IS NOT NULL",
                (memory_id,),
            ).fetchone()
        if row is None:
            return None
        return SettledRow(by=row[0], at=cast("datetime", moment(row[1])), position=row[2])

    def texts_of(self, versions: Iterable[tuple[str, int]]) -> list[tuple[str, int, str]]:
        """Give id, version and text of these versions of memories, as far as they exist."""
        wanted = [list(version) for version in versions]
        with self._readers.reading() as connection:
            return connection.execute(
                "SELECT v.memory_id, v.version, v.content FROM json_each(?) AS wanted "
                "JOIN versions AS v ON v.memory_id = json_extract(wanted.value, '$[0]') "
                "AND v.version = json_extract(wanted.value, '$[1]')",
                (msgspec.json.encode(wanted).decode(),),
            ).fetchall()

    def texts_of_episodes(self, ids: Iterable[str]) -> list[tuple[str, str]]:
        """Give the ids and texts of these episodes, as far as they exist, with who spoke them."""
        with self._readers.reading() as connection:
            rows = connection.execute(
                "SELECT id, speaker, content FROM episodes "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (_json(list(ids)),),
            ).fetchall()
        return [(name, f"{speaker}: {said}" if speaker else said) for name, speaker, said in rows]

    def agent(self, agent_id: str) -> AgentRow | None:
        """Give one agent, active or not."""
        with self._readers.reading() as connection:
            rows = select(connection, AgentRow, "FROM agents WHERE agent_id = ?", (agent_id,))
        return rows[0] if rows else None

    def agents(self) -> list[AgentRow]:
        """Give every agent by name, active or not."""
        with self._readers.reading() as connection:
            return select(connection, AgentRow, "FROM agents ORDER BY agent_id")

    # --- lists and counts ----------------------------------------------------------------------

    def list_memories(
        self,
        scope: Scope,
        *,
        now: datetime,
        state: MemoryState = "live",
        category: str | None = None,
        tag: str | None = None,
        sort: Sort = "recent",
        cursor: str | None = None,
        limit: int = 50,
        position: int | None = None,
    ) -> tuple[list[MemoryRow], str | None]:
        """Give one page and the next page's cursor, None at the end.

        ``sort``: ``recent`` by creation, ``confidence`` by the effective one and then last seen,
        ``importance``; each the highest first. ``position``: what was there, as it was; ``now`` is
        then its moment's time. Raises `InvalidCommand` for a foreign cursor.
        """
        with self._readers.reading() as connection:
            return listing.list_memories(
                connection,
                scope,
                now=now,
                state=state,
                category=category,
                tag=tag,
                sort=sort,
                cursor=cursor,
                limit=limit,
                position=position,
            )

    def list_tombstones(
        self, scope: Scope, *, now: datetime, cursor: str | None = None, limit: int = 50
    ) -> tuple[list[MemoryRow | EpisodeRow], str | None]:
        """Give what was ended, memories and episodes, the last ended first, paged likewise."""
        with self._readers.reading() as connection:
            return listing.list_tombstones(connection, scope, now=now, cursor=cursor, limit=limit)

    def bootstrap(self, scope: Scope, *, now: datetime, limit: int = 10) -> list[MemoryRow]:
        """Give the live memories to start a session with: pinned first, then by importance."""
        with self._readers.reading() as connection:
            generation = self._readers.generation() or 0
            return self._first.of(connection, generation, scope, now=now, limit=limit)

    def newest(self, namespace: str, *, now: datetime, limit: int) -> list[tuple[str, str]]:
        """Give id and text of the live memories of one namespace, the newest first."""
        with self._readers.reading() as connection:
            return listing.newest(connection, namespace, now=now, limit=limit)

    def known(self, ids: Iterable[str], *, now: datetime) -> dict[str, Known]:
        """Give the live memories among ``ids`` as distillation holds talk against them."""
        with self._readers.reading() as connection:
            return listing.known(connection, ids, now=now)

    def pinned(self, scope: Scope, *, now: datetime, limit: int) -> list[MemoryRow]:
        """Give the live memories that are pinned, by importance."""
        with self._readers.reading() as connection:
            return listing.pinned(connection, scope, now=now, limit=limit)

    def tags(self, scope: Scope, *, now: datetime) -> list[TagRow]:
        """Give every tag on a live memory, the most frequent first."""
        with self._readers.reading() as connection:
            return counts.tags(connection, scope, now)

    def namespaces(self, scope: Scope, *, now: datetime) -> list[NamespaceRow]:
        """Give every existing namespace with what it holds, by name."""
        with self._readers.reading() as connection:
            return counts.namespaces(connection, scope, now)

    def distillable_again(
        self, namespace: str, *, now: datetime, up_to: int | None, limit: int
    ) -> Redistillable:
        """Give the episodes of a namespace that can be distilled anew (see `Redistillable`)."""
        with self._readers.reading() as connection:
            reached = _checkpoint(connection).position if up_to is None else up_to
            return counts.distillable_again(connection, namespace, now, reached, limit)

    def stats(self, scope: Scope, *, now: datetime) -> StatsRow:
        """Count memories, episodes and tombstones."""
        with self._readers.reading() as connection:
            return counts.stats(connection, scope, now, _checkpoint(connection).position)

    def search_substring(
        self,
        text: str,
        scope: Scope,
        *,
        now: datetime,
        limit: int = 50,
        position: int | None = None,
    ) -> list[ScanHit]:
        """Give the live rows that hold most terms of ``text``, without any index.

        ``position``: those that were live there, with the texts they had; ``now`` is then its
        moment's time.
        """
        with self._readers.reading() as connection:
            return scan.search_substring(
                connection, text, scope, now=now, limit=limit, position=position
            )

    def tagged(self, tags: Iterable[str], scope: Scope, position: int) -> frozenset[str]:
        """Give the ids of the memories in the scope that had all these tags at ``position``."""
        with self._readers.reading() as connection:
            return listing.tagged(connection, tags, scope, position)

    # --- evaluation ----------------------------------------------------------------------------

    def golden_set(self, name: str) -> GoldenSetRow | None:
        """Give the set of questions of that name, None if none was generated."""
        with self._readers.reading() as connection:
            return evaluation_history.golden_set(connection, name)

    def golden_questions(self, name: str) -> list[GoldenQuestionRow]:
        """Give a set's questions by number."""
        with self._readers.reading() as connection:
            return evaluation_history.golden_questions(connection, name)

    def evaluations(self, name: str | None = None, *, limit: int = 100) -> list[EvaluationRow]:
        """Give the last runs, of one set or of all, the newest first."""
        with self._readers.reading() as connection:
            return evaluation_history.evaluations(connection, name, limit)

    def fallen_evaluations(self) -> list[EvaluationRow]:
        """Give the last run of every set whose last run fell below its earlier ones."""
        with self._readers.reading() as connection:
            return evaluation_history.fallen(connection)

    def _of_memory(self, row_type: type[R], table: str, memory_id: str) -> list[R]:
        with self._readers.reading() as connection:
            rest = f"FROM {table} WHERE memory_id = ? ORDER BY position"  # ours
            return select(connection, row_type, rest, (memory_id,))


def _checkpoint(connection: sqlite3.Connection) -> Checkpoint:
    row = connection.execute("SELECT position, epoch, event_id, chain FROM checkpoint").fetchone()
    return Checkpoint() if row is None else Checkpoint(*row)


def _json(names: list[str]) -> str:
    return msgspec.json.encode(names).decode()
