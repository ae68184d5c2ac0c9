"""Whether what was erased is out of a view's files, and not only out of its rows.

``views/<view>/<generation>/purged.json`` says up to which position of the log every erasure has
been taken out of the generation's files. Who erases waits for that in every generation: the live
one, one that is being built, and old ones, which go.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from projections.generation import current_generation, generations, replace_file
from projections.scratch import has_scratch

Progress = Literal["done", "more", "later"]
"""``more``: another step can be done at once; ``later``: something has to pass first."""

READERS_FOLLOW_WITHIN_S: Final = 3.0
"""Whoever reads a view has by then left what was replaced (they look every second)."""

_NAME: Final = "purged.json"


class _Note(Struct, frozen=True):
    position: int


def purged_up_to(folder: Path) -> int:
    """Give the position up to which a generation's files hold nothing erased, 0 if unknown."""
    with suppress(FileNotFoundError, msgspec.MsgspecError):
        return msgspec.json.decode((folder / _NAME).read_bytes(), type=_Note).position
    return 0


def note_purged(folder: Path, position: int) -> None:
    """Write down that everything erased up to ``position`` is out of a generation's files."""
    replace_file(folder / _NAME, msgspec.json.encode(_Note(position)))


def unpurged(view: Path, position: int) -> list[int]:
    """Give the generations whose files may hold what was erased up to ``position``."""
    return [number for number in generations(view) if purged_up_to(view / str(number)) < position]


def held_in(view: Path, position: int) -> list[str]:
    """Name the folders of a view whose files may hold what was erased up to ``position``."""
    folders = [str(number) for number in unpurged(view, position)]
    return [*folders, *(["replay"] if has_scratch(view) else [])]


def cleared_up_to(view: Path) -> int:
    """Give the position up to which no file of a view holds anything erased.

    0 while somebody folds a copy of it: nobody knows what is in there.
    """
    if has_scratch(view):
        return 0
    return min((purged_up_to(view / str(number)) for number in generations(view)), default=0)


def old_unpurged(view: Path, position: int, now: float) -> tuple[list[Path], bool]:
    """Give the folders of old generations that may hold what was erased up to ``position``.

    Also tells whether they may go already, or somebody may still be reading them. ``now`` is in
    seconds since 1970.
    """
    live = current_generation(view) or 0
    old = [view / str(number) for number in unpurged(view, position) if number < live]
    if not old:
        return [], True
    return old, now - (view / "CURRENT").stat().st_mtime > READERS_FOLLOW_WITHIN_S
