"""The node's volatile store: what may be lost at any moment, and is never waited for long."""

from __future__ import annotations

from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from workers.log_server import volatile_url
from workers.settings import Settings

_ANSWER_WITHIN_S: Final = 0.25


def open_volatile_store(
    settings: Settings, answer_within_s: float = _ANSWER_WITHIN_S
) -> redis.Redis | None:
    """Give a client of it, None when the node has none; nothing is asked yet."""
    url = volatile_url(settings)
    if url is None:
        return None
    return redis.Redis.from_url(
        url,
        socket_timeout=answer_within_s,
        socket_connect_timeout=answer_within_s,
        retry=Retry(NoBackoff(), 0),
        driver_info=None,  # else it sends a command that its user has no right to
    )
