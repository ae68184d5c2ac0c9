"""How a child process lives: until it is told to stop, or its parent is gone."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_WATCH_S: Final = 0.5


def stop_on_signals() -> threading.Event:
    """Give an event that SIGINT, SIGTERM and SIGHUP set (main thread only)."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    return stop


def die_with_parent(parent: int | None) -> None:
    """Get SIGTERM when process ``parent``, which started this one, dies (None: nothing is done).

    The kernel does it on Linux; a thread looks as well, because other systems do not, and because
    the kernel sends nothing when the parent was dead before it was asked.
    """
    if parent is None:
        return
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    threading.Thread(target=_watch, args=(parent,), name="parent-watch", daemon=True).start()


def _watch(parent: int) -> None:
    waiting = threading.Event()
    while os.getppid() == parent:
        waiting.wait(_WATCH_S)
    os.kill(os.getpid(), signal.SIGTERM)
