"""What a backup holds beside the log: vectors, which cost time to make again, and the carriers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from eventlog.archive.place import Place
from workers.backup.container import BackupDamaged
from workers.backup.folder import replacing
from workers.settings import Settings

VECTORS: Final = "vectors"
CARRIERS: Final = "carriers"


def derived_files(
    settings: Settings, archive: Place, *, vectors: bool
) -> Iterator[tuple[str, bytes]]:
    """Give name and content of every such file that the node has. Raises OSError.

    One that is taken away meanwhile is passed over: an erase has rewritten it.
    """
    if vectors:
        models = archive.within(VECTORS)
        for model in models.folders():
            place = models.within(model)
            for name in place.names():
                try:
                    yield f"{VECTORS}/{model}/{name}", place.read(name)
                except FileNotFoundError:
                    continue
    root = settings.data / CARRIERS
    for path in sorted(root.rglob("*")) if root.is_dir() else ():
        if path.is_file():
            try:
                yield f"{CARRIERS}/{path.relative_to(root).as_posix()}", path.read_bytes()
            except FileNotFoundError:
                continue


def keep_derived_file(settings: Settings, archive: Place, name: str, data: bytes) -> None:
    """Put such a file where a node has it. Raises `BackupDamaged` for a name that leads elsewhere.

    Raises OSError.
    """
    kind, *parts = name.split("/")
    if not parts or {"", ".", ".."} & set(parts):
        raise BackupDamaged(f"{name!r} is no name of a file in a backup")
    match kind, parts:
        case "vectors", [model, file]:
            archive.within(VECTORS).within(model).write(file, data)
        case "carriers", _:
            path = Path(settings.data, CARRIERS, *parts)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(path) as carrier:
                carrier.write(data)
        case _:
            raise BackupDamaged(f"{name!r} is no name of a file in a backup")
