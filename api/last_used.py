"""When each agent last used its key: kept in memory, written to the volatile store now and then.

It is shown in GET /agents and is nothing that a decision rests on, so losing it costs nothing.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from time import monotonic
from typing import Final

import redis
import structlog

STORE_KEY: Final = "mw:last-used"
FLUSH_AFTER_S: Final = 5.0


class LastUsed:
    """Notes uses of keys; thread-safe."""

    def __init__(self, volatile: redis.Redis | None) -> None:
        self._volatile = volatile
        self._lock = threading.Lock()
        self._seen: dict[str, datetime] = {}
        self._unwritten: dict[str, datetime] = {}
        self._flush_at = monotonic() + FLUSH_AFTER_S

    def note(self, agent_id: str, now: datetime) -> None:
        """Remember that the agent spoke; at most every 5 s this writes to the volatile store."""
        with self._lock:
            self._seen[agent_id] = self._unwritten[agent_id] = now
            due = monotonic() >= self._flush_at
        if due:
            self.flush()

    def flush(self) -> None:
        """Write what was noted since the last time to the volatile store, if it is there."""
        with self._lock:
            unwritten, self._unwritten = self._unwritten, {}
            self._flush_at = monotonic() + FLUSH_AFTER_S
        if not unwritten or self._volatile is None:
            return
        try:
            pipeline = self._volatile.pipeline(transaction=False)
            for agent_id, time in unwritten.items():
                pipeline.hset(STORE_KEY, agent_id, time.isoformat())
            pipeline.execute()
        except redis.RedisError as error:
            structlog.get_logger("api").warning("last use not written", error=type(error).__name__)

    def all(self) -> dict[str, datetime]:
        """Give each agent's last use, as far as any process of this node wrote it down."""
        self.flush()
        with self._lock:
            seen = dict(self._seen)
        if self._volatile is None:
            return seen
        try:
            stored = self._volatile.hgetall(STORE_KEY)
        except redis.RedisError:
            return seen
        for name, value in stored.items():
            agent_id, time = _text(name), datetime.fromisoformat(_text(value)).astimezone(UTC)
            seen[agent_id] = max(time, seen.get(agent_id, time))
        return seen


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
