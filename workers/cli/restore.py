"""`memoryweave restore`: a node, made of a backup, in a new directory."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from workers.backup.container import BackupDamaged
from workers.backup.keys_part import KeysPartDamaged
from workers.backup.rebuilding import Progress
from workers.backup.restoring import Restored, RestoreRefused, RestoreRequest, restore_backup
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure, start_failures
from workers.cli.output import columns, show


def run(arguments: argparse.Namespace) -> None:
    """Restore. Raises `Failure`; nothing was written then, or it was taken away again."""
    request = RestoreRequest(
        backup=arguments.backup,
        flags=settings_flags(arguments),
        environment=os.environ,
        keys=arguments.keys,
        without_keys=arguments.without_keys,
    )
    try:
        with start_failures():
            restored = restore_backup(
                request, now=datetime.now(UTC), randomness=os.urandom, progress=_progress()
            )
    except (BackupDamaged, KeysPartDamaged, RestoreRefused, OSError) as error:
        raise Failure(str(error)) from error
    show(arguments, restored, _lines)


def _progress() -> Progress:
    """Say on a terminal how far each part has come."""
    last = ""

    def say(part: str, done: int, of: int) -> None:
        nonlocal last
        if sys.stderr.isatty():
            end = "\n" if last not in ("", part) else ""
            print(
                f"{end}\r\033[K{part}: {done} of {of or '?'}", end="", file=sys.stderr, flush=True
            )
        last = part

    return say


def _lines(restored: Restored) -> Iterable[str]:
    yield (
        f"{restored.data} holds log {restored.log!r} up to position {restored.position}, as it was "
        f"at {restored.made_at:%Y-%m-%d %H:%M:%S} UTC"
    )
    yield f"epoch {restored.epoch}, which goes on from {restored.parent}"
    if restored.keys is None:
        kinds = _by_kind(restored.sealed)
        yield f"without a keys part these events' texts can never be opened: {kinds}"
    else:
        yield f"{restored.keys} keys"
    if restored.erased:
        yield (
            f"events whose texts were erased since: {_by_kind(restored.erased)}; what they speak "
            "of is listed still, as [erased], until it is erased here too"
        )
    yield f"compare with `memoryweave digest` of a node at position {restored.position}:"
    rows: list[tuple[object, ...]] = [("view", "position", "rows", "parked", "sha256")]
    rows += [(d.view, d.position, d.rows, len(d.parked), d.sha256) for d in restored.digests]
    yield from columns(rows)
    yield f"start it with `memoryweave up --data {restored.data}`"


def _by_kind(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} of {kind}" for kind, count in sorted(counts.items())) or "none"
