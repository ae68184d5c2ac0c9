"""A node's workers on a data directory: in a thread of the test, or as their own processes."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from projections.digest import ViewDigest
from projections.generation import current_generation
from projections.status import ViewStatus, read_status
from tests.nodes import COMMAND, clean_environment
from tests.servers import eventually
from workers import views
from workers.gathering import Gathering
from workers.node import view_path
from workers.projection_worker import build_views
from workers.settings import Settings
from workers.views import VIEW_KINDS

STARTS_WITHIN_S = 180.0
"""A bound on hanging, not on work: a busy machine takes a minute to start a worker."""
GATHER_S = 0.2


@contextmanager
def building(settings: Settings) -> Iterator[threading.Thread]:
    """Build the views of ``settings`` until the block ends; analytics gathers for a moment only."""
    stop = threading.Event()
    thread = threading.Thread(target=build_views, args=(settings, stop), name="views")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "Gathering", partial(Gathering, longest_s=GATHER_S))
        thread.start()
        try:
            yield thread
        finally:
            stop.set()
            thread.join()


class WorkerProcess:
    """`memoryweave worker <name>` with the data, log and archive of ``settings``."""

    def __init__(self, name: str, settings: Settings) -> None:
        command = [*COMMAND, "worker", name, "--data", str(settings.data), "--log", settings.log]
        assert settings.redis_url is not None
        environment = clean_environment() | {"REDIS_URL": settings.redis_url}
        if settings.archive_location is not None:
            environment["MEMORYWEAVE_ARCHIVE_LOCATION"] = settings.archive_location
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # read after the process has ended
        self._process = subprocess.Popen(
            command, stdout=self._log, stderr=subprocess.STDOUT, env=environment
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        """What it has printed so far."""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    def stop(self) -> None:
        """Have it stand still."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it as a crash does."""
        self._process.kill()
        self._process.wait()

    def wait(self) -> int:
        """Wait for its end and give its exit code."""
        return self._process.wait(timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self.go_on()
            self._process.terminate()
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.kill()
        self._log.close()


def status_of(settings: Settings, view: str) -> ViewStatus:
    """Give what the view's writer said last."""
    status = read_status(view_path(settings, view))
    assert status is not None
    return status


def forget_statuses(settings: Settings) -> None:
    """Remove what was said of the views, so that what is read next is of the next run."""
    for view in VIEW_KINDS:
        (view_path(settings, view) / "status.json").unlink(missing_ok=True)


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
