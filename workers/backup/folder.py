"""A folder of backups: the names in it, who may change it, and what a killed run left there.

``backup-<UTC>.tar.zst`` is a backup, ``backup-<UTC>.keys.zst`` its part with the keys. A backup is
there when the first of the two has its name: the keys get theirs before. What ends in ``.new`` is
being written, or was when its writer was killed.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

SUFFIX: Final = ".tar.zst"
KEYS_SUFFIX: Final = ".keys.zst"
NEW: Final = ".new"

_STAMP: Final = "%Y%m%dT%H%M%SZ"
_NAME: Final = re.compile(
    rf"backup-(\d{{8}}T\d{{6}}Z)({re.escape(SUFFIX)}|{re.escape(KEYS_SUFFIX)})"
)
_MAKING: Final = "making.lock"
_KEYS: Final = "keys.lock"


class BackupBusy(Exception):
    """Another process makes a backup in this folder."""


class KeptBackup(Struct, frozen=True):
    """One backup of a folder. ``made_at`` is UTC, to the second; ``keys`` may be missing."""

    made_at: datetime
    path: Path

    @property
    def keys(self) -> Path:
        """Where its keys part lies, if nobody took it elsewhere."""
        return keys_of(self.path)


def keys_of(backup: Path) -> Path:
    """Name the keys part that was written beside a backup."""
    return backup.with_name(backup.name.removesuffix(SUFFIX) + KEYS_SUFFIX)


def backups_in(folder: Path) -> list[KeptBackup]:
    """Give the complete backups of a folder, the oldest first; [] where there is none.

    Raises OSError for a folder that cannot be read.
    """
    found = (
        KeptBackup(_moment(match[1]), folder / match[0])
        for match in _names_in(folder)
        if match[2] == SUFFIX
    )
    return sorted(found, key=lambda backup: backup.made_at)


def free_name(folder: Path, now: datetime) -> Path:
    """Name a backup that is made now; a second later where that name is taken."""
    moment = now.astimezone(UTC)
    while (path := folder / f"backup-{moment.strftime(_STAMP)}{SUFFIX}").exists():
        moment += timedelta(seconds=1)
    return path


def remove_leftovers(folder: Path) -> list[str]:
    """Remove what a killed run left; give the names. The caller holds the lock `making`.

    A part with keys whose backup never got its name goes, too.
    """
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    left = {name for name in names if name.startswith("backup-") and name.endswith(NEW)}
    left |= {
        match[0]
        for match in _names_in(folder)
        if match[2] == KEYS_SUFFIX and f"backup-{match[1]}{SUFFIX}" not in names
    }
    for name in left:
        (folder / name).unlink(missing_ok=True)
    return sorted(left)


@contextmanager
def making(folder: Path) -> Iterator[None]:
    """Be the only one that makes a backup in this folder. Raises `BackupBusy`, OSError."""
    with _locked(folder, _MAKING, fcntl.LOCK_EX | fcntl.LOCK_NB):
        yield


@contextmanager
def changing_keys(folder: Path) -> Iterator[None]:
    """Be the only one that writes keys parts in this folder; waits. Raises OSError."""
    with _locked(folder, _KEYS, fcntl.LOCK_EX):
        yield


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write a file of mode 600 that has its name only when it is whole and on the disk."""
    new = path.with_name(path.name + NEW)
    try:
        with os.fdopen(os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:
            os.fchmod(file.fileno(), 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.rename(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def _locked(folder: Path, name: str, how: int) -> Iterator[None]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, how)
    except BlockingIOError as error:
        os.close(file)
        raise BackupBusy(f"another process makes a backup in {folder}: wait for it") from error
    try:
        yield
    finally:
        os.close(file)


def _names_in(folder: Path) -> Iterator[re.Match[str]]:
    if folder.is_dir():
        for path in folder.iterdir():
            if match := _NAME.fullmatch(path.name):
                yield match


def _moment(stamp: str) -> datetime:
    return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
