"""F11: the disk under one view is full: that view waits and says why, everything else goes on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from eventlog.redis_log import RedisLog
from projections.vector.view import VectorView
from tests.faults.small_disk import small_disk
from tests.histories import Historian
from tests.servers import LogServer, eventually
from tests.view_oracles import assert_view_equals_log
from tests.view_workers import building, reach, shows
from workers.gathering import Gathering
from workers.node import view_path
from workers.settings import Settings
from workers.views import VIEW_KINDS


@pytest.fixture
def settings(
    log_server: LogServer, log_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    monkeypatch.setattr("workers.views.Gathering", partial(Gathering, longest_s=0.05))
    return Settings(data=tmp_path / "data", redis_url=log_server.url, log=log_name)


@pytest.mark.parametrize(
    "view",
    [
        "vector",
        # By a limit on files instead of a disk, these two are filled in every run: see
        # test_paused_view.py and test_analytics_killed.py.
        pytest.param("state", marks=pytest.mark.slow),
        pytest.param("analytics", marks=pytest.mark.slow),
    ],
)
def test_f11_a_view_on_a_full_disk_waits_and_catches_up_once_there_is_room(
    settings: Settings, log: RedisLog, view: str
) -> None:
    historian = Historian(log, seed=11)
    with small_disk(view_path(settings, view), megabytes=24) as disk:
        with building(settings) as worker:
            historian.live_on(15)
            reach(settings, historian.position)
            before = historian.position
            disk.fill()
            historian.live_on(60)
            paused = shows(settings, view, lambda said: said.state == "paused")
            assert paused.problem == "storage"
            assert "space" in paused.reason or "full" in paused.reason, paused.reason
            assert before <= paused.position < historian.position
            assert paused.parked == 0
            for other in VIEW_KINDS.keys() - {view}:
                shows(
                    settings,
                    other,
                    lambda said: said.state == "running" and said.position == historian.position,
                )
            assert worker.is_alive()
            disk.make_room()
            reach(settings, historian.position)
        for built in VIEW_KINDS:
            assert_view_equals_log(view_path(settings, built), log.url, log.name)


@pytest.mark.slow
def test_f11_without_room_for_the_vector_cache_the_vector_view_waits_and_then_has_its_vectors(
    settings: Settings, log: RedisLog
) -> None:
    historian = Historian(log, seed=12)
    with small_disk(settings.data / "cache", megabytes=8) as disk, building(settings):
        historian.live_on(10)
        reach(settings, historian.position)
        eventually(lambda: missing_vectors(settings) == 0, within_s=60)
        disk.fill()
        historian.live_on(60)
        paused = shows(settings, "vector", lambda said: said.state == "paused")
        assert paused.problem == "storage"
        assert "full" in paused.reason
        for other in ("state", "analytics"):
            shows(settings, other, lambda said: said.position == historian.position)
        disk.make_room()
        reach(settings, historian.position)
        eventually(lambda: missing_vectors(settings) == 0, within_s=90)


def missing_vectors(settings: Settings) -> int:
    view = VectorView(view_path(settings, "vector"))
    view.checkpoint()
    return view.missing_vectors(None)
