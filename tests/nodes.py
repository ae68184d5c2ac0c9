"""A whole node for tests: `memoryweave up` as its users start it, on a free port."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import psutil
import redis

from eventlog.acl import LogUser, with_user
from eventlog.embedded import find_server
from memoryweave.client import Client
from memoryweave.exchange import Retries
from tests.servers import eventually

COMMAND = [sys.executable, "-m", "workers.cli.main"]
_OURS = ("MEMORYWEAVE_", "EMBED_", "LLM_", "REDIS_URL", "VOLATILE_URL", "API_KEY", "OWNER_KEY")
START_WITHIN_S = 180.0
_PR_SET_PDEATHSIG = 1


class NodeProcess:
    """`memoryweave up` on one data directory. Can be killed and started again.

    ``environment`` are further variables of its processes, ``flags`` further flags; ``verb`` is
    another command that runs a node.
    """

    def __init__(self, data: Path, *flags: str, verb: str = "up", **environment: str) -> None:
        self.data = data
        self.verb = verb
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.flags = flags
        self.environment = clean_environment() | environment
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # read after the process has ended
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the node is not running"
        return self._process.pid

    @property
    def output(self) -> str:
        """What it has printed so far."""
        # Not by seek and read: the node writes where this file's one offset stands.
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    @property
    def key(self) -> str:
        """The admin's key."""
        return self.environment.get("API_KEY") or self._keys()["API_KEY"]

    @property
    def owner_key(self) -> str:
        """The owner's key."""
        return self.environment.get("OWNER_KEY") or self._keys()["OWNER_KEY"]

    def log_url(self, user: LogUser = "admin") -> str:
        """Give the address of its embedded log server, as one of that server's users."""
        url = find_server(self.data, "log")
        assert url is not None, "the log server is not running"
        return with_user(url, user, self._keys()[f"LOG_{user.upper()}_PASSWORD"])

    def client(self, key: str | None = None, **options: Any) -> Client:
        """Give a client with the admin's key or another; without an outbox unless one is given."""
        options.setdefault("outbox", None)
        options.setdefault("retries", Retries(within_s=20.0))
        return Client(self.url, key or self.key, **options)

    def start(self, *, wait: bool = True) -> None:
        self._process = subprocess.Popen(
            [*COMMAND, self.verb, "--data", self.data, "--port", str(self.port), *self.flags],
            # A file, not a pipe: nobody reads while it runs, and a full pipe stops the node.
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=self.environment,
            # Whoever ends the tests by force shall not leave nodes behind.
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )
        if wait:
            eventually(self.is_ready, within_s=START_WITHIN_S, every_s=0.05)

    def is_ready(self) -> bool:
        """Tell whether the API answers and both views are being built."""
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError(f"the node ended: {self.output}")
        try:
            health = httpx.get(f"{self.url}/health", timeout=5).json()
        except httpx.TransportError:
            return False
        return bool(health["status"] == "ok")

    def children(self) -> dict[str, psutil.Process]:
        """Give the processes below the supervisor: api, worker, lifecycle, log, volatile."""
        found = {}
        for child in psutil.Process(self.pid).children(recursive=True):
            if not lives(child):
                continue
            line = child.cmdline()
            if "workers.cli.main" in line:
                named = line[line.index("workers.cli.main") + 1]
                found["lifecycle" if "lifecycle" in line else named] = child
            elif line and "valkey-server" in line[0]:
                found["volatile" if "volatile.sock" in " ".join(line) else "log"] = child
        return found

    def processes(self) -> list[psutil.Process]:
        """Give the supervisor and everything that runs below it, its servers too."""
        supervisor = psutil.Process(self.pid)
        return [supervisor, *supervisor.children(recursive=True)]

    def kill(self) -> None:
        """End every process of the node as a power cut does; the files stay."""
        assert self._process is not None
        killed = self.processes()
        for process in killed:
            process.kill()
        self._process.wait()
        self._process = None
        psutil.wait_procs(killed, timeout=10)

    def pause(self) -> None:
        """Stop every process of the node where it stands (SIGSTOP)."""
        for process in self.processes():
            process.suspend()

    def resume(self) -> None:
        """Let a paused node go on."""
        for process in self.processes():
            process.resume()

    def refusals(self) -> list[str]:
        """Say what its servers refused to its processes because of their users' rules.

        Not that a service may not load a script: between a server's start and the supervisor's
        first look at it that is tried, and tried again.
        """
        said = []
        for server in ("log", "volatile"):
            url = find_server(self.data, server)
            if url is None:
                continue
            password = self._keys()[f"{server.upper()}_ADMIN_PASSWORD"]
            with redis.Redis.from_url(with_user(url, "admin", password)) as admin:
                said += [
                    f"{server}: {entry['username']} {entry['reason']} {entry['object']}"
                    for entry in admin.acl_log()
                    if entry["object"] != "script|load"
                ]
        return said

    def signal(self, number: signal.Signals) -> None:
        """Send the supervisor a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int:
        """Wait for the supervisor's end and give its exit code."""
        assert self._process is not None
        code = self._process.wait(timeout=60)
        self._process = None
        return code

    def stop(self) -> int:
        """Stop it as Ctrl-C does."""
        self.signal(signal.SIGINT)
        return self.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        refused = self.refusals() if kind is None and self._process is not None else []
        self.end()
        assert not refused, refused  # each is a right that a process needs and its user has not

    def end(self) -> None:
        """Stop it if it runs."""
        if self._process is not None:
            self.stop()

    def _keys(self) -> dict[str, str]:
        lines = (self.data / "keys").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


def lives(process: psutil.Process) -> bool:
    """Tell whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def clean_environment() -> dict[str, str]:
    """Give this process's environment without any setting of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}


def free_port() -> int:
    """Give a port on loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
