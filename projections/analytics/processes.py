"""The processes in which people's SQL is answered: one a question, and one that waits for the next.

Starting one takes longer than most questions do. So whoever answers many keeps a spare that has
loaded DuckDB and waits, bounded already as far as can be before its question is known. It answers
one question like any other, and ends; nothing of one question is there for the next.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import IO, Final

from projections.analytics.sandbox import READY

SPARE_FOR_S: Final = 60.0
"""A spare that nobody has asked for so long ends, and gives its memory back."""

Process = subprocess.Popen[bytes]


def start_process() -> Process:
    """Start a process that answers one question."""
    return subprocess.Popen(
        # Isolated: no variable, no folder of the caller's decides what is imported.
        [sys.executable, "-I", "-m", "projections.analytics.sandbox"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
    )


class SpareProcess:
    """Gives processes, and after the first keeps one ready for the next question. Thread-safe."""

    def __init__(self, spare_for_s: float = SPARE_FOR_S) -> None:
        self._spare_for_s = spare_for_s
        self._lock = threading.Lock()
        self._spare: Process | None = None
        self._timer: threading.Timer | None = None
        self._closed = False

    def take(self) -> Process:
        """Give a process for one question, the spare if there is one that lives."""
        with self._lock:
            taken, self._spare = self._spare, None
        if taken is not None and taken.poll() is None:
            return taken
        if taken is not None:
            end(taken)
        return start_process()

    def replace(self) -> None:
        """Start a spare for the next question, when this one has been answered."""
        with self._lock:
            if self._closed:
                return
            self._spare = self._spare or start_process()
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._spare_for_s, self.drop)
            self._timer.daemon = True
            self._timer.start()

    def await_ready(self) -> None:
        """Wait until the spare, if there is one, has loaded all it needs."""
        with self._lock:
            if self._spare is not None:
                stream: IO[bytes] | None = self._spare.stdout
                assert stream is not None
                # Seen, not taken: whoever asks reads it again.
                stream.peek(1)  # type: ignore[attr-defined]  # it is buffered

    def drop(self) -> None:
        """End the spare."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            dropped, self._spare = self._spare, None
        if dropped is not None:
            end(dropped)

    def close(self) -> None:
        """End the spare and keep none any more."""
        with self._lock:
            self._closed = True
        self.drop()


def end(process: Process) -> None:
    """End a process, whatever it does, and wait for it."""
    process.kill()
    with process:
        pass


def answer_of(process: Process, question: bytes, seconds: float) -> tuple[int, bytes, bytes]:
    """Ask; give exit code, answer and what it said of its own failure.

    Raises subprocess.TimeoutExpired after ``seconds``; the process is ended then.
    """
    with process:
        try:
            output, errors = process.communicate(question, timeout=seconds)
        except BaseException:
            process.kill()
            raise
    return process.returncode, output.removeprefix(READY), errors
