"""The process that waits for an audit's next question: used once, and never left behind."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from domain.errors import InvalidCommand, QueryTooCostly
from eventlog.redis_log import RedisLog
from projections.analytics.processes import SpareProcess
from projections.analytics.question import Limits, ask
from projections.analytics.view import AnalyticsView
from tests.histories import Historian
from tests.projections.analytics.building import follow
from tests.servers import LogServer, eventually

LIMITS = Limits(rows=5, seconds=5.0, memory_mib=256)


@pytest.fixture(scope="module")
def view(log_server: LogServer, tmp_path_factory: pytest.TempPathFactory) -> AnalyticsView:
    path = tmp_path_factory.mktemp("asked") / "analytics"
    with RedisLog(log_server.url, "asked-often") as log:
        Historian(log, seed=3).live_on(10)
        follow(log, path)
    return AnalyticsView(path)


@pytest.fixture
def processes() -> Iterator[SpareProcess]:
    with closing(SpareProcess()) as kept:
        yield kept
    eventually(lambda: not children())


def children() -> list[int]:
    """The sandboxes that live below this process."""
    return [
        child.pid
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and "projections.analytics.sandbox" in " ".join(child.cmdline())
    ]


def test_a_spare_is_kept_from_the_first_question_on_and_each_answers_one(
    view: AnalyticsView, processes: SpareProcess
) -> None:
    assert children() == []
    seen: list[int] = []
    for _ in range(3):
        answer = ask(view, "SELECT count(*) AS n FROM events", LIMITS, processes)
        assert answer.table.to_pylist()[0]["n"] > 0
        (spare,) = children()
        assert spare not in seen
        seen.append(spare)


def test_a_spare_is_bounded_before_it_knows_its_question(
    view: AnalyticsView, processes: SpareProcess
) -> None:
    processes.replace()
    processes.await_ready()
    (spare,) = children()
    limits = psutil.Process(spare)
    assert limits.rlimit(resource.RLIMIT_FSIZE) == (0, 0)
    assert limits.rlimit(resource.RLIMIT_CORE) == (0, 0)
    assert set(limits.environ()) <= {"LC_CTYPE"}  # which Python sets for itself
    # And by what its question may take once it has one.
    with pytest.raises(QueryTooCostly):
        ask(
            view,
            "SELECT count(*) FROM range(1000000000000)",
            Limits(seconds=0.2, memory_mib=256),
            processes,
        )
    with pytest.raises(InvalidCommand):
        ask(view, "COPY (SELECT 1) TO 'new.csv'", LIMITS, processes)


def test_a_spare_that_died_is_not_asked(view: AnalyticsView, processes: SpareProcess) -> None:
    processes.replace()
    processes.await_ready()
    (spare,) = children()
    psutil.Process(spare).kill()
    # Until all its threads have ended, without taking the news from whoever started it.
    os.waitid(os.P_PID, spare, os.WEXITED | os.WNOWAIT)
    assert ask(view, "SELECT 1 AS one", LIMITS, processes).table.to_pylist() == [{"one": 1}]


def test_a_spare_that_nobody_needs_gives_its_memory_back(view: AnalyticsView) -> None:
    with closing(SpareProcess(spare_for_s=0.2)) as processes:
        ask(view, "SELECT 1", LIMITS, processes)
        eventually(lambda: not children())
        assert ask(view, "SELECT 1 AS one", LIMITS, processes).table.num_rows == 1
    assert children() == []


def test_a_spare_whose_asker_was_killed_ends_by_itself(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = (
        "from projections.analytics.processes import SpareProcess\n"
        "processes = SpareProcess()\n"
        "processes.replace()\n"
        "processes.await_ready()\n"
        "print(processes._spare.pid, flush=True)\n"
        "input()\n"
    )
    asker = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert asker.stdout is not None
    spare = int(asker.stdout.readline())
    assert psutil.pid_exists(spare)
    asker.kill()
    asker.communicate()
    eventually(lambda: not _lives(spare))


def _lives(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
