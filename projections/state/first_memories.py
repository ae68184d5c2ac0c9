"""The memories to start a session with, ranked anew when something changed or an hour passed."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from datetime import datetime
from typing import Final

from projections.state.decoding import select_by_ids
from projections.state.listing import Scope, most_important
from projections.state.rows import MemoryRow
from projections.state.standing import standing

_MOST_SCOPES: Final = 256
_RANKED_BEYOND: Final = 2
"""So many times what is asked for is ranked: of what is kept, some may have expired."""

_Key = tuple[Scope, int, int, str, tuple[tuple[str, int], ...], str]


class FirstMemories:
    """Keeps the order of importance of the scopes that were asked for. Thread-safe.

    To rank is to look at every memory of a scope. Their importance changes with days and with
    recalls, which count a little late: within an hour only what changes an answer makes a new
    order. What is given are rows as they are now, without what has expired.
    """

    def __init__(self) -> None:
        """Begin with nothing kept."""
        self._ranked: OrderedDict[_Key, list[str]] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self,
        connection: sqlite3.Connection,
        generation: int,
        scope: Scope,
        *,
        now: datetime,
        limit: int,
    ) -> list[MemoryRow]:
        """Give the live memories: pinned ones first, then by importance, up to ``limit``."""
        basis = standing(connection, scope)
        at = f"{now:%Y-%m-%d %H}"
        changed = tuple(basis.changed_at.items())
        key = (scope, generation, limit, basis.epoch, changed, at)
        with self._lock:
            ids = None if basis.parked else self._ranked.get(key)
        if ids is None:
            ids = most_important(connection, scope, now=now, limit=_RANKED_BEYOND * limit)
            if not basis.parked:
                self._keep(key, ids)
        found = select_by_ids(connection, MemoryRow, "memories", ids)
        live = (row for row in found.values() if row.expires_at is None or row.expires_at > now)
        return list(live)[:limit]

    def _keep(self, key: _Key, ids: list[str]) -> None:
        with self._lock:
            self._ranked[key] = ids
            if len(self._ranked) > _MOST_SCOPES:
                self._ranked.popitem(last=False)
