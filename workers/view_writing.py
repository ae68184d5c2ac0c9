"""Keeps a view's live generation written, and makes way for a switch to the next one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from typing import Final

import structlog
from msgspec import Struct

from domain.errors import MemoryWeaveError
from eventlog.codec import Codec
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from projections.build_request import failed_lately, read_request, request_build
from projections.generation import BuiltBy, ViewDirectory, ViewLocked, built_by
from projections.presence import Presence, ViewRemoved
from projections.projector import Projector, ViewDamaged
from projections.runner import ProjectionRunner, describe, problem_of
from projections.status import StatusFile, ViewStatus, read_status
from workers.accepted_epochs import ask_if_decided
from workers.archive import seen_links
from workers.log_server import node_id
from workers.opened_view import OpenedView
from workers.purging import LivePurge
from workers.reader_reports import ReportingSource
from workers.settings import Settings
from workers.views import ViewKind

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_LOOK_EVERY_S: Final = 0.5
_REMOVED: Final = "its files were removed while it was written"

_log = structlog.get_logger("projections")


class Handover:
    """Between the thread that writes a view and the one that builds its next generation.

    ``halt`` asks the writer to let go; it holds ``writing`` for as long as it writes. ``switches``
    counts how often it was asked, so that one that looks late still knows of it. The generation
    that the builder has opened is left in ``ready``.
    """

    def __init__(self) -> None:
        self.halt = threading.Event()
        self.writing = threading.Lock()
        self.switches = 0
        self.ready: tuple[ExitStack, OpenedView] | None = None
        self._settled = threading.Event()
        self._settled.set()

    @contextmanager
    def switching(self, stop: threading.Event) -> Iterator[None]:
        """Let nobody write the view until the block ends; then the writer opens what is live."""
        self._settled.clear()
        self.switches += 1
        self.halt.set()
        with self.writing:
            try:
                yield
            finally:
                # Before the lock is given back: who gets it next must not find itself halted.
                self.halt.clear()
                if stop.is_set():
                    self.halt.set()
        self._settled.set()

    @contextmanager
    def written(self) -> Iterator[None]:
        """Write the view until the block ends; waits while a switch is under way."""
        self._settled.wait()
        with self.writing:
            yield

    def take_ready(self) -> tuple[ExitStack, OpenedView] | None:
        """Give what the builder left, once."""
        taken, self.ready = self.ready, None
        return taken

    def close(self) -> None:
        """Close what nobody took any more."""
        ready = self.take_ready()
        if ready is not None:
            ready[0].close()


class View(Struct, frozen=True):
    """One view of this process."""

    kind: ViewKind
    directory: ViewDirectory
    handover: Handover


class LogParts(Struct, frozen=True):
    """The log as the views of one process read it, under the node's settings."""

    log: RedisLog
    codec: Codec
    settings: Settings

    def subscribe(self, checkpoint: Checkpoint) -> Subscription:
        """Give a reader of one's own that goes on after ``checkpoint``."""
        return Subscription(
            self.log.url, self.log.name, checkpoint, self.log.archive, seen_links(self.settings)
        )

    def reported(self, view: str, source: Subscription, projector: Projector) -> ReportingSource:
        """Give a source that registers the view as a reader: the log is not trimmed before it."""
        readers, name = Readers(self.log), f"{node_id(self.settings.data)}/{view}"
        return ReportingSource(
            source,
            projector.checkpoint,
            lambda reached: readers.report(name, reached, datetime.now(UTC)),
        )


def live_builder(directory: ViewDirectory) -> BuiltBy:
    """Give what built the live generation, version 0 of everything where it does not say."""
    return built_by(directory.live) or BuiltBy(projector=0, schema=0)


def keep_written(view: View, parts: LogParts, stop: threading.Event) -> None:
    """Write a view until ``stop``; where it cannot be opened, say so and try again.

    After a stop that only a person or another generation can end, it waits for the latter. Where
    the files are removed under it, no generation is live until the next one is built.
    """
    pause = _FIRST_PAUSE_S
    handover = view.handover
    while not stop.is_set():
        switches = handover.switches
        try:
            with handover.written():
                switches = handover.switches
                try:
                    _write(view, parts, stop)
                except ViewRemoved as error:
                    # Here, while no switch can come between.
                    _give_up(view, error)
        except ViewDamaged as error:
            _log.error("view_damaged", view=view.kind.name, reason=describe(error))
            _tell(view, problem_of(error), f"{describe(error)}; its next generation is being built")
            _await_switch(view, switches, stop, parts, f"damaged: {error}")
        except Exception as error:  # noqa: BLE001  # damage to one view must not end the process
            _log.error("view_not_opened", view=view.kind.name, reason=describe(error))
            _tell(view, problem_of(error), describe(error))
            handover.halt.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        else:
            pause = _FIRST_PAUSE_S
            because = None if view.directory.generation else _REMOVED
            _await_switch(view, switches, stop, parts, because)


