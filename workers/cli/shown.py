"""Waiting until the views show what was stored."""

from __future__ import annotations

import time
from typing import Final

from memoryweave.client import Client
from memoryweave.contract import Health
from workers.cli.failure import Failure

_WITHIN_S: Final = 600.0
_EVERY_S: Final = 0.2


def wait_until_shown(client: Client, position: int) -> None:
    """Return when every view has come to ``position`` and no row lacks its vector.

    Raises `Failure` when a view makes no progress for ten minutes.
    """
    patience = time.monotonic() + _WITHIN_S
    best: tuple[int, int] | None = None
    while True:
        health = client.health()
        if _is_shown(health, position):
            return
        progress = (
            sum(view.position for view in health.views.values()),
            -sum(view.missing_vectors for view in health.views.values()),
        )
        if best is None or progress > best:
            best, patience = progress, time.monotonic() + _WITHIN_S
        if time.monotonic() > patience:
            raise Failure(f"the views do not come to position {position}: see `memoryweave status`")
        time.sleep(_EVERY_S)


def _is_shown(health: Health, position: int) -> bool:
    return all(
        view.position >= position and view.missing_vectors == 0 for view in health.views.values()
    )
