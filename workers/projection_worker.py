"""The projection worker: one process per node that builds every view, a thread for each."""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import UTC, datetime
from typing import Final, Protocol

import structlog
from msgspec import Struct

from eventlog.codec import Codec
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing as SealingKeys
from eventlog.subscription import Subscription
from projections.generation import ViewDirectory, ViewLocked
from projections.projector import Projector
from projections.retry import Opener
from projections.runner import ProjectionRunner, Source, describe, problem_of
from projections.status import StatusFile, ViewStatus
from workers.archive import open_archive, seen_links
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.gathering import Gathering
from workers.health import VIEWS
from workers.keys import ensure_keys
from workers.lifetime import die_with_parent, stop_on_signals
from workers.log_server import log_url, node_id
from workers.logging import set_up_logging
from workers.node import make_embedder, view_path
from workers.reader_reports import ReportingSource
from workers.settings import Settings, resolve

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0

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
        directories = {}
        for name in VIEWS:
            try:
                directories[name] = ViewDirectory(view_path(settings, name))
            except ViewLocked as error:
                raise Failure(str(error)) from error
            stack.callback(directories[name].close)
        archive = open_archive(settings)
        log = stack.enter_context(RedisLog(log_url(settings), settings.log, archive=archive))
        codec = Codec(SealingKeys(log.subject_keys))
        threads = [
            threading.Thread(
                target=_keep_building,
                args=(_View(name, directories[name], _OPEN[name]), settings, log, codec, stop),
                name=f"view-{name}",
            )
            for name in VIEWS
        ]
        for thread in threads:
            thread.start()
        _log.info("building", views=list(directories))
        stop.wait()
        for thread in threads:
            thread.join()
    _log.info("stopped")


class _Opened(Struct, frozen=True):
    projector: Projector
    between_batches: Callable[[], bool]
    gather: Callable[[Source], Source] = lambda source: source
    opener: Callable[[Codec], Opener] = lambda codec: codec


class _OpenView(Protocol):
    def __call__(
        self, settings: Settings, directory: ViewDirectory, /
    ) -> AbstractContextManager[_Opened]: ...


class _View(Struct, frozen=True):
    name: str
    directory: ViewDirectory
    open: _OpenView


def _keep_building(
    view: _View, settings: Settings, log: RedisLog, codec: Codec, stop: threading.Event
) -> None:
    """Run one view; where it cannot be opened, say so and try again: the others must go on."""
    pause = _FIRST_PAUSE_S
    while not stop.is_set():
        try:
            with (
                view.open(settings, view.directory) as opened,
                closing(
                    Subscription(
                        log.url,
                        log.name,
                        opened.projector.checkpoint(),
                        log.archive,
                        seen_links(settings),
                    )
                ) as subscription,
                closing(
                    ProjectionRunner(
                        view.directory,
                        opened.projector,
                        opened.gather(
                            _reporting(view.name, settings, opened.projector, subscription, log)
                        ),
                        log,
                        opened.opener(codec),
                        between_batches=opened.between_batches,
                    )
                ) as runner,
            ):
                runner.run(stop)
        except Exception as error:  # noqa: BLE001  # damage to one view must not end the process
            _tell_not_opened(view, error)
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        else:
            return


def _reporting(
    view: str, settings: Settings, projector: Projector, source: Subscription, log: RedisLog
) -> ReportingSource:
    readers, name = Readers(log), f"{node_id(settings.data)}/{view}"
    return ReportingSource(
        source,
        projector.checkpoint,
        lambda reached: readers.report(name, reached, datetime.now(UTC)),
    )


def _tell_not_opened(view: _View, error: Exception) -> None:
    _log.error("view_not_opened", view=view.name, reason=describe(error))
    with closing(StatusFile(view.directory.path)) as file:
        file.write(
            ViewStatus(
                state="paused",
                position=0,
                parked=0,
                generation=view.directory.generation,
                problem=problem_of(error),
                reason=describe(error),
                pid=os.getpid(),
            )
        )


@contextmanager
def _open_state(_settings: Settings, directory: ViewDirectory) -> Iterator[_Opened]:
    from projections.state.projector import StateProjector

    with closing(StateProjector(directory.live)) as projector:
        yield _Opened(projector, lambda: False)


@contextmanager
def _open_vector(settings: Settings, directory: ViewDirectory) -> Iterator[_Opened]:
    from projections.vector.cache import VectorCache
    from projections.vector.filler import VectorFiller
    from projections.vector.maintenance import Maintenance
    from projections.vector.projector import VectorProjector

    embedder = make_embedder(settings)
    cache = VectorCache(settings.data / "cache", embedder.name, embedder.dimension)
    with closing(cache):
        projector = VectorProjector(directory.live, cache)
        filler = VectorFiller(projector, embedder, report=_report_embedder)
        upkeep = Maintenance(projector, report=_report_upkeep)

        def between_batches() -> bool:
            written = filler.write() > 0
            return upkeep.step() or written

        with closing(filler), closing(upkeep):
            yield _Opened(projector, between_batches)


@contextmanager
def _open_analytics(_settings: Settings, directory: ViewDirectory) -> Iterator[_Opened]:
    from projections.analytics.opening import OpenOrShowRaw
    from projections.analytics.projector import AnalyticsProjector

    with closing(AnalyticsProjector(directory.live, lambda: datetime.now(UTC))) as projector:
        yield _Opened(projector, projector.compact, gather=Gathering, opener=OpenOrShowRaw)


_OPEN: Final[dict[str, _OpenView]] = {
    "state": _open_state,
    "vector": _open_vector,
    "analytics": _open_analytics,
}


def _report_upkeep(error: Exception) -> None:
    _log.warning("vector_upkeep_failed", reason=f"{type(error).__name__}: {error}")


def _report_embedder(error: Exception) -> None:
    _log.warning("vectors_not_made", reason=f"{type(error).__name__}: {error}")
