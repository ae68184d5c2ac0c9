"""F29: what a service's user may not do is refused, and the log stays what it was.

The users are those of docs/log-server.md, made by the very lines that stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
import redis
from redis.exceptions import NoPermissionError, NoScriptError

from domain.errors import LogUnavailable
from eventlog.acl import LogUser, log_rules, volatile_rules, with_user
from eventlog.connection import Connections
from eventlog.guard import guard_log_server
from eventlog.lease import Lease
from eventlog.outcomes import Appended, LogFork, LogGap
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.rights import rights_on
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.archived import NOW, ArchivedLog
from tests.eventlog.entries import an_entry, new_command
from tests.servers import REDIS, VALKEY, LogServer
from workers.distillation.budget import Allowance, CallBudget

PAGE = Path(__file__).parents[2] / "docs" / "log-server.md"
LINES = dict(
    re.findall(r"^ACL SETUSER mw-(\w+) reset on >PASSWORD (.*)$", PAGE.read_text(), re.MULTILINE)
)
SERVICES: tuple[LogUser, ...] = ("writer", "reader", "archiver")
PASSWORD = "a-password-for-tests"

LOG, META, KEYS = "{mw:main}:log", "{mw:main}:meta", "{mw:main}:keys:0000"
FORBIDDEN: list[tuple[Any, ...]] = [
    ("FLUSHALL",),
    ("FLUSHDB",),
    ("DEL", LOG),
    ("DEL", KEYS),
    ("UNLINK", LOG),
    ("XDEL", LOG, "1-0"),
    ("XSETID", LOG, "99-0"),
    ("XGROUP", "CREATE", LOG, "group", "0"),
    ("RENAME", LOG, "{mw:main}:away"),
    ("COPY", "{mw:main}:agg:a", LOG, "REPLACE"),
    ("RESTORE", LOG, 0, "", "REPLACE"),
    ("MIGRATE", "127.0.0.1", 1, LOG, 0, 1),
    ("EXPIRE", LOG, 1),
    ("SET", LOG, "gone"),
    ("HSET", KEYS, "field", "another key"),
    ("HDEL", META, "epoch"),
    ("ZREMRANGEBYRANK", "{mw:main}:agg:a", 0, -1),
    ("XADD", "{mw:other}:log", "1-0", "e", "x"),
    ("HGETALL", "{mw:other}:meta"),
    ("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"),
    ("CONFIG", "REWRITE"),
    ("SHUTDOWN", "NOSAVE"),
    ("DEBUG", "RELOAD"),
    ("SAVE",),
    ("REPLICAOF", "127.0.0.1", 1),
    ("SWAPDB", 0, 1),
    ("KEYS", "*"),
    ("MONITOR",),
    ("CLIENT", "KILL", "TYPE", "normal"),
    ("SCRIPT", "FLUSH"),
    ("FUNCTION", "LOAD", "#!lua name=a\nredis.register_function('a', function() end)"),
    ("EVAL", "return redis.call('DEL', KEYS[1])", 1, LOG),
    ("EVAL", "while true do end", 0),
    ("ACL", "SETUSER", "default", "on", "nopass", "~*", "+@all"),
    ("ACL", "GETUSER", "admin"),
    ("MODULE", "LIST"),
]
DENIED = r"ACL|no permissions to run|can't run this command|can't access at least|Write commands"
"""What the servers say inside a script."""

TRIM = ("XTRIM", LOG, "MAXLEN", 0)
NEW_EPOCH = ("HSET", META, "epoch", "another")


@pytest.fixture(scope="module", params=[VALKEY, REDIS], ids=["valkey", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[LogServer]:
    """A server with our users and a log of a few events."""
    if request.param is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server runs this too")
    # Servers refuse DEBUG by themselves; here it shall be the rules that do.
    with (
        LogServer(request.param, **{"enable-debug-command": "yes"}) as running,
        running.client() as admin,
    ):
        for user in SERVICES:
            give(admin, user, LINES[user])
        with RedisLog(running.url) as log:
            log.append(
                [an_entry("a", n) for n in range(1, 6)],
                **new_command(),
                subject_keys={"episode:1": b"k" * 32},
            )
        yield running


def give(admin: redis.Redis, user: str, rules: str) -> None:
    """Make a user as the page says."""
    rules_list = re.findall(r"\(.*?\)|\S+", rules)
    admin.execute_command("ACL", "SETUSER", user, "reset", "on", f">{PASSWORD}", *rules_list)


def url_as(server: LogServer, user: str) -> str:
    return with_user(server.url, user, PASSWORD)


def everything(server: LogServer) -> dict[bytes, bytes]:
    """Every key with what it holds."""
    with server.client() as admin:
        return {key: admin.dump(key) for key in sorted(admin.scan_iter())}


def assert_refused(server: LogServer, user: str, command: tuple[Any, ...]) -> None:
    before = everything(server)
    connection = Connections.to(url_as(server, user), timeout_s=2)
    with pytest.raises(NoPermissionError):
        connection.call(*command)
    assert everything(server) == before
    connection.close()


@pytest.mark.parametrize("user", SERVICES)
@pytest.mark.parametrize("command", FORBIDDEN, ids=lambda c: " ".join(map(str, c))[:40])
def test_f29_no_service_may_harm_the_log(
    server: LogServer, user: str, command: tuple[Any, ...]
) -> None:
    assert_refused(server, user, command)


@pytest.mark.parametrize(
    ("user", "command"),
    [
        ("writer", TRIM),
        ("writer", NEW_EPOCH),
        ("writer", ("DEL", "{mw:main}:lease:archive")),
        ("archiver", ("HDEL", KEYS, "field")),
        ("archiver", ("BGREWRITEAOF",)),
        ("reader", TRIM),
        ("reader", NEW_EPOCH),
        ("reader", ("XADD", LOG, "99-0", "e", "x")),
        ("reader", ("HSETNX", KEYS, "field", "value")),
        ("reader", ("HSET", "{mw:main}:cmd:text", "id", "1:1:f")),
        ("reader", ("BGREWRITEAOF",)),
    ],
)
def test_f29_no_service_may_do_what_only_another_needs(
    server: LogServer, user: str, command: tuple[Any, ...]
) -> None:
    assert_refused(server, user, command)


@pytest.mark.parametrize("user", SERVICES)
@pytest.mark.parametrize(
    "body", ["redis.call('DEL', KEYS[1])", "redis.call('XDEL', KEYS[1], '1-0')"]
)
def test_f29_a_script_has_no_more_rights_than_who_runs_it(
    server: LogServer, user: str, body: str
) -> None:
    before = everything(server)
    connection = Connections.to(url_as(server, user), timeout_s=2)
    digest = connection.call("SCRIPT", "LOAD", f"return {body}")
    with pytest.raises(redis.ResponseError, match=DENIED):
        connection.call("EVALSHA", digest, 1, LOG)
    with pytest.raises(redis.ResponseError, match=DENIED):
        connection.call("EVALSHA_RO", digest, 1, LOG)
    assert everything(server) == before
    connection.close()


def test_each_service_can_do_its_work_and_nothing_of_it_is_refused(
    server: LogServer, tmp_path: Path
) -> None:
    """Append, read, destroy a key, keep a snapshot, report, archive, trim, guard."""
    with server.client() as admin:
        admin.execute_command("ACL", "LOG", "RESET")
        # A log of this test's own, under the same rules.
        for user in SERVICES:
            give(admin, user, LINES[user].replace("{mw:main}", "{mw:working}"))
    try:
        archived = ArchivedLog(url_as(server, "writer"), "working", tmp_path / "archive")
        archived.write(60)
        guard_log_server(archived.log)
        command = new_command()
        kept = archived.log.append(
            [an_entry("b", 1)], **command, subject_keys={"episode:2": b"s" * 32}
        )
        again = archived.log.append([an_entry("b", 1)], **command)
        assert (again.first, again.last) == (kept.first, kept.last)
        archived.log.append([an_entry("b", 2)], **new_command(), destroyed_keys=["episode:2"])
        assert archived.log.subject_keys(["episode:2"]) == {}
        assert archived.log.put_snapshot("b", 2, b"state", keep=2)
        assert archived.log.put_snapshot("b", 1, b"state", keep=1)

        reading = RedisLog(url_as(server, "reader"), "working", archive=archived.archive)
        with Subscription(reading.url, "working", Checkpoint(), archived.archive) as subscription:
            assert len(subscription.read(500)) == 62
            reached = subscription.checkpoint
        assert reading.head().position == 62
        assert len(reading.read_aggregate("b")) == 2
        assert set(reading.snapshots("b")) == {2}
        assert reading.memory_ratio() is not None
        Readers(reading).report("node/state", reached, NOW)

        archiving = RedisLog(url_as(server, "archiver"), "working", archive=archived.archive)
        archived.log = archiving
        archiver = archived.archiver()
        assert archiver.archive_due().last >= 60
        archiver.trim()
        assert archiving.floor() > 50
        assert archived.snapshotted
        whole = reading.read(1, limit=1000)
        assert [entry.position for entry in whole] == list(range(1, reading.head().position + 1))
        Lease(archiving, "archive", "one", 60).release()
        budget = CallBudget(archiving, Allowance(zone=ZoneInfo("UTC")), lambda: NOW)
        call = budget.reserve("a")
        assert call is not None
        assert budget.spent()["daily"] == 1
        budget.give_back(call)
        with server.client() as admin:
            assert [entry["reason"] for entry in admin.acl_log()] == []
    finally:
        with server.client() as admin:
            for user in SERVICES:
                give(admin, user, LINES[user])


@pytest.mark.parametrize("user", SERVICES)
def test_the_page_has_the_rules_of_the_embedded_server_and_loading_of_scripts(
    user: LogUser,
) -> None:
    documented = re.findall(r"\(.*?\)|\S+", LINES[user])
    assert set(documented) - set(log_rules(user, "main")) == {"+script|load"}
    assert set(log_rules(user, "main")) <= set(documented)
    assert set(LINES) == {*SERVICES, "volatile"}
    assert set(re.findall(r"\(.*?\)|\S+", LINES["volatile"])) == set(volatile_rules("writer"))
    assert set(get_args(LogUser)) == {*SERVICES, "admin"}


def test_a_user_is_known_by_its_name_and_by_what_it_may_that_harms(server: LogServer) -> None:
    with RedisLog(server.url) as log:
        keys = log.keys
    found = {
        user: rights_on(Connections.to(url_as(server, user), timeout_s=2), keys)
        for user in SERVICES
    }
    assert {user: rights.user for user, rights in found.items()} == {u: u for u in SERVICES}
    assert {user: rights.harmful for user, rights in found.items()} == {
        "writer": (),
        "reader": (),
        "archiver": ("XTRIM",),
    }
    anybody = rights_on(Connections.to(server.url, timeout_s=2), keys)
    assert anybody.user == "default"
    assert {"FLUSHALL", "CONFIG SET", "SHUTDOWN", "DEL", "XDEL", "EVAL"} <= set(
        anybody.harmful or ()
    )
    with server.client() as admin:
        give(admin, "silent", "~* +@all -acl")
        silent = rights_on(Connections.to(url_as(server, "silent"), timeout_s=2), keys)
        assert (silent.user, silent.harmful) == ("", None)
        give(admin, "curt", "~* +@all -acl +acl|whoami")
        curt = rights_on(Connections.to(url_as(server, "curt"), timeout_s=2), keys)
        assert (curt.user, curt.harmful) == ("curt", None)
        admin.acl_deluser("silent", "curt")


def test_who_may_not_load_scripts_waits_for_who_may(log_name: str) -> None:
    """The embedded server's users: the scripts are there once the guard has looked as admin."""
    with LogServer() as server, server.client() as admin:
        for user in SERVICES:
            give(admin, user, " ".join(log_rules(user, log_name)))
        with (
            RedisLog(url_as(server, "writer"), log_name, deadline_s=0.2) as log,
            RedisLog(server.url, log_name) as of_admin,
        ):
            entry = an_entry("a", 1)
            with pytest.raises(LogUnavailable, match="nothing was stored"):
                log.append([entry], **new_command())
            with pytest.raises(NoScriptError):
                Connections.to(log.url, timeout_s=2).call("EVALSHA", "0" * 40, 0)
            guard_log_server(of_admin)
            assert log.append([entry], **new_command()) == Appended(1, 1)
            assert guard_log_server(log).rights.user == "writer"


def test_what_no_rule_prevents_is_found_by_every_reader() -> None:
    """XADD trims when it is told to, and a rule cannot forbid an option."""
    with LogServer() as server, server.client() as admin, RedisLog(server.url) as log:
        give(admin, "writer", LINES["writer"])
        log.append([an_entry("a", n) for n in range(1, 11)], **new_command())
        with Subscription(log.url, log.name, Checkpoint()) as reader:
            assert len(reader.read(4)) == 4
            with redis.Redis.from_url(url_as(server, "writer"), driver_info=None) as writer:
                writer.execute_command("XADD", LOG, "MAXLEN", "=", 1, "11-0", "e", "false")
            with pytest.raises((LogGap, LogFork)):
                reader.read(500)
        with pytest.raises((LogGap, LogFork)):
            guard_log_server(log)
