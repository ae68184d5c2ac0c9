"""A node's projection worker in a process of its own, which can be told where to die in a rebuild.

``python -m tests.workers.rebuilding_process DATA URL LOG VIEW POINT``. POINT is a position that
the build has come to, or a step of the switch or of the writing of the vector view's table. It
kills itself with SIGKILL, so that nothing is tidied up: the traps are here, not in the product.
"""

from __future__ import annotations

import argparse
import os
import threading
from pathlib import Path
from typing import Any

import projections.build
from projections.build import GenerationBuild
from projections.generation import ViewDirectory
from projections.vector import building, table
from tests.projections.worker_process import die
from workers import view_building
from workers.keys import ensure_keys
from workers.logging import set_up_logging
from workers.projection_worker import build_views
from workers.settings import Settings, resolve

SWITCH_POINTS = ("drained", "before the rename", "renamed")
TABLE_POINTS = ("half a table", "a table beside", "a table")
"""In the writing of the vector view's table: rows without indices, all but the rename, that too."""
EVENTS_A_BATCH = 10


def settings_of(data: Path, url: str, log: str) -> Settings:
    """Give the settings of a node on that directory and log."""
    given = {"data": str(data), "log": log}
    return ensure_keys(resolve(given, {"REDIS_URL": url})).resolved.settings


def arrange(view: str, point: str) -> None:
    """Put the trap into the functions that the worker calls."""
    projections.build.EVENTS_A_BATCH = EVENTS_A_BATCH  # type: ignore[misc]
    at = int(point) if point.isdecimal() else None

    class Watched(GenerationBuild):
        def __init__(self, projector: Any, source: Any, codec: Any, **given: Any) -> None:
            between = given.pop("between_batches")

            def then(build: GenerationBuild) -> None:
                between(build)
                if projector.name == view and at is not None and build.position >= at:
                    die()

            super().__init__(projector, source, codec, between_batches=then, **given)

    view_building.GenerationBuild = Watched  # type: ignore[misc]
    switch, rename = ViewDirectory.switch_to, Path.rename

    def switch_to(directory: ViewDirectory, generation: int) -> None:
        ours = directory.path.name == view
        if ours and point == "drained":
            die()
        switch(directory, generation)
        if ours and point == "renamed":
            die()

    def renamed(path: Path, target: Any) -> Path:
        if path.parts[-2:] == (view, "CURRENT.new"):
            die()
        return rename(path, target)

    dying = {
        "half a table": (table, "create_indices"),
        "a table beside": (table, "sync_tree"),
        "a table": (building, "remove_staging"),
    }
    if point in dying:
        module, name = dying[point]
        setattr(module, name, lambda *_: die())
    ViewDirectory.switch_to = switch_to  # type: ignore[method-assign]
    if point == "before the rename":
        Path.rename = renamed  # type: ignore[method-assign]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("url")
    parser.add_argument("log")
    parser.add_argument("view")
    parser.add_argument("point")
    asked = parser.parse_args()
    arrange(asked.view, asked.point)
    settings = settings_of(asked.data, asked.url, asked.log)
    set_up_logging("projections", "error")
    build_views(settings, threading.Event())


if __name__ == "__main__":
    os.environ.setdefault("PYTHONFAULTHANDLER", "1")
    main()
