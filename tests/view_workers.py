"""The projection worker in a thread of the test, on a data directory with every view."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from projections.digest import ViewDigest
from projections.generation import current_generation
from projections.status import ViewStatus, read_status
from tests.servers import eventually
from workers.node import view_path
from workers.projection_worker import build_views
from workers.settings import Settings
from workers.views import VIEW_KINDS

STARTS_WITHIN_S = 60.0


@contextmanager
def building(settings: Settings) -> Iterator[threading.Thread]:
    """Build the views of ``settings`` until the block ends."""
    stop = threading.Event()
    thread = threading.Thread(target=build_views, args=(settings, stop), name="views")
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join()


def status_of(settings: Settings, view: str) -> ViewStatus:
    """Give what the view's writer said last."""
    status = read_status(view_path(settings, view))
    assert status is not None
    return status


def shows(
    settings: Settings,
    view: str,
    condition: Callable[[ViewStatus], bool],
    within_s: float = STARTS_WITHIN_S,
) -> ViewStatus:
    """Wait until the view's status is as wanted, and give it."""
    path = view_path(settings, view)
    eventually(
        lambda: (status := read_status(path)) is not None and condition(status), within_s=within_s
    )
    return status_of(settings, view)


def reach(settings: Settings, position: int, views: Iterable[str] = VIEW_KINDS) -> None:
    """Wait until the views run and have come to ``position``."""
    for view in views:
        shows(settings, view, lambda said: said.state == "running" and said.position == position)


def live_folder(settings: Settings, view: str) -> Path:
    """Give the folder of the view's live generation."""
    path = view_path(settings, view)
    return path / str(current_generation(path))


def digests(settings: Settings) -> dict[str, ViewDigest]:
    """Digest every view's live generation."""
    return {name: kind.digest(live_folder(settings, name)) for name, kind in VIEW_KINDS.items()}
