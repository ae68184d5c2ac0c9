"""`memoryweave backup`: one now, by hand, of the node whose data directory this is."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

from domain.errors import MemoryWeaveError
from workers.backup.making import BackupMade, make_backup
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.cli.output import show
from workers.settings import resolve


def run(arguments: argparse.Namespace) -> None:
    """Make a backup; the service may run meanwhile. Raises `Failure`."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    try:
        made = make_backup(settings, to=arguments.to, vectors=arguments.vectors, said=_said)
    except MemoryWeaveError as error:
        raise Failure(str(error)) from error
    show(arguments, made, _lines)


def _said(step: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{step}", end="\n" if step == "named" else "", file=sys.stderr, flush=True)


def _lines(made: BackupMade) -> Iterable[str]:
    yield f"{made.path}: positions 1 to {made.position}, {made.size:,} bytes, read back"
    yield f"{made.keys_path}: {made.keys} keys (mode 600): without it no text can be opened"
    for name in made.removed:
        yield f"removed {name}"
