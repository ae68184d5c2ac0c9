"""Which files are the view: one small JSON file, replaced by rename.

A file that the manifest does not name is no part of the view, whatever is in it: it is of a step
that was never finished, or of one that a later step replaced. So files and checkpoint change
together, and a reader that has read the manifest once has one position of the log.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from eventlog.subscription import Checkpoint

NAME: Final = "manifest.json"
FORMAT: Final = 1


class DataFile(Struct, frozen=True, kw_only=True):
    """One Parquet file: ``path`` relative to the generation's folder, ``day`` as ``2026-03-01``.

    ``day`` is empty for the tail, whose events are of any day. ``first`` and ``last`` are positions
    between which its ``rows`` lie; a file of a day need not hold all of them.
    """

    path: str
    day: str
    first: int
    last: int
    rows: int
    bytes: int


class Retired(Struct, frozen=True, kw_only=True):
    """A file that is no part of the view any more, kept for those who still read it.

    ``at`` counts seconds since 1970.
    """

    path: str
    at: float


class Manifest(Struct, frozen=True, kw_only=True):
    """The view at one position. ``next_number`` names the next file; the last file is the tail.

    ``erased`` is the position of the newest erasure in it.
    """

    format: int = FORMAT
    schema: int
    checkpoint: Checkpoint
    next_number: int
    files: list[DataFile]
    retired: list[Retired] = []
    erased: int = 0


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a generation's folder.

    Raises `FileNotFoundError` where no view was begun, `msgspec.DecodeError` for a damaged file.
    """
    return msgspec.json.decode((folder / NAME).read_bytes(), type=Manifest)


def commit_manifest(folder: Path, manifest: Manifest) -> None:
    """Make ``manifest`` the one in force, durably and at once for every reader."""
    new = folder / f"{NAME}.new"
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(msgspec.json.encode(manifest))
        file.flush()
        os.fsync(file.fileno())
    new.rename(folder / NAME)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make what was renamed or created in a folder durable."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
