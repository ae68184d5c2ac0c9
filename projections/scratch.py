"""A generation that never goes live: a folder beside a view's generations, for one process at once.

It holds opened texts, so it goes when its process is done; what a killed process leaves goes with
the next look of whoever writes the view, or of whoever makes the next one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_FOLDER: Final = "replay"
_LOCK: Final = "replay.lock"


class ScratchInUse(Exception):
    """Another process has this view's scratch folder."""

    def __init__(self, view: Path) -> None:
        super().__init__(f"another process is replaying into the {view.name} view: wait for it")


@contextmanager
def scratch_of(view: Path) -> Iterator[Path]:
    """Give an empty folder of mode 700 until the block ends. Raises `ScratchInUse`, `OSError`."""
    view.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(view) as is_ours:
        if not is_ours:
            raise ScratchInUse(view)
        folder = view / _FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)


def has_scratch(view: Path) -> bool:
    """Tell whether there is a scratch folder, in use or left behind."""
    return (view / _FOLDER).exists()


def remove_left_scratch(view: Path) -> None:
    """Remove what a killed process left; one that is in use stays."""
    if not (view / _FOLDER).exists():
        return
    with _locked(view) as is_ours:
        if is_ours:
            shutil.rmtree(view / _FOLDER, ignore_errors=True)  # the rest goes at the next look


@contextmanager
def _locked(view: Path) -> Iterator[bool]:
    lock = os.open(view / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(lock)
