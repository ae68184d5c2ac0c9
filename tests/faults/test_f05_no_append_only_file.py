"""F5: the log server was restarted without its append-only file."""

from __future__ import annotations

import pytest

from eventlog.guard import LogServerRefused, guard_log_server
from eventlog.redis_log import RedisLog
from tests.servers import LogServer


def test_f05_without_an_append_only_file_the_log_is_refused_and_nothing_is_created() -> None:
    with LogServer(appendonly="no") as server, RedisLog(server.url) as log:
        before = sorted(path.name for path in server.directory.rglob("*"))
        with pytest.raises(LogServerRefused, match="appendonly must be yes, it is no"):
            guard_log_server(log)
        with server.client() as admin:
            assert admin.dbsize() == 0
        assert sorted(path.name for path in server.directory.rglob("*")) == before


def test_f05_a_log_that_is_let_pass_is_reported_as_not_durable() -> None:
    with LogServer(appendonly="no") as server, RedisLog(server.url) as log:
        report = guard_log_server(log, allow_volatile=True)
        assert not report.durable
        assert report.shortfalls[0].startswith("appendonly must be yes, it is no")
