"""Token buckets per caller (spec: api.md, "Rate limits").

They live in the volatile store, so that all API processes of a node share them; while it is gone
each process counts for itself.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import Final, Literal

import redis
from msgspec import Struct

from commands.command import Clock
from domain.caller import Caller
from domain.errors import RateLimited
from domain.events import Quota
from eventlog.connection import Argument, Connections, NotSent
from eventlog.scripts import load

Purpose = Literal["recall", "commit", "change", "enrolment"]
"""What a token is for. Commands other than a commit (votes, tags, deletions) have a bucket of
their own with the recall rate: a vote must not be refused because its recalls were many. Enrolments
have one too, because whoever tries one is not yet known to be the agent that it names."""

OWNER_QUOTA: Final = Quota(recall_per_s=10, recall_burst=20, commit_per_s=2, commit_burst=5)
RETRY_STORE_AFTER_S: Final = 1.0
MOST_LOCAL_BUCKETS: Final = 10_000
_TAKE_TOKENS: Final = load("api", "take_tokens.lua")


class Bucket(Struct, frozen=True):
    """A bucket after a token was asked for.

    ``limit`` is the burst, ``remaining`` whole tokens left, ``reset_s`` seconds until it is full,
    ``retry_after_s`` seconds until the refused tokens can be had (0 when they were taken).
    """

    limit: int
    remaining: int
    reset_s: float
    retry_after_s: float


class TokensRefused(RateLimited):
    """The bucket holds too few tokens."""

    def __init__(self, purpose: Purpose, bucket: Bucket) -> None:
        super().__init__(
            f"no {purpose} tokens left; try again in {bucket.retry_after_s:.1f} s",
            bucket.retry_after_s,
        )
        self.headers = headers_of(bucket)


def headers_of(bucket: Bucket) -> dict[str, str]:
    """Give the ``X-RateLimit-*`` headers that describe a bucket."""
    return {
        "X-RateLimit-Limit": str(bucket.limit),
        "X-RateLimit-Remaining": str(max(0, bucket.remaining)),
        "X-RateLimit-Reset": str(max(0, round(bucket.reset_s + 0.5))),
    }


class RateLimits:
    """Takes tokens; thread-safe, blocks for one round trip to the volatile store."""

    def __init__(self, volatile: redis.Redis | None, clock: Clock) -> None:
        self._clock = clock
        # With connections of its own: the client's own way costs three times as much a command.
        self._store = None if volatile is None else Connections(volatile.connection_pool)
        self._store_gone_until = 0.0
        self._lock = threading.Lock()
        self._local: dict[str, tuple[float, float]] = {}

    def close(self) -> None:
        """Close the connections."""
        if self._store is not None:
            self._store.close()

    def take(self, caller: Caller, purpose: Purpose, cost: int = 1) -> Bucket | None:
        """Take ``cost`` tokens; None for the admin, who has no limits. Raises `TokensRefused`."""
        if caller.kind == "admin":
            return None
        rate, burst = _rate(caller.quota or OWNER_QUOTA, purpose)
        taken, tokens, wait_s = self._ask(f"mw:rate:{caller.actor}:{purpose}", rate, burst, cost)
        bucket = Bucket(burst, int(tokens), max(0.0, (burst - tokens) / rate), wait_s)
        if not taken:
            raise TokensRefused(purpose, bucket)
        return bucket

    def _ask(self, key: str, rate: float, burst: int, cost: int) -> tuple[bool, float, float]:
        now = self._clock().timestamp()
        if self._store is not None and monotonic() >= self._store_gone_until:
            arguments: list[Argument] = [round(now * 1e6), str(rate), burst, cost]
            try:
                taken, left, wait_us = self._store.call_script(_TAKE_TOKENS, [key], arguments)
                return bool(taken), left / 1000, wait_us / 1e6
            except (NotSent, redis.RedisError, OSError):
                # Not asked again for a moment: a hung store would cost every request its time-out.
                self._store_gone_until = monotonic() + RETRY_STORE_AFTER_S
        return self._ask_locally(key, now, rate, burst, cost)

    def _ask_locally(
        self, key: str, now: float, rate: float, burst: int, cost: int
    ) -> tuple[bool, float, float]:
        needed = min(cost, burst)
        with self._lock:
            tokens, at = self._local.get(key, (float(burst), now))
            tokens = min(float(burst), tokens + max(0.0, now - at) * rate)
            taken = tokens >= needed
            wait_s = 0.0 if taken else (needed - tokens) / rate
            tokens -= cost if taken else 0
            if len(self._local) >= MOST_LOCAL_BUCKETS and key not in self._local:
                self._local.clear()
            self._local[key] = (tokens, now)
        return taken, tokens, wait_s


def _rate(quota: Quota, purpose: Purpose) -> tuple[float, int]:
    if purpose == "commit":
        return quota.commit_per_s, quota.commit_burst
    return quota.recall_per_s, quota.recall_burst


def commit_tokens(entries: int) -> int:
    """Give what a batch costs: one commit token per started 50 entries."""
    return max(1, -(-entries // 50))
