"""Waiting until the views show what was stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Final

from msgspec import structs

from memoryweave.client import Client
from memoryweave.contract import Health
from workers.cli.failure import Failure

_WITHIN_S: Final = 600.0
_EVERY_S: Final = 0.2
_TELL_EVERY_S: Final = 5.0


def wait_until_shown(
    client: Client,
    position: int,
    tell: Callable[[str], None] = lambda _: None,
    views: Collection[str] | None = None,
) -> None:
    """Return when every view has come to ``position`` and no row lacks its vector.

    ``views``: only these are waited for; what only audits read comes seconds later. ``tell`` hears
    every few seconds how much is left. Raises `Failure` when no view makes any progress for ten
    minutes.
    """
    patience = time.monotonic() + _WITHIN_S
    best: tuple[int, int] | None = None
    told = time.monotonic()
    while True:
        health = client.health()
        if views is not None:
            kept = {name: view for name, view in health.views.items() if name in views}
            health = structs.replace(health, views=kept)
        if _is_shown(health, position):
            return
        progress = (
            sum(view.position for view in health.views.values()),
            -sum(view.missing_vectors for view in health.views.values()),
        )
        if best is None or progress > best:
            best, patience = progress, time.monotonic() + _WITHIN_S
        if time.monotonic() > told + _TELL_EVERY_S:
            tell(_left(health, position))
            told = time.monotonic()
        if time.monotonic() > patience:
            raise Failure(f"the views do not come to position {position}: see `memoryweave status`")
        time.sleep(_EVERY_S)


def _left(health: Health, position: int) -> str:
    behind = max(position - view.position for view in health.views.values())
    missing = sum(view.missing_vectors for view in health.views.values())
    return f"{max(behind, 0)} events and {missing} vectors are left"


def _is_shown(health: Health, position: int) -> bool:
    return all(
        view.position >= position and view.missing_vectors == 0 for view in health.views.values()
    )
