"""The private directory of a node's sockets: short, because a socket path holds 107 bytes."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

LONGEST_SOCKET_PATH: Final = 107
_LONGEST_SOCKET_NAME: Final = "volatile.sock"


class RunDirectoryRefused(Exception):
    """No directory is short and private enough for sockets; the message says what to do."""


def run_directory(data: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Make, if need be, the run directory that belongs to a data directory.

    It lies under ``XDG_RUNTIME_DIR``, or else the system's directory for temporary files, and
    only its owner may enter it. Raises `RunDirectoryRefused`.
    """
    name = f"memoryweave-{os.getuid()}-{_digest(data)}"
    refusals = []
    for root in _roots(environment):
        path = root / name
        length = len(os.fsencode(path / _LONGEST_SOCKET_NAME))
        if length > LONGEST_SOCKET_PATH:
            refusals.append(f"{root}: a socket path would have {length} bytes")
            continue
        try:
            path.mkdir(mode=0o700, exist_ok=True)
            _require_private(path)
        except OSError as error:
            refusals.append(f"{root}: {error}")
            continue
        return path
    raise RunDirectoryRefused(
        "no directory for sockets ("
        + "; ".join(refusals)
        + f"): set XDG_RUNTIME_DIR to one of your own with a short path, at most "
        f"{LONGEST_SOCKET_PATH} bytes with the socket's name"
    )


def _roots(environment: Mapping[str, str]) -> list[Path]:
    named = environment.get("XDG_RUNTIME_DIR")
    return [*([Path(named)] if named else []), Path(tempfile.gettempdir())]


def _digest(data: Path) -> str:
    return hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:12]


def _require_private(path: Path) -> None:
    # A shared parent lets others put a link or a directory of theirs under our name.
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise PermissionError(f"{path} is not a directory of this user")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise PermissionError(f"{path} may be entered by others: chmod 700 it")
