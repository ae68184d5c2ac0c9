"""Whether a node may serve: its views follow its log, and the log is the one it has followed.

Where they are not, nothing is answered from the views and nothing is stored until somebody has
decided which history is right (docs/backup.md). What the views' writers say is in their status
files; at the start nobody has written there yet, so what the guard found counts until the log is
well again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from domain.errors import MemoryWeaveError
from eventlog.outcomes import LogFork
from projections.status import read_status
from workers.log_server import decision, epoch_seen, look_at_history
from workers.settings import SettingError, Settings

FORKED: Final = LogFork.name
WHAT_TO_DO: Final = (
    "restore the log from a backup (`memoryweave restore`), or decide that it is right as it is: "
    "`memoryweave init --new-epoch`, after which every view is built anew"
)
_LOOK_EVERY_S: Final = 0.5
_ASK_EVERY_S: Final = 1.0


class Standing:
    """Looks now and then; thread-safe. ``fork`` is why the guard refused at the start, "" if not.

    ``follow`` is told the epoch to append to, and the decision (`workers.log_server.decision`)
    that it rests on.
    """

    def __init__(self, settings: Settings, fork: str, follow: Callable[[str, str], None]) -> None:
        self._settings = settings
        self._fork = fork
        self._follow = follow
        self._lock = threading.Lock()
        self._refusal = ""
        self._next = float("-inf")
        self._closed = threading.Event()
        if fork:
            threading.Thread(target=self._ask_again, name="standing", daemon=True).start()

    def refusal(self) -> str:
        """Say why nothing is served or stored, and what to do; "" where all is well."""
        now = time.monotonic()
        with self._lock:
            if now >= self._next:
                self._next = now + _LOOK_EVERY_S
                self._refusal = self._look()
            return self._refusal

    def close(self) -> None:
        """Look no more."""
        self._closed.set()

    def _look(self) -> str:
        epoch = epoch_seen(self._settings.data)
        if epoch:
            self._follow(epoch, decision(self._settings.data))
        reason = self._fork or self._forked_view()
        return f"{reason}; {WHAT_TO_DO}" if reason else ""

    def _forked_view(self) -> str:
        for view in sorted((self._settings.data / "views").glob("*")):
            try:
                status = read_status(view)
            except (OSError, ValueError):
                continue  # nobody can say; the view's health does
            if status is not None and status.problem == FORKED:
                return f"view {view.name}: {status.reason.removeprefix('LogFork: ')}"
        return ""

    def _ask_again(self) -> None:
        while not self._closed.wait(_ASK_EVERY_S):
            try:
                look_at_history(self._settings)
            except (MemoryWeaveError, SettingError, OSError) as error:
                if isinstance(error, LogFork):
                    self._fork = str(error)
            else:
                self._fork = ""
                return
