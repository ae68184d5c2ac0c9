"""A small disk of one's own that can be filled: a tmpfs, where mounting one is permitted."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PIECE = 64 * 1024


class SmallDisk:
    """A disk mounted at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    @property
    def free(self) -> int:
        """Bytes that can still be written."""
        found = os.statvfs(self.path)
        return found.f_bavail * found.f_frsize

    def fill(self, left: int = 0) -> None:
        """Leave room for about ``left`` bytes."""
        with self._ballast.open("ab", buffering=0) as file:
            while (size := min(_PIECE, self.free - left)) > 0:
                try:
                    file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    return

    def make_room(self) -> None:
        """Give back what `fill` took."""
        self._ballast.unlink()


@contextmanager
def small_disk(path: Path, megabytes: int) -> Iterator[SmallDisk]:
    """Mount a disk of that size at ``path``; skips, saying so, where that is not permitted."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", str(path)],
        check=False,
        capture_output=True,
        text=True,
    )
    if mounted.returncode:
        pytest.skip(f"NOT RUN: a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        # Lazily: whoever was killed may hold a file for a moment longer.
        subprocess.run(["umount", "--lazy", str(path)], check=True)
