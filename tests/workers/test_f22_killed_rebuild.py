"""F22: a projection worker killed with SIGKILL in a rebuild harms nothing, and the next goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from eventlog.redis_log import RedisLog
from projections.build import GenerationBuild
from projections.build_request import read_build_status, read_request, request_build
from projections.digest import ViewDigest
from projections.generation import current_generation
from projections.projector import Projector
from projections.status import read_status
from tests.histories import Historian
from tests.servers import LogServer, eventually
from tests.view_oracles import assert_view_equals_log, seed_cache, vector_rows
from tests.view_workers import building
from tests.workers.rebuilding_process import (
    EVENTS_A_BATCH,
    SWITCH_POINTS,
    TABLE_POINTS,
    settings_of,
)
from workers import view_building
from workers.settings import Settings
from workers.views import VIEW_KINDS

VIEWS = tuple(VIEW_KINDS)
SHARES = (0.1, 0.5, 0.9, 1.0)
Kill = tuple[str, float | str]


class Node:
    """A data directory whose projection worker is started, killed and started again."""

    def __init__(self, log: RedisLog, settings: Settings) -> None:
        self.log = log
        self.settings = settings

    def path(self, view: str) -> Path:
        return self.settings.data / "views" / view

    def digest(self, view: str) -> ViewDigest:
        """Digest what CURRENT names."""
        folder = self.path(view) / str(current_generation(self.path(view)))
        return VIEW_KINDS[view].digest(folder)

    def reached(self, view: str, generation: int) -> int:
        """Tell how far a generation has come, live or not."""
        folder, kind = self.path(view) / str(generation), VIEW_KINDS[view]
        with kind.build(self.settings, folder, kind.builder(self.settings)) as opened:
            return opened.projector.checkpoint().position

    def run_to(self, position: int) -> None:
        """Work until every view has come there and no build is asked for."""
        with building(self.settings):
            eventually(lambda: self._rests_at(position), within_s=120, every_s=0.05)

    def run_until_killed(self, view: str, point: str) -> None:
        """Run a worker in a process of its own until it dies at ``point``."""
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "tests.workers.rebuilding_process"),
                *(str(self.settings.data), self.log.url, self.log.name, view, point),
            ],
            check=False,
            timeout=180,
            capture_output=True,
        )
        assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()

    def _rests_at(self, position: int) -> bool:
        for view in VIEWS:
            status, build = read_status(self.path(view)), read_build_status(self.path(view))
            if status is None or status.state != "running" or status.position < position:
                return False
            if build is not None and build.state not in ("live", "failed"):
                return False
        return True


@pytest.fixture
def historian(log: RedisLog) -> Historian:
    return Historian(log, seed=22)


@pytest.fixture
def node(log_server: LogServer, log: RedisLog, tmp_path: Path) -> Node:
    return Node(log, settings_of(tmp_path / "data", log_server.url, log.name))


@pytest.fixture
def beginnings(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The views that this process builds, each with the position at which its build begins."""
    found: list[tuple[str, int]] = []

    class Watched(GenerationBuild):
        def __init__(self, projector: Projector, *given: Any, **named: Any) -> None:
            super().__init__(projector, *given, **named)
            found.append((projector.name, self.position))

    monkeypatch.setattr(view_building, "GenerationBuild", Watched)
    return found


def kill_and_compare(
    node: Node, head: int, kills: Sequence[Kill], beginnings: Sequence[tuple[str, int]]
) -> None:
    """Kill a worker at each point of a rebuild of a view; then let one finish, and compare."""
    seed_cache(node.settings, node.log)
    node.run_to(head)
    before = {view: node.digest(view) for view in VIEWS}
    reached: dict[str, int] = {}
    for view, point in kills:
        path = node.path(view)
        old, asked = current_generation(path), request_build(path, "asked")[0].generation
        at = point if isinstance(point, str) else str(round(point * head))
        node.run_until_killed(view, at)
        assert current_generation(path) == (asked if at == "renamed" else old)
        assert {name: node.digest(name) for name in VIEWS} == before, "what is live is whole"
        reached[view] = node.reached(view, asked)
        assert reached[view] == head or int(at) <= reached[view] < int(at) + 2 * EVENTS_A_BATCH
    left = [view for view in reached if read_request(node.path(view)) is not None]
    assert kills[-1][0] in left
    node.run_to(head)
    if kills[-1][1] != "renamed":
        assert {(view, reached[view]) for view in left} <= set(beginnings), "it goes on"
    for view in VIEWS:
        path = node.path(view)
        status = read_build_status(path)
        assert status is None or status.state == "live"
        assert status is None or status.generation == current_generation(path)
        assert node.digest(view) == before[view]
        assert_view_equals_log(path, node.log.url, node.log.name)
    assert all(row.vector is not None for row in vector_rows(node.path("vector")) if row.is_open)


def test_a_worker_killed_in_a_rebuild_of_each_view_harms_nothing(
    node: Node, historian: Historian, beginnings: list[tuple[str, int]]
) -> None:
    historian.live_on(80)
    kills = [("vector", 0.5), ("state", "drained"), ("analytics", 0.9)]
    kill_and_compare(node, historian.position, kills, beginnings)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("view", "point"),
    [
        *product(VIEWS, (*SHARES, *SWITCH_POINTS)),
        *product(("vector",), TABLE_POINTS),
    ],
)
def test_a_worker_killed_at_every_point_of_a_rebuild_harms_nothing(
    node: Node,
    historian: Historian,
    beginnings: list[tuple[str, int]],
    view: str,
    point: float | str,
) -> None:
    historian.live_on(400)
    # What was applied whole, or is live, is not come to a second time.
    times = 1 if point in (1.0, "renamed", "a table") else 2
    kill_and_compare(node, historian.position, [(view, point)] * times, beginnings)
