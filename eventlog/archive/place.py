"""Where archives and backups lie: a folder, or whatever pyarrow's file systems speak.

A file is there whole or not at all, and durable when `Place.write` returns. In a folder that is a
new file, fsync, rename, fsync of the folder; object stores show a file only when it is complete.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, Protocol

_NEW: Final = ".new"


class Place(Protocol):
    """A flat set of named files. Names are plain, without ``/``. Places may lie within places."""

    def read(self, name: str) -> bytes:
        """Give a file's bytes. Raises `FileNotFoundError`, OSError."""

    def write(self, name: str, data: bytes) -> None:
        """Store a file, durably, replacing one that has the name. Raises OSError."""

    def delete(self, name: str) -> None:
        """Remove a file, if it is there."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep others who ask for the same out until the block ends. Raises OSError if one is in.

        An object store knows no such thing: there it keeps nobody out.
        """

    def names(self) -> list[str]:
        """Give the names of all files, sorted; [] where nothing was ever written."""

    def folders(self) -> list[str]:
        """Give the names of the places that lie within this one, sorted."""

    def within(self, name: str) -> Place:
        """Give the place of that name within this one, whether anything lies there or not."""


def open_place(location: str | Path) -> Place:
    """Give the place that a setting names: a path, or a URI (``s3://``, ``gs://``, ``file://``).

    Raises ValueError for a URI that pyarrow does not know.
    """
    if isinstance(location, Path) or "://" not in location:
        return Folder(Path(location))
    from pyarrow.fs import FileSystem

    filesystem, prefix = FileSystem.from_uri(location)
    return Remote(filesystem, prefix)


class Folder:
    """A folder of this machine, made with mode 700 when first written."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, name: str) -> bytes:
        """Give a file's bytes."""
        return (self._path / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Store a file: new file, fsync, rename, fsync of the folder."""
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = self._path / (name + _NEW)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.rename(self._path / name)
        folder = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def delete(self, name: str) -> None:
        """Remove a file."""
        (self._path / name).unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold a lock on the folder, which ends with the process at the latest."""
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        finally:
            os.close(folder)

    def names(self) -> list[str]:
        """Give the names of all complete files."""
        if not self._path.is_dir():
            return []
        files = (path for path in self._path.iterdir() if path.is_file())
        return sorted(path.name for path in files if not path.name.endswith(_NEW))

    def folders(self) -> list[str]:
        """Give the names of the folders in it."""
        if not self._path.is_dir():
            return []
        return sorted(path.name for path in self._path.iterdir() if path.is_dir())

    def within(self, name: str) -> Folder:
        """Give the folder of that name in it."""
        return Folder(self._path / name)


class Remote:
    """A prefix in a ``pyarrow.fs.FileSystem``."""

    def __init__(self, filesystem: Any, prefix: str) -> None:
        self._filesystem = filesystem
        self._prefix = prefix.rstrip("/")

    def read(self, name: str) -> bytes:
        """Give a file's bytes."""
        with self._filesystem.open_input_stream(self._at(name)) as stream:
            data: bytes = stream.read()
        return data

    def write(self, name: str, data: bytes) -> None:
        """Store a file beside the name, then move it there."""
        self._filesystem.create_dir(self._prefix, recursive=True)
        with self._filesystem.open_output_stream(self._at(name + _NEW)) as stream:
            stream.write(data)
        self._filesystem.move(self._at(name + _NEW), self._at(name))

    def delete(self, name: str) -> None:
        """Remove a file."""
        if name in self.names():
            self._filesystem.delete_file(self._at(name))

    def alone(self) -> AbstractContextManager[None]:
        """Keep nobody out."""
        return nullcontext()

    def names(self) -> list[str]:
        """Give the names of all complete files."""
        found = (info.base_name for info in self._look() if info.is_file)
        return sorted(name for name in found if not name.endswith(_NEW))

    def folders(self) -> list[str]:
        """Give the names of the prefixes below this one."""
        return sorted(info.base_name for info in self._look() if not info.is_file)

    def within(self, name: str) -> Remote:
        """Give the prefix of that name below this one."""
        return Remote(self._filesystem, self._at(name))

    def _look(self) -> list[Any]:
        from pyarrow.fs import FileSelector

        found: list[Any] = self._filesystem.get_file_info(
            FileSelector(self._prefix, allow_not_found=True)
        )
        return found

    def _at(self, name: str) -> str:
        return f"{self._prefix}/{name}"
