"""A position is used once, whatever became of the entry that had it."""

from __future__ import annotations

import pytest

from eventlog.outcomes import Appended, LogGap
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import an_entry, new_command
from tests.servers import REDIS, VALKEY, LogServer


@pytest.mark.parametrize("binary", [VALKEY, REDIS], ids=["bundled", "debian"])
def test_positions_go_on_after_everything_was_trimmed_and_the_server_restarted(
    binary: str | None,
) -> None:
    if binary is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server runs this too")
    with LogServer(binary) as server, RedisLog(server.url, deadline_s=20) as log:
        log.append([an_entry("a", v) for v in (1, 2, 3)], **new_command())
        with server.client() as admin:
            admin.xtrim(log.keys.stream, minid="4-0", approximate=False)
        assert log.head().position == 3
        assert log.append([an_entry("a", 4), an_entry("a", 5)], **new_command()) == Appended(4, 5)
        with server.client() as admin:
            admin.xtrim(log.keys.stream, minid="6-0", approximate=False)
        server.kill()
        server.start()
        assert log.head().position == 5
        assert log.append([an_entry("a", 6), an_entry("b", 1)], **new_command()) == Appended(6, 7)
        assert [e.position for e in log.read(6)] == [6, 7]


def test_the_position_of_a_deleted_newest_entry_is_not_used_again(
    log_server: LogServer, log: RedisLog
) -> None:
    log.append([an_entry("a", v) for v in (1, 2, 3)], **new_command())
    with log_server.client() as admin:
        admin.xdel(log.keys.stream, "3-0")
    entries = [an_entry("a", 4), an_entry("a", 5)]
    assert log.append(entries, **new_command()) == Appended(4, 5)
    assert [e.event_id for e in log.read(4)] == [e.event_id for e in entries]

    with Subscription(log.url, log.name, Checkpoint()) as subscription:
        assert [e.position for e in subscription.read()] == [1, 2]
        with pytest.raises(LogGap):
            subscription.read()


def test_what_is_no_stream_is_refused_and_nothing_else_is_written(
    log_server: LogServer, log_name: str
) -> None:
    with (
        log_server.client() as admin,
        RedisLog(log_server.url, log_name, deadline_s=0.2) as log,
    ):
        admin.set(log.keys.stream, "something else")
        with pytest.raises(Exception, match="WRONGTYPE"):
            log.append([an_entry("a", 1)], **new_command())
        assert admin.keys(f"{{mw:{log_name}}}:*") == [log.keys.stream.encode()]
