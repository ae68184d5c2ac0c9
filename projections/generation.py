"""A view's directory: one folder per generation, a pointer to the live one, one writer.

``views/<view>/CURRENT`` names the generation that readers use; it is replaced by rename, so it is
the old or the new one and never half of either. ``views/<view>/writer.lock`` is locked with
flock for as long as a process writes the view: the lock ends with the process, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

FIRST_GENERATION: Final = 1


class ViewLocked(Exception):
    """Another process writes this view."""

    def __init__(self, view: Path) -> None:
        super().__init__(
            f"view {view.name} is being written by another process; "
            "stop that one first (one projection worker per data directory)"
        )


class ViewDirectory:
    """The writer's hold on a view's directory. Close it to let another process write."""

    def __init__(self, path: Path) -> None:
        """Lock ``path`` for writing, creating it with mode 700 if needed. Raises `ViewLocked`."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self._lock = os.open(path / "writer.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise ViewLocked(path) from error
        self.generation = current_generation(path) or FIRST_GENERATION
        self.live.mkdir(mode=0o700, exist_ok=True)
        if current_generation(path) is None:
            point_at(path, self.generation)

    @property
    def live(self) -> Path:
        """The folder of the generation that is written."""
        return self.path / str(self.generation)

    def close(self) -> None:
        """Give the directory up."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def current_generation(path: Path) -> int | None:
    """Give the live generation's number, or None where no view was ever begun."""
    with suppress(FileNotFoundError):
        return int((path / "CURRENT").read_text())
    return None


def point_at(path: Path, generation: int) -> None:
    """Make ``generation`` the live one, durably and at once for every reader."""
    new = path / "CURRENT.new"
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"{generation}\n")
        file.flush()
        os.fsync(file.fileno())
    new.rename(path / "CURRENT")
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
