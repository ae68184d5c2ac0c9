"""The start-up guard: a log server that may lose an acknowledged event is not written to."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
import redis

from domain.errors import LogUnavailable
from eventlog.durability import REQUIRED_SETTINGS
from eventlog.guard import (
    LogServerRefused,
    guard_log_server,
    supported_software,
)
from eventlog.outcomes import LogFork, LogGap
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint
from tests.eventlog.entries import an_entry, new_command
from tests.servers import REDIS, VALKEY, LogServer


@pytest.fixture(scope="module", params=[VALKEY, REDIS], ids=["valkey", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[LogServer]:
    """A server of this module's own, because its settings are changed."""
    if request.param is None:
        pytest.skip("redis-server is not installed")
    with LogServer(request.param) as running:
        yield running


@pytest.fixture
def log(server: LogServer, log_name: str) -> Iterator[RedisLog]:
    with RedisLog(server.url, log_name) as fresh:
        yield fresh


@pytest.fixture
def admin(server: LogServer) -> Iterator[redis.Redis]:
    with server.client() as client:
        yield client
        for name, value in REQUIRED_SETTINGS.items():
            client.config_set(name, value)


def append(log: RedisLog, count: int) -> Checkpoint:
    """Append events of one aggregate and give the checkpoint after them."""
    start = len(log.read_aggregate("a"))
    log.append([an_entry("a", start + n) for n in range(1, count + 1)], **new_command())
    head = log.head()
    return Checkpoint(head.position, head.epoch, head.event_id)


def test_a_server_that_keeps_what_it_acknowledges_passes(log: RedisLog) -> None:
    checkpoint = append(log, 3)
    report = guard_log_server(log, expected_epoch=checkpoint.epoch, known=[checkpoint])
    assert report.durable
    assert report.shortfalls == ()
    assert report.head.position == 3


def test_an_empty_log_passes_on_a_new_node_and_nothing_is_created(
    log: RedisLog, admin: redis.Redis
) -> None:
    assert guard_log_server(log).head.position == 0
    assert not [key for key in admin.scan_iter() if log.name in key.decode()]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("appendonly", "no"),
        ("appendfsync", "everysec"),
        ("no-appendfsync-on-rewrite", "yes"),
        ("maxmemory-policy", "allkeys-lru"),
    ],
)
def test_each_setting_that_can_lose_an_event_is_refused_by_name(
    log: RedisLog, admin: redis.Redis, setting: str, value: str
) -> None:
    admin.config_set(setting, value)
    with pytest.raises(LogServerRefused) as refusal:
        guard_log_server(log)
    (line,) = refusal.value.problems
    assert line.startswith(f"{setting} must be {REQUIRED_SETTINGS[setting]}, it is {value}: put")
    report = guard_log_server(log, allow_volatile=True)
    assert not report.durable
    assert report.shortfalls == (line,)


def test_the_file_is_rewritten_before_the_first_write_and_once_per_start() -> None:
    with LogServer() as server, RedisLog(server.url) as log, server.client() as admin:
        guard_log_server(log)
        first = admin.info("persistence")
        assert first["aof_last_rewrite_time_sec"] >= 0
        assert first["aof_last_bgrewrite_status"] == "ok"
        files = sorted(p.name for p in (server.directory / "appendonlydir").iterdir())
        guard_log_server(log)
        assert files == sorted(p.name for p in (server.directory / "appendonlydir").iterdir())


def test_a_log_with_another_epoch_is_refused(log: RedisLog, admin: redis.Redis) -> None:
    checkpoint = append(log, 1)
    with pytest.raises(LogFork, match="this node has followed another"):
        guard_log_server(log, expected_epoch="another")
    with pytest.raises(LogFork, match="this node has followed another"):
        guard_log_server(log, known=[msgspec.structs.replace(checkpoint, epoch="another")])
    admin.delete(log.keys.meta)
    with pytest.raises(LogFork, match="no epoch"):
        guard_log_server(log)


def test_a_log_that_lost_everything_does_not_start_again_at_one(
    log: RedisLog, admin: redis.Redis
) -> None:
    checkpoint = append(log, 5)
    admin.delete(log.keys.stream, log.keys.meta)
    with pytest.raises(LogFork, match="it is empty"):
        guard_log_server(log, expected_epoch=checkpoint.epoch)
    with pytest.raises(LogFork, match="it is empty"):
        guard_log_server(log, known=[checkpoint])


def test_a_view_ahead_of_the_log_or_of_another_event_is_found(log: RedisLog) -> None:
    append(log, 3)
    here = append(log, 2)
    ahead = msgspec.structs.replace(here, position=6)
    with pytest.raises(LogFork, match="come to position 6, the log ends at 5"):
        guard_log_server(log, known=[ahead])
    reused = msgspec.structs.replace(here, position=4)
    with pytest.raises(LogFork, match="at position 4 the log holds"):
        guard_log_server(log, known=[here, reused])


def test_a_gap_among_the_newest_events_is_found(log: RedisLog, admin: redis.Redis) -> None:
    append(log, 10)
    admin.xdel(log.keys.stream, "7-0")
    with pytest.raises(LogGap, match="expected position 7"):
        guard_log_server(log)


def test_a_replica_is_refused_with_the_address_of_its_primary(
    log: RedisLog, admin: redis.Redis
) -> None:
    admin.replicaof("127.0.0.1", 1)
    try:
        with pytest.raises(LogServerRefused, match=r"replica of 127\.0\.0\.1:1"):
            guard_log_server(log)
    finally:
        admin.replicaof("NO", "ONE")


def test_a_user_who_may_not_see_the_settings_is_told_so(
    server: LogServer, log: RedisLog, admin: redis.Redis
) -> None:
    admin.execute_command("ACL", "SETUSER", "writer", "on", ">secret", "~*", "+@all", "-config")
    try:
        with (
            RedisLog(f"unix://writer:secret@{server.socket}", log.name) as restricted,
            pytest.raises(LogServerRefused, match="allow this user CONFIG GET"),
        ):
            guard_log_server(restricted)
    finally:
        admin.execute_command("ACL", "DELUSER", "writer")


@pytest.mark.parametrize(
    ("info", "software"),
    [
        ({"redis_version": "7.0.15"}, "redis 7.0.15"),
        ({"redis_version": "8.2.1"}, "redis 8.2.1"),
        (
            {"server_name": "valkey", "redis_version": "7.2.4", "valkey_version": "9.1.2"},
            "valkey 9.1.2",
        ),
    ],
)
def test_supported_software_is_told_by_name_and_version(
    info: dict[str, str], software: str
) -> None:
    assert supported_software(info) == software


@pytest.mark.parametrize(
    "info",
    [
        {"redis_version": "6.2.14"},
        {"server_name": "valkey", "redis_version": "7.2.4", "valkey_version": "7.2.9"},
        {"server_name": "lookalike", "redis_version": "7.4.0"},
        {},
    ],
)
def test_software_that_was_never_tried_is_refused(info: dict[str, str]) -> None:
    with pytest.raises(LogServerRefused, match="Redis 7 or newer, or Valkey 8 or newer"):
        supported_software(info)


def test_a_server_that_does_not_answer_is_unavailable_not_refused() -> None:
    with LogServer() as server:
        log = RedisLog(server.url)
        server.kill()
        with pytest.raises(LogUnavailable, match="does not answer"):
            guard_log_server(log)
