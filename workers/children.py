"""The child processes of a supervisor: started, watched, started again, stopped in order."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Final

import structlog
from msgspec import Struct

from workers.restarts import CrashHistory, after_crash

STOP_WITHIN_S: Final = 15.0
_POLL_S: Final = 0.1


class GaveUp(Exception):
    """A child dies at once whenever it is started; the message names it and its exit code."""


class ChildSpec(Struct, frozen=True):
    """What to run. ``hopeless`` are exit codes after which another start cannot help."""

    name: str
    command: tuple[str, ...]
    hopeless: frozenset[int] = frozenset({2})


def run_to_its_end(spec: ChildSpec, stop: threading.Event) -> None:
    """Run a child until it ends by itself, or ``stop`` is set. Raises `GaveUp` if it failed."""
    child = _popen(spec)
    while child.poll() is None:
        if stop.wait(_POLL_S):
            child.terminate()
            child.wait()
            return
    if child.returncode:
        raise GaveUp(f"the {spec.name} process failed; its last lines are above")


class Children:
    """The children, in the order in which they are to be stopped."""

    def __init__(self, specs: Sequence[ChildSpec]) -> None:
        self._children = [_Child(spec) for spec in specs]

    def start(self) -> None:
        """Start every child."""
        for child in self._children:
            child.start()

    def look(self) -> None:
        """Start again what has died and has waited long enough; call this often.

        Raises `GaveUp`.
        """
        for child in self._children:
            child.look(time.monotonic())

    def stop(self) -> None:
        """Stop one after the other with SIGTERM, with SIGKILL after 15 s, waiting for each."""
        for child in self._children:
            child.stop()


class _Child:
    def __init__(self, spec: ChildSpec) -> None:
        self.spec = spec
        self.process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._again_at: float | None = None
        self._history = CrashHistory()
        self._log = structlog.get_logger("supervisor").bind(child=spec.name)

    def start(self) -> None:
        self.process = _popen(self.spec)
        self._started = time.monotonic()
        self._again_at = None
        self._log.info("child started", pid=self.process.pid)

    def look(self, now: float) -> None:
        if self._again_at is not None:
            if now >= self._again_at:
                self.start()
            return
        assert self.process is not None
        code = self.process.poll()
        if code is None:
            return
        self.process = None
        self._history, pause = after_crash(self._history, now - self._started)
        if pause is None or code in self.spec.hopeless:
            raise GaveUp(
                f"the {self.spec.name} process ends with code {code} whenever it is started; "
                "its last lines are above"
            )
        self._log.warning("child died", code=code, again_in_s=pause)
        self._again_at = now + pause

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._log.error("child does not stop, killing it", pid=self.process.pid)
            self.process.kill()
            self.process.wait()
        self.process = None


def _popen(spec: ChildSpec) -> subprocess.Popen[bytes]:
    # A process group of its own: Ctrl-C must reach the supervisor alone, which stops in order. Not
    # a session: a worker's niceness might count for nothing beside the API (decision 0043).
    return subprocess.Popen(spec.command, stdin=subprocess.DEVNULL, process_group=0)
