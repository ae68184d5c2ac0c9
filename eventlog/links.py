"""What this node has read, event by event, so that nobody here reads it differently later.

A file with the first eight bytes of the chain at each position, for one epoch of the log. Every
reader of the node compares with it and adds to it, so a changed event is found at its position,
and before it is passed on, by whoever reads it the second time: another view, a rebuild, `verify`.
Eight bytes name the place; the checkpoints and the manifest carry the whole digest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

WIDTH: Final = 8
_UNKNOWN: Final = bytes(WIDTH)


class LinkRecord:
    """The record in a folder. Safe for several threads and processes: all write the same values."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def compare(self, epoch: str, first: int, chains: Sequence[bytes]) -> int | None:
        """Give the index of the first chain that is not the recorded one, None if all agree.

        ``chains`` are those at ``first`` and the positions after it.
        """
        recorded = self.recorded(epoch, first, len(chains))
        for index, (known, chain) in enumerate(zip(recorded, chains, strict=False)):
            if known not in (_UNKNOWN, chain[:WIDTH]):
                return index
        return None

    def add(self, epoch: str, first: int, chains: Sequence[bytes]) -> None:
        """Record the chains at ``first`` and after. Raises OSError."""
        data = b"".join(chain[:WIDTH] for chain in chains)
        file = os.open(self._file(epoch, make=True), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            # Not fsynced: what a power cut takes is unknown again, and recorded by the next reader.
            os.pwrite(file, data, WIDTH * (first - 1))
        finally:
            os.close(file)

    def recorded(self, epoch: str, first: int, count: int) -> list[bytes]:
        """Give what is recorded from ``first`` on; zeros where nothing is, [] after the end."""
        try:
            file = os.open(self._file(epoch), os.O_RDONLY)
        except FileNotFoundError:
            return []
        try:
            data = os.pread(file, WIDTH * count, WIDTH * (first - 1))
        finally:
            os.close(file)
        return [data[at : at + WIDTH] for at in range(0, len(data) - WIDTH + 1, WIDTH)]

    def forget(self, epoch: str) -> None:
        """Forget what was read: an operator has decided that the log is right as it is now."""
        self._file(epoch).unlink(missing_ok=True)

    def _file(self, epoch: str, *, make: bool = False) -> Path:
        if make:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder / f"{epoch}.links"
