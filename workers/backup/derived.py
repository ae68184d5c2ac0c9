"""What a backup holds beside the log: vectors, which cost time to make again, and the carriers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workers.archive import archive_location
from workers.backup.folder import replacing
from workers.settings import Settings

VECTORS = "vectors"
CARRIERS = "carriers"


def derived_files(settings: Settings, *, vectors: bool) -> Iterator[tuple[str, bytes]]:
    """Give name and content of every such file that the node has. Raises OSError."""
    location = archive_location(settings)
    if vectors and "://" not in location:
        yield from _files(Path(location) / VECTORS, VECTORS)
    yield from _files(settings.data / CARRIERS, CARRIERS)


def keep_derived_file(settings: Settings, name: str, data: bytes) -> None:
    """Put such a file where a node has it. Raises ValueError for a name that leads elsewhere."""
    kind, _, rest = name.partition("/")
    location = archive_location(settings)
    if kind == VECTORS and "://" in location:
        return
    root = Path(location) / VECTORS if kind == VECTORS else settings.data / CARRIERS
    path = root / rest
    if kind not in (VECTORS, CARRIERS) or ".." in path.relative_to(root).parts:
        raise ValueError(f"{name!r} is no name of a file in a backup")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(data)


def _files(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(".new"):
            yield f"{name}/{path.relative_to(folder).as_posix()}", path.read_bytes()
