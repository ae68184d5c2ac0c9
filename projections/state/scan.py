"""Substring search over current texts: what recall falls back to without its vector view."""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

from projections.state.history import Table, as_of
from projections.state.listing import LIVE, Scope, within
from projections.state.rows import ScanHit
from projections.state.step import microseconds

MAX_TERMS: Final = 24

_TABLES: Final[tuple[Table, ...]] = ("memories", "episodes")

# An episode that came to something counts only while one of its memories is there, unchanged since:
# one that it made, in its first text, or one that it confirmed, in the text that it had then.
_KEPT_MEMORY: Final = (
    "FROM json_each({ids}) JOIN memories AS m ON m.id = json_each.value "
    "WHERE m.state != 'tombstone' AND (m.expires_at IS NULL OR m.expires_at > ?)"
)
RECALLABLE_EPISODE: Final = (
    "status != 'deleted' AND distill = 1 AND (expires_at IS NULL OR expires_at > ?) AND "
    "(status != 'distilled' OR (memory_ids = '[]' AND reinforced_ids = '[]') OR "
    f"EXISTS (SELECT 1 {_KEPT_MEMORY.format(ids='memory_ids')} AND m.version = 1) OR "
    f"EXISTS (SELECT 1 {_KEPT_MEMORY.format(ids='reinforced_ids')} "
    "AND m.version_position < episodes.distilled_position))"
)

_CHINESE: Final = re.compile(r"[㐀-䶿一-鿿豈-﫿]+")
_WORD: Final = re.compile(r"[^\W_][\w./:-]*", re.ASCII)


def search_substring(
    connection: sqlite3.Connection,
    text: str,
    scope: Scope,
    *,
    now: datetime,
    limit: int,
    position: int | None = None,
) -> list[ScanHit]:
    """Give live rows that hold terms of ``text``, most terms first, newest first among equals.

    ``position``: what was live there, with the text that it had there.
    """
    terms = scan_terms(text)
    if not terms:
        return []
    found = " + ".join(["(instr(lower(content), ?) > 0)"] * len(terms))
    at = microseconds(now)
    in_scope, scope_bound = within(scope)
    bound: list[Any] = [*terms, *scope_bound, at]
    then = [as_of(table, position) for table in _TABLES]
    before = then[0].sql + then[1].sql.replace("WITH", ",", 1)
    rows = connection.execute(
        f"{before}SELECT id, layer, terms, position FROM ("  # noqa: S608  # constants, and one term per "?"
        f"SELECT id, 'memory' AS layer, {found} AS terms, position FROM memories "
        f"WHERE {in_scope} AND {LIVE} UNION ALL "
        f"SELECT id, 'episode', {found}, position FROM episodes "
        f"WHERE {in_scope} AND {RECALLABLE_EPISODE}"
        ") WHERE terms > 0 ORDER BY terms DESC, position DESC LIMIT ?",
        [*then[0].bound, *then[1].bound, *bound, *bound, at, at, limit],
    )
    return [ScanHit(id=row[0], layer=row[1], terms=row[2], position=row[3]) for row in rows]


def scan_terms(text: str) -> list[str]:
    """Split a query into substrings to look for: words, and the bigrams of Chinese runs.

    Lower case, each once, the longest `MAX_TERMS`.
    """
    lowered = text.lower()
    terms = dict.fromkeys(_WORD.findall(lowered))
    for run in _CHINESE.findall(lowered):
        parts = [a + b for a, b in pairwise(run)] if len(run) > 1 else [run]
        terms.update(dict.fromkeys(parts))
    return sorted(terms, key=len, reverse=True)[:MAX_TERMS]
