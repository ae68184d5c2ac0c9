"""A view's directory: one folder per generation, a pointer to the live one, one writer.

``views/<view>/<generation>/generation.json`` says what built it: another program or another
embedder asks for another generation (decision 0016).

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

import msgspec
from msgspec import Struct

from projections.presence import identity_of

FIRST_GENERATION: Final = 1

_BUILT_BY: Final = "generation.json"
_CURRENT: Final = "CURRENT"
_LONGEST_NUMBER: Final = 32
REQUEST: Final = "build.request"
"""The file that names the generation that is to be built (`projections.build_request`)."""
_LOCK: Final = "writer.lock"


class BuiltBy(Struct, frozen=True, kw_only=True):
    """What built a generation.

    ``projector`` is the version of the rules, ``schema`` that of the stored tables; ``embedder``
    and ``dimension`` those of its vectors, empty and 0 for a view without.
    """

    projector: int = 1
    schema: int = 1
    embedder: str = ""
    dimension: int = 0

    @property
    def model(self) -> str:
        """The embedder with its dimension, as one word."""
        return f"{self.embedder}/{self.dimension}"


class _Numbered(Struct, frozen=True):
    generation: int


class ViewLocked(Exception):
    """Another process writes this view."""

    def __init__(self, view: Path) -> None:
        super().__init__(
            f"view {view.name} is being written by another process; "
            "stop that one first (one projection worker per data directory)"
        )


class ViewDirectory:
    """The writer's hold on a view's directory. Close it to let another process write.

    ``generation`` is 0 while none is live: after the live one's files were removed.
    """

    def __init__(self, path: Path) -> None:
        """Lock ``path`` for writing, creating it with mode 700 if needed. Raises `ViewLocked`."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self._lock = _locked(path)
        try:
            self.generation = current_generation(path) or _left_live(path) or FIRST_GENERATION
            self.live.mkdir(mode=0o700, exist_ok=True)
            if current_generation(path) is None:
                point_at(path, self.generation)
        except BaseException:
            self.close()  # whoever tries again in this process must not find it locked
            raise

    @property
    def live(self) -> Path:
        """The folder of the generation that is written."""
        return self.path / str(self.generation)

    def begin(self, generation: int) -> Path:
        """Give the folder of a generation that is to be built, as far as it has come."""
        folder = self.path / str(generation)
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def keep_hold(self) -> None:
        """Make the directory, its lock and its pointer again where somebody has removed them.

        Raises `ViewLocked` if another process was quicker, and OSError.
        """
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        self.path.mkdir(mode=0o700, exist_ok=True)
        held = os.fstat(self._lock)
        if identity_of(self.path / _LOCK) != (held.st_dev, held.st_ino):
            lock = _locked(self.path)
            os.close(self._lock)
            self._lock = lock
        if self.generation and current_generation(self.path) is None:
            point_at(self.path, self.generation)

    def give_up_live(self) -> None:
        """Let no generation be the live one, because its files were removed. Raises as above."""
        (self.path / _CURRENT).unlink(missing_ok=True)
        self.generation = 0
        self.keep_hold()

    def switch_to(self, generation: int) -> None:
        """Make a finished generation the live one, whose files the caller brought to the disk."""
        point_at(self.path, generation)
        self.generation = generation

    def close(self) -> None:
        """Give the directory up."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def current_generation(path: Path) -> int | None:
    """Give the live generation's number, or None where there is none, or no number to be read."""
    with suppress(FileNotFoundError, NotADirectoryError, ValueError):
        file = os.open(f"{path}/{_CURRENT}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return int(os.read(file, _LONGEST_NUMBER))
        finally:
            os.close(file)
    return None


def generations(path: Path) -> list[int]:
    """Give the numbers of the generations that have a folder, in order."""
    with suppress(FileNotFoundError):
        return sorted(int(entry.name) for entry in path.iterdir() if entry.name.isdecimal())
    return []


def built_by(folder: Path) -> BuiltBy | None:
    """Give what built the generation in ``folder``, None where nothing legible says so."""
    with suppress(FileNotFoundError, msgspec.DecodeError):
        return msgspec.json.decode((folder / _BUILT_BY).read_bytes(), type=BuiltBy)
    return None


def sign(folder: Path, builder: BuiltBy) -> None:
    """Write down what builds the generation in ``folder``."""
    replace_file(folder / _BUILT_BY, msgspec.json.encode(builder))


def removable(path: Path, kept: int | None, now: float, old_stay_s: float) -> list[Path]:
    """Give the folders of a view that nobody needs any more.

    ``kept`` is the generation that is being built. Generations newer than the live one were given
    up; older ones stay for ``old_stay_s`` seconds after the switch, for who still reads them.
    ``now`` is in seconds since 1970.
    """
    live = current_generation(path)
    if live is None:
        return []
    outlived = now - (path / _CURRENT).stat().st_mtime > old_stay_s
    return [
        path / str(number)
        for number in generations(path)
        if number not in (live, kept) and (number > live or outlived)
    ]


def point_at(path: Path, generation: int) -> None:
    """Make ``generation`` the live one, durably and at once for every reader."""
    replace_file(path / _CURRENT, f"{generation}\n".encode())


def replace_file(file: Path, content: bytes) -> None:
    """Write a file of mode 600 by rename, so that it is the old or the new one, durably."""
    new = file.with_name(f"{file.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
    new.rename(file)
    _sync(file.parent, os.O_RDONLY | os.O_DIRECTORY)


def sync_tree(folder: Path) -> None:
    """Bring every file below ``folder`` to the disk; one that vanishes meanwhile is passed over.

    Not for a folder with an SQLite file that this process has open: closing any other descriptor
    of such a file gives up the process's locks on it.
    """
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                _sync(Path(parent) / name, os.O_RDONLY)
        with suppress(FileNotFoundError):
            _sync(Path(parent), os.O_RDONLY | os.O_DIRECTORY)


def _left_live(path: Path) -> int | None:
    """Give the generation that was live where the pointer was lost: the newest, but for a build."""
    being_built = None
    with suppress(FileNotFoundError, msgspec.MsgspecError):
        being_built = msgspec.json.decode((path / REQUEST).read_bytes(), type=_Numbered).generation
    return max((number for number in generations(path) if number != being_built), default=None)


def _locked(path: Path) -> int:
    lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise ViewLocked(path) from error
    return lock


def _sync(path: Path, flags: int) -> None:
    opened = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
