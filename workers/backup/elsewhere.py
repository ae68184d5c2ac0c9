"""The backups that were made into other folders: an erase has to reach their keys, too."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from workers.backup.folder import replacing

_NAME: Final = "elsewhere.json"


def keys_parts_elsewhere(folder: Path) -> list[Path]:
    """Give the keys parts that were written outside ``folder``, the node's own folder of backups.

    Raises OSError, also for a list that cannot be read.
    """
    try:
        text = (folder / _NAME).read_bytes()
    except FileNotFoundError:
        return []
    try:
        return [Path(line) for line in msgspec.json.decode(text, type=list[str])]
    except msgspec.MsgspecError as error:
        raise OSError(f"{_NAME} cannot be read: {error}") from error


def remember_elsewhere(folder: Path, keys_part: Path) -> None:
    """Note a keys part that is about to be written outside ``folder``. Raises OSError."""
    _write(folder, sorted({*keys_parts_elsewhere(folder), keys_part}))


def forget_elsewhere(folder: Path, keys_part: Path) -> None:
    """Take a keys part off the list that was not written after all. Raises OSError."""
    _write(folder, [path for path in keys_parts_elsewhere(folder) if path != keys_part])


def _write(folder: Path, paths: list[Path]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(folder / _NAME) as file:
        file.write(msgspec.json.encode([str(path) for path in paths]))
