"""The real runner over a real log, in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eventlog.codec import Codec
from eventlog.links import LinkRecord
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Subscription
from projections.generation import ViewDirectory
from projections.projector import Projector
from projections.runner import Pace, ProjectionRunner
from projections.state.projector import StateProjector
from projections.status import ViewStatus, read_status
from tests.servers import eventually

QUICK = Pace(
    idle_s=0.02, first_pause_s=0.01, longest_pause_s=0.05, poison_pause_s=0.001, busy_s=0.001
)


class Running:
    """A runner at work in a thread."""

    def __init__(self, view_path: Path, thread: threading.Thread, stop: threading.Event) -> None:
        self.view_path = view_path
        self.thread = thread
        self.stop = stop

    @property
    def status(self) -> ViewStatus:
        status = read_status(self.view_path)
        assert status is not None
        return status

    def reaches(self, position: int) -> None:
        eventually(lambda: self.status.position >= position, within_s=20)

    def shows(self, condition: Callable[[ViewStatus], bool]) -> ViewStatus:
        """Wait until the status is as wanted, and give it."""
        eventually(lambda: condition(self.status), within_s=20)
        return self.status


@contextmanager
def running(
    log: RedisLog,
    view_path: Path,
    *,
    wrap: Callable[[Projector], Projector] = lambda projector: projector,
    wrap_source: Callable[[Any], Any] = lambda source: source,
    seen: LinkRecord | None = None,
) -> Iterator[Running]:
    """Run the state view's runner over ``log`` until the block ends."""
    directory = ViewDirectory(view_path)
    (view_path / "status.json").unlink(missing_ok=True)  # so that what is read is of this run
    projector = StateProjector(directory.live)
    source = Subscription(log.url, log.name, projector.checkpoint(), log.archive, seen)
    runner = ProjectionRunner(
        directory,
        wrap(projector),
        wrap_source(source),
        log,
        Codec(KeyRing(log.subject_keys)),
        pace=QUICK,
    )
    stop = threading.Event()
    thread = threading.Thread(target=runner.run, args=(stop,), name="runner")
    thread.start()
    try:
        eventually(lambda: read_status(view_path) is not None)
        yield Running(view_path, thread, stop)
    finally:
        stop.set()
        thread.join(timeout=20)
        assert not thread.is_alive()
        runner.close()
        source.close()
        projector.close()
        directory.close()


def catch_up(log: RedisLog, view_path: Path, position: int) -> None:
    """Run until the view has come to ``position``."""
    with running(log, view_path) as worker:
        worker.reaches(position)