def _await_switch(
    view: View, switches: int, stop: threading.Event, parts: LogParts, because: str | None
) -> None:
    """Wait for the next generation; return early where the live one was removed meanwhile.

    ``because`` says why it has to be built, if it has: then it is asked for, again and again.
    """
    handover, directory = view.handover, view.directory
    while handover.switches == switches and not stop.is_set():
        if directory.generation and not directory.live.is_dir():
            return
        try:
            directory.keep_hold()
            if because is not None:
                _ask(directory, because)
            else:
                ask_if_decided(directory.path, parts.log, parts.settings)
        except (OSError, ViewLocked) as error:
            _log.error("view_not_held", view=view.kind.name, reason=describe(error))
        handover.halt.wait(_LOOK_EVERY_S)


def _give_up(view: View, error: ViewRemoved) -> None:
    """Serve nothing rather than what is there no more, until it was built anew."""
    _log.error("view_removed", view=view.kind.name, reason=describe(error))
    view.directory.give_up_live()
    _tell(view, problem_of(error), f"{_REMOVED}; its next generation is being built")


def _ask(directory: ViewDirectory, because: str) -> None:
    """Ask for the next generation where nobody has; after a failure some time later.

    Whoever removed the view may remove the request too, and a full disk fails the build.
    """
    path = directory.path
    if read_request(path) is not None or failed_lately(path, time.time(), _LONGEST_PAUSE_S):
        return
    # What cannot be shown is set aside: nothing else serves that could be kept instead.
    request_build(path, because, allow_parked=True)


def _end_of(parts: LogParts) -> int:
    """Give where the log ends now; 0 where it does not say, for then nothing is known to come."""
    try:
        return parts.log.head().position
    except MemoryWeaveError:
        return 0


def _write(view: View, parts: LogParts, stop: threading.Event) -> None:
    directory = view.directory
    if not directory.generation:
        return
    with ExitStack() as stack:
        live = stack.enter_context(closing(Presence([directory.live])))
        ready = view.handover.take_ready()
        if ready is not None:
            stack.enter_context(ready[0])
            opened = ready[1]
        else:
            builder = live_builder(view.directory)
            wanted = view.kind.builder(parts.settings)
            if builder.schema != wanted.schema:
                _tell(
                    view,
                    "old-generation",
                    f"it has schema {builder.schema}, this program writes {wanted.schema}; "
                    "it serves as it is until its next generation is built",
                )
                return
            opened = stack.enter_context(
                view.kind.open(parts.settings, view.directory.live, builder)
            )
        files = stack.enter_context(closing(Presence(opened.anchors())))

        def still_there() -> None:
            live.check()
            files.check()
            directory.keep_hold()

        source = stack.enter_context(closing(parts.subscribe(opened.projector.checkpoint())))
        purge, end = LivePurge(view.directory, opened), _end_of(parts)

        def between_batches() -> bool:
            # Until the view has come to where the log was, many a row that is there now will be
            # gone: no vector is made for what nobody has needed one for since.
            behind = source.checkpoint.position < end
            more = opened.while_building() if behind else opened.while_live()
            return purge.step() or more

        runner = ProjectionRunner(
            view.directory,
            opened.projector,
            opened.gather(parts.reported(view.kind.name, source, opened.projector)),
            parts.log,
            opened.opener(parts.codec),
            between_batches=between_batches,
            still_there=still_there,
        )
        with closing(runner):
            runner.run(stop, view.handover.halt)


def _tell(view: View, problem: str, reason: str) -> None:
    """Say that the view waits, and leave what the last writer said of how far it has come."""
    path = view.directory.path
    try:
        last = read_status(path)
    except (OSError, ValueError):
        last = None  # nobody can read how far it had come
    status = ViewStatus(
        state="paused",
        position=0 if last is None else last.position,
        parked=0 if last is None else last.parked,
        generation=view.directory.generation,
        problem=problem,
        reason=reason,
        pid=os.getpid(),
        epoch="" if last is None else last.epoch,
        event_id="" if last is None else last.event_id,
    )
    try:
        with closing(StatusFile(path)) as file:
            file.write(status)
    except OSError as error:
        # A full disk has no room for it either: the view waits all the same, and tries again.
        _log.error("status_not_written", view=view.kind.name, reason=describe(error))
