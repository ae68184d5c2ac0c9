"""F14: a worker that was stopped, and wakes up when another has done its work, or could not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from domain.errors import Fenced
from eventlog.archive.manifest import read_manifest
from eventlog.chain import BEGINNING, links
from eventlog.links import LinkRecord
from eventlog.redis_log import RedisLog
from eventlog.verification import verify_log
from projections.status import read_status as view_status
from tests.eventlog.archived import ArchivedLog
from tests.faults.dying_archiver import STEPPED_BACK, STEPS
from tests.histories import Historian
from tests.servers import LogServer, eventually
from tests.state_tables import assert_state_equals_log
from tests.view_oracles import assert_view_equals_log
from tests.view_workers import WorkerProcess, reach, shows
from workers.lifecycle_status import read_status
from workers.node import view_path
from workers.settings import Settings
from workers.views import VIEW_KINDS

SLOW = pytest.mark.slow
HOLDING = ("alone", "on the manifest")
"""Steps at which it holds the lock under which the manifest is replaced."""


@contextmanager
def stopped_at(archived: ArchivedLog, folder: Path, step: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run an archiver until it has stopped itself at ``step``."""
    command = [*(sys.executable, "-m", "tests.faults.dying_archiver")]
    command += [archived.log.url, archived.log.name, str(folder), step, "SIGSTOP"]
    with subprocess.Popen(command) as process:
        try:
            eventually(lambda: _is_stopped(process.pid), within_s=30)
            yield process
        finally:
            process.kill()


def _is_stopped(pid: int) -> bool:
    return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)


QUICK = ("lease renewed", "alone", "trimmed")


@pytest.mark.parametrize(
    "step", [step if step in QUICK else pytest.param(step, marks=SLOW) for step in STEPS]
)
def test_f14_an_archiver_that_slept_past_its_lease_takes_nothing_back(
    log_server: LogServer, log_name: str, tmp_path: Path, step: str
) -> None:
    archived = ArchivedLog(log_server.url, log_name, tmp_path, seed=STEPS.index(step))
    with archived.log as log:
        archived.write(45)
        with stopped_at(archived, tmp_path, step) as sleeper:
            second = archived.archiver("the second")

            def works() -> bool:
                try:
                    second.archive_due()
                    second.trim()
                except (Fenced, BlockingIOError):
                    return False
                return True

            if step in HOLDING:
                # Nobody replaces the manifest before it wakes up or dies.
                eventually(lambda: _lease_is_free(archived))
                assert not works()
            else:
                eventually(works)
                archived.write(30)
                assert works()
            done = read_manifest(archived.place)
            os.kill(sleeper.pid, signal.SIGCONT)
            # After trimming there was nothing left for it to write: the other has done it.
            assert sleeper.wait(60) == (0 if step == "trimmed" else STEPPED_BACK)
        if step not in HOLDING:
            assert read_manifest(archived.place) == done
        eventually(works)
        everything = archived.everything()
        manifest = read_manifest(archived.place)
        assert manifest is not None
        told = [entry for entry in everything if entry.type == "SegmentArchived"]
        assert len(told) == len(manifest.segments)
        assert log.floor() > 1
        verified = verify_log(log, archived.archive, LinkRecord(tmp_path / "chain"))
        assert verified.chain == links(BEGINNING, everything)[-1].hex()


def _lease_is_free(archived: ArchivedLog) -> bool:
    return not archived.log.call("EXISTS", archived.log.keys.lease("archive"))


def test_f14_a_writer_of_a_view_that_slept_is_not_replaced_and_goes_on_where_it_was(
    log: RedisLog, tmp_path: Path
) -> None:
    historian = Historian(log, seed=13)
    historian.live_on(30)
    view = tmp_path / "state"
    command = [*(sys.executable, "-m", "tests.projections.worker_process")]
    command += [log.url, log.name, str(view)]
    with subprocess.Popen(command) as worker:
        try:
            eventually(lambda: view_status(view) is not None, within_s=60)
            worker.send_signal(signal.SIGSTOP)
            historian.live_on(20)
            second = subprocess.run(command, capture_output=True, text=True, timeout=60)
            assert second.returncode == 1
            assert "is being written by another process" in second.stderr
            worker.send_signal(signal.SIGCONT)
            eventually(
                lambda: (
                    (said := view_status(view)) is not None and said.position == historian.position
                ),
                within_s=60,
            )
            worker.terminate()
            assert worker.wait(30) == 0
        finally:
            worker.kill()
    assert_state_equals_log(view, log.url, log.name)


@pytest.mark.slow
def test_f14_a_projection_worker_that_slept_30_s_is_not_replaced_and_goes_on_where_it_was(
    log_server: LogServer, log: RedisLog, tmp_path: Path
) -> None:
    historian = Historian(log, seed=14)
    historian.live_on(30)
    settings = Settings(data=tmp_path / "data", redis_url=log_server.url, log=log.name)
    with WorkerProcess("projections", settings) as worker:
        for view in VIEW_KINDS:
            shows(settings, view, lambda said: said.state == "running" and said.position > 0)
        historian.live_on(20)
        worker.stop()
        asleep_since = time.monotonic()
        historian.live_on(20)
        with WorkerProcess("projections", settings) as second:
            assert second.wait() == 1
            assert "is being written by another process" in second.output
        eventually(lambda: time.monotonic() > asleep_since + 30, within_s=40)
        worker.go_on()
        reach(settings, historian.position)
    for view in VIEW_KINDS:
        assert_view_equals_log(view_path(settings, view), log.url, log.name)


@pytest.mark.slow
def test_f14_a_lifecycle_worker_that_slept_past_its_lease_gives_way(
    log_server: LogServer, log: RedisLog, tmp_path: Path
) -> None:
    """With the product's own numbers: a lease of 60 s, a look every 20 s."""
    Historian(log, seed=15).live_on(60)
    first = Settings(data=tmp_path / "one", redis_url=log_server.url, log=log.name)
    second = Settings(
        data=tmp_path / "two",
        redis_url=log_server.url,
        log=log.name,
        archive_location=str(tmp_path / "one" / "archive"),
    )

    def is_active(settings: Settings) -> bool | None:
        status = read_status(settings.data)
        return status.active if status else None

    with WorkerProcess("lifecycle", first) as sleeper:
        eventually(lambda: is_active(first) is True, within_s=60)
        with WorkerProcess("lifecycle", second):
            eventually(lambda: is_active(second) is False, within_s=60)
            sleeper.stop()
            asleep_since = time.monotonic()
            eventually(lambda: time.monotonic() > asleep_since + 30, within_s=40)
            assert is_active(second) is False, "the lease is not over yet"
            eventually(lambda: is_active(second) is True, within_s=90)
            sleeper.go_on()
            eventually(lambda: is_active(first) is False, within_s=60)
            assert is_active(second) is True
