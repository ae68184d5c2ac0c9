"""The projection worker: one process per node that builds every view.

Each view has a thread that writes it and one that builds its next generation when asked.
"""

from __future__ import annotations

import argparse
import os
import threading
from contextlib import ExitStack

import structlog

from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing as SealingKeys
from projections.generation import ViewDirectory, ViewLocked
from workers.archive import open_archive
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.keys import ensure_keys
from workers.lifetime import die_with_parent, stop_on_signals
from workers.log_server import log_url
from workers.logging import set_up_logging
from workers.node import view_path
from workers.settings import Settings, resolve
from workers.view_building import adopt_live_generation, keep_building
from workers.view_writing import Handover, LogParts, View, keep_written
from workers.views import VIEW_KINDS, ViewKind

_log = structlog.get_logger("projections")


def run(arguments: argparse.Namespace) -> None:
    """Build the views until SIGINT, SIGTERM or SIGHUP."""
    stop = stop_on_signals()
    die_with_parent(arguments.parent)
    settings = ensure_keys(resolve(settings_flags(arguments), os.environ)).resolved.settings
    set_up_logging("projections", settings.log_level)
    build_views(settings, stop)


def build_views(settings: Settings, stop: threading.Event) -> None:
    """Build the views of a node until ``stop`` is set. Raises `Failure` if another process does."""
    with ExitStack() as stack:
        views = [_locked(kind, settings, stack) for kind in VIEW_KINDS.values()]
        archive = open_archive(settings)
        log = stack.enter_context(RedisLog(log_url(settings), settings.log, archive=archive))
        parts = LogParts(log, Codec(SealingKeys(log.subject_keys)), settings)
        turn = threading.Lock()
        threads = []
        for view in views:
            adopt_live_generation(view, settings)
            given = (view, parts)
            name = f"view-{view.kind.name}"
            threads += [
                threading.Thread(target=keep_written, args=(*given, stop), name=name),
                threading.Thread(
                    target=keep_building, args=(*given, turn, stop), name=f"{name}-next"
                ),
            ]
        for thread in threads:
            thread.start()
        _log.info("building", views=[view.kind.name for view in views])
        stop.wait()
        for view in views:
            view.handover.halt.set()
        for thread in threads:
            thread.join()
    _log.info("stopped")


def _locked(kind: ViewKind, settings: Settings, stack: ExitStack) -> View:
    try:
        directory = ViewDirectory(view_path(settings, kind.name))
    except ViewLocked as error:
        raise Failure(str(error)) from error
    stack.callback(directory.close)
    handover = Handover()
    stack.callback(handover.close)
    return View(kind, directory, handover)
