"""The projection worker: one process per node that builds every view.

Each view has a thread that writes it and one that builds its next generation when asked.
"""

from __future__ import annotations

import argparse
import os
import threading
from contextlib import ExitStack
from typing import Final

import structlog

from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing as SealingKeys
from projections.generation import ViewDirectory, ViewLocked
from projections.heap import keep_one_heap
from projections.priority import give_way
from projections.runner import describe
from projections.vector.lance_memory import bound_lance_memory
from workers.archive import open_archive
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.heartbeat import keep_beating
from workers.keys import ensure_keys
from workers.lifetime import die_with_parent, stop_on_signals
from workers.log_server import log_url
from workers.logging import set_up_logging
from workers.node import view_path
from workers.settings import Settings, resolve
from workers.view_building import adopt_live_generation, keep_building
from workers.view_writing import Handover, LogParts, View, keep_written
from workers.views import VIEW_KINDS, ViewKind

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_NICENESS: Final = 5
"""A recall must not wait for Lance's threads here, which take every core and a build's batches."""

_log = structlog.get_logger("projections")


def run(arguments: argparse.Namespace) -> None:
    """Build the views until SIGINT, SIGTERM or SIGHUP."""
    keep_one_heap()
    bound_lance_memory()
    stop = stop_on_signals()
    die_with_parent(arguments.parent)
    give_way(_NICENESS)
    settings = ensure_keys(resolve(settings_flags(arguments), os.environ)).resolved.settings
    set_up_logging("projections", settings.log_level)
    build_views(settings, stop)


def build_views(settings: Settings, stop: threading.Event) -> None:
    """Build the views of a node until ``stop`` is set. Raises `Failure` if another process does."""
    with ExitStack() as stack:
        views = []
        for kind in VIEW_KINDS.values():
            view = _begun(kind, settings, stack, stop)
            if view is None:
                return
            views.append(view)
        archive = open_archive(settings)
        log = stack.enter_context(
            RedisLog(log_url(settings, "reader"), settings.log, archive=archive)
        )
        parts = LogParts(log, Codec(SealingKeys(log.subject_keys)), settings)
        turn = threading.Lock()
        threads = []
        for view in views:
            given = (view, parts)
            name = f"view-{view.kind.name}"
            threads += [
                threading.Thread(target=keep_written, args=(*given, stop), name=name),
                threading.Thread(
                    target=keep_building, args=(*given, turn, stop), name=f"{name}-next"
                ),
            ]
        threads.append(
            threading.Thread(
                target=keep_beating, args=(settings, VIEW_KINDS, log, stop), name="heartbeat"
            )
        )
        for thread in threads:
            thread.start()
        _log.info("building", views=[view.kind.name for view in views])
        stop.wait()
        for view in views:
            view.handover.halt.set()
        for thread in threads:
            thread.join()
    _log.info("stopped")


def _begun(
    kind: ViewKind, settings: Settings, stack: ExitStack, stop: threading.Event
) -> View | None:
    """Take hold of a view's directory; wait while the disk is full. None when to stop.

    To end and be started again would not help, and after some ends the whole node gives up.
    """
    pause = _FIRST_PAUSE_S
    while not stop.is_set():
        try:
            return _taken(kind, settings, stack)
        except ViewLocked as error:
            raise Failure(str(error)) from error
        except OSError as error:
            _log.error("view_not_begun", view=kind.name, reason=describe(error))
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
    return None


def _taken(kind: ViewKind, settings: Settings, stack: ExitStack) -> View:
    with ExitStack() as opening:
        directory = ViewDirectory(view_path(settings, kind.name))
        opening.callback(directory.close)
        handover = Handover()
        opening.callback(handover.close)
        view = View(kind, directory, handover)
        adopt_live_generation(view, settings)
        stack.push(opening.pop_all())
    return view
