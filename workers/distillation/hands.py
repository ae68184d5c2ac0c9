"""The process that does the work: started when a batch is due, ended when it has had none a while.

Distilling loads what an idle node has no memory for (Lance, the write side, tables of words), and
takes processor time; a process of its own gives the first back, and is nice about the second.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol

from workers.distillation.job import Answer, Begin, Job, Ready, answer, encode
from workers.settings import Settings

IDLE_S: Final = 30.0
COMMAND: Final = (sys.executable, "-m", "workers.distillation.child")


class HandsDied(Exception):
    """The process has ended by itself. ``working``: it had begun with the job."""

    def __init__(self, code: int | None, *, working: bool) -> None:
        super().__init__(f"the process that distils ended with code {code}")
        self.working = working


class Hands(Protocol):
    """Who does the jobs, one at a time."""

    def start(self, job: Job) -> None:
        """Begin a job. Raises OSError."""

    def answers(self, wait_s: float) -> Sequence[Answer]:
        """Give what was said since; wait up to ``wait_s`` for the first. Raises `HandsDied`."""

    def rest(self) -> None:
        """Have nothing to do: give back what is not needed, after a while."""

    def close(self) -> None:
        """Stop at once, wherever the work is."""


class ProcessHands:
    """A process of its own. For one thread, which must live as long: the kernel ends it with it."""

    def __init__(
        self,
        settings: Settings,
        *,
        command: Sequence[str] = COMMAND,
        idle_s: float = IDLE_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._command = command
        self._idle_s = idle_s
        self._monotonic = monotonic
        self._process: subprocess.Popen[bytes] | None = None
        self._said: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._ready = False
        self._used_at = 0.0

    @property
    def pid(self) -> int | None:
        """The process's id while there is one."""
        return None if self._process is None else self._process.pid

    def start(self, job: Job) -> None:
        """Begin a job, in the process that is there or a new one. Raises OSError."""
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            self._open()
        self._used_at = self._monotonic()
        self._tell(job)

    def answers(self, wait_s: float) -> list[Answer]:
        """Give what was said since; wait up to ``wait_s`` for the first. Raises `HandsDied`."""
        found: list[Answer] = []
        with suppress(queue.Empty):
            while True:
                said = (
                    self._said.get(timeout=0 if found else wait_s)
                    if wait_s
                    else self._said.get_nowait()
                )
                if said is None:
                    return found or self._dead()
                if isinstance(said, Ready):
                    self._ready = True
                else:
                    found.append(said)
        if found:
            self._used_at = self._monotonic()
        return found

    def rest(self) -> None:
        """End the process if it has had nothing to do for a while."""
        if self._process is not None and self._monotonic() - self._used_at >= self._idle_s:
            self.close()

    def close(self) -> None:
        """End the process, whatever it does, and wait for it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with process:
                pass

    def _open(self) -> None:
        self._said, self._ready = queue.SimpleQueue(), False
        self._process = subprocess.Popen(
            [*self._command, "--parent", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # no session of its own: decision 0043
        )
        threading.Thread(
            target=_listen, args=(self._process, self._said), name="distiller-answers", daemon=True
        ).start()
        self._tell(Begin(settings=self._settings))

    def _tell(self, message: Begin | Job) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # that it has died is said with its answers
            self._process.stdin.write(encode(message))
            self._process.stdin.flush()

    def _dead(self) -> list[Answer]:
        code = None if self._process is None else self._process.wait()
        working = self._ready
        self.close()
        raise HandsDied(code, working=working)


def _listen(process: subprocess.Popen[bytes], said: queue.SimpleQueue[Answer | None]) -> None:
    assert process.stdout is not None
    with suppress(ValueError, OSError):  # closed under it
        for line in process.stdout:
            said.put(answer(line))
    said.put(None)
