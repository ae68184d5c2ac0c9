"""`memoryweave digest`: what each view says, as one number: equal on every node that is right."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Final

from memoryweave.contract import DigestList
from workers.cli.output import columns, show
from workers.cli.service import service

_PATIENCE_S: Final = 120.0


def run(arguments: argparse.Namespace) -> None:
    """Print the digests."""
    with service(arguments, _PATIENCE_S) as client:
        digests = client.digest()
    show(arguments, digests, _lines)


def _lines(digests: DigestList) -> Iterable[str]:
    rows: list[tuple[object, ...]] = [("view", "position", "rows", "parked", "sha256")]
    rows += [
        (item.view, item.position, item.rows, len(item.parked), item.sha256)
        for item in digests.items
    ]
    yield from columns(rows)
