"""The kinds of places in which an archive may lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyarrow.fs import FileSystem, LocalFileSystem, SubTreeFileSystem

from eventlog.archive.place import Folder, Place, Remote, open_place

PLACES: dict[str, Callable[[Path], Place]] = {
    "a folder": Folder,
    "a file URI": lambda path: open_place(f"file://{path}"),
    "a subtree": lambda path: Remote(SubTreeFileSystem(str(path), LocalFileSystem()), "kept"),
    "memory": lambda path: Remote(FileSystem.from_uri("mock:///")[0], "archive"),
}
