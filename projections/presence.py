"""Whether files are still the ones that were opened: a removed file can be written for ever."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

Identity: TypeAlias = tuple[int, int]
"""Device and inode: the same as long as a file or folder was neither removed nor replaced."""


class ViewRemoved(Exception):
    """The files of a view were removed or replaced while this process wrote it."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{'/'.join(path.parts[-3:])} was removed while it was written")
        self.path = path


class Presence:
    """Remembers what some files and folders are. `check` raises once one is not there any more.

    Folders are held open, so that no other can get the identity of one that was removed; files are
    held open by who writes them. Close it.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        """Look at the paths now. Raises `ViewRemoved` if one is not there."""
        self._known: dict[Path, Identity | None] = {}
        self._held: list[int] = []
        try:
            for path in paths:
                if path.is_dir():
                    self._held.append(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
                self._known[path] = identity_of(path)
            self.check()
        except FileNotFoundError as error:
            self.close()
            raise ViewRemoved(path) from error
        except BaseException:
            self.close()
            raise

    def check(self) -> None:
        """Raise `ViewRemoved` for the first path that is not what it was."""
        for path, known in self._known.items():
            if known is None or identity_of(path) != known:
                raise ViewRemoved(path)

    def close(self) -> None:
        """Let the folders go."""
        while self._held:
            os.close(self._held.pop())


def identity_of(path: Path) -> Identity | None:
    """Give what a file or folder is, None where there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino
