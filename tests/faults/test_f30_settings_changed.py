"""F30: an administrator changes how the log's server keeps things while it is written.

Writes are refused within a second and go on once it is set back. No position is given twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis

from domain.errors import LogUnavailable
from eventlog.durability import LOOK_EVERY_S, REQUIRED_SETTINGS
from eventlog.guard import LogServerRefused, guard_log_server
from eventlog.outcomes import Appended, LogFork
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint
from tests.eventlog.entries import an_entry, new_command
from tests.servers import REDIS, VALKEY, LogServer, eventually


@pytest.fixture(params=[VALKEY, REDIS], ids=["valkey", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[LogServer]:
    if request.param is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server runs this too")
    with LogServer(request.param) as running:
        yield running


class Writer:
    """Appends one event after the other to a watched log and notes what it was told."""

    def __init__(self, log: RedisLog) -> None:
        self.log = log
        self.positions: list[int] = []

    def write(self) -> bool:
        """Append one event; False where that is refused."""
        version = len(self.positions) + 1
        try:
            outcome = self.log.append([an_entry("a", version)], **new_command())
        except LogUnavailable:
            return False
        assert isinstance(outcome, Appended)
        self.positions.append(outcome.first)
        return True

    def is_refused(self) -> bool:
        return not self.write()


@pytest.mark.parametrize(
    ("server", "setting", "value"),
    [
        (VALKEY, "maxmemory-policy", "allkeys-lru"),
        (VALKEY, "appendonly", "no"),
        (REDIS, "maxmemory-policy", "volatile-ttl"),
        (REDIS, "appendfsync", "everysec"),
    ],
    ids=["eviction", "no file", "eviction of some, redis", "synced later, redis"],
    indirect=["server"],
)
def test_f30_writes_are_refused_within_a_second_and_go_on_where_they_were(
    server: LogServer, setting: str, value: str
) -> None:
    with RedisLog(server.url, watched=True) as log, server.client() as admin:
        writer = Writer(log)
        assert all(writer.write() for _ in range(5))
        admin.config_set(setting, value)
        changed = time.monotonic()
        eventually(writer.is_refused)
        # Nobody can know sooner than the next look; the machine may be slow to get there.
        assert time.monotonic() - changed < 10 * LOOK_EVERY_S
        head = log.head().position
        assert [writer.write() for _ in range(3)] == [False] * 3
        assert log.head().position == head
        assert log.shortfalls()[0].startswith(f"{setting} must be {REQUIRED_SETTINGS[setting]}")

        admin.config_set(setting, REQUIRED_SETTINGS[setting])
        eventually(writer.write)
        assert writer.positions == list(range(1, log.head().position + 1))
        assert guard_log_server(log).durable
        server.kill()
        server.start()
        assert log.head().position == writer.positions[-1]


def test_f30_a_log_that_was_thrown_away_to_make_room_never_begins_again_at_one(
    server: LogServer,
) -> None:
    with RedisLog(server.url, watched=True) as log, server.client() as admin:
        writer = Writer(log)
        assert all(writer.write() for _ in range(20))
        seen = log.head()
        _evict_everything(admin)

        def ends() -> bool:
            """Within the second before the next look an append is tried, and is a fork."""
            try:
                return writer.is_refused()
            except LogFork:
                return True

        eventually(ends)
        assert log.head().position == 0
        admin.config_set("maxmemory-policy", "noeviction")
        # Set back; but what is gone does not come back with it.
        deadline = time.monotonic() + 2 * LOOK_EVERY_S
        while time.monotonic() < deadline:
            assert ends()
        assert writer.positions == list(range(1, 21))
        assert log.head().position == 0
        with pytest.raises(LogServerRefused, match="keys away to make room"):
            guard_log_server(log)
        server.kill()
        server.start()
        with pytest.raises(LogFork):
            guard_log_server(log, known=[Checkpoint(seen.position, seen.epoch, seen.event_id)])
        eventually(lambda: _forks(writer))


def test_f30_sealing_keys_that_were_thrown_away_are_noticed_though_the_log_is_whole(
    server: LogServer,
) -> None:
    with RedisLog(server.url, watched=True) as log, server.client() as admin:
        writer = Writer(log)
        assert writer.write()
        log.append([an_entry("b", 1)], **new_command(), subject_keys={"episode:1": b"k" * 32})
        stored = {key: admin.dump(key) for key in admin.scan_iter()}
        _evict_everything(admin)
        admin.config_set("maxmemory-policy", "noeviction")
        for key, value in stored.items():
            if b":keys:" not in key:
                admin.restore(key, 0, value)
        assert log.head().position == 2
        (line,) = log.shortfalls()
        assert "keys away to make room" in line
        eventually(writer.is_refused)


def test_who_allows_a_server_that_forgets_may_write_to_it(server: LogServer) -> None:
    with RedisLog(server.url) as log, server.client() as admin:
        admin.config_set("maxmemory-policy", "allkeys-lru")
        assert all(Writer(log).write() for _ in range(1))
        assert log.shortfalls()


def _forks(writer: Writer) -> bool:
    try:
        assert not writer.write()
    except LogFork:
        return True
    return False


def _evict_everything(admin: redis.Redis) -> None:
    admin.config_set("maxmemory-policy", "allkeys-random")
    admin.config_set("maxmemory", "1")
    eventually(lambda: _emptied(admin))
    admin.config_set("maxmemory", "512mb")


def _emptied(admin: redis.Redis) -> bool:
    # Room is made before a command that needs some.
    with suppress(redis.ResponseError):
        admin.set("anything", "x")
    return bool(admin.dbsize() == 0)
