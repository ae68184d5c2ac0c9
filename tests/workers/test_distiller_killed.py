"""The lifecycle worker killed while it distils, with all its real parts: none lost, none twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from commands.application import MemoryApplication
from memoryweave import contract
from tests.servers import LogServer
from tests.view_oracles import assert_view_equals_log, seed_cache
from tests.view_workers import WorkerProcess, building, reach
from tests.workers.distilled import (
    await_endings,
    endings,
    require_each_once,
    speaker,
    statement,
)
from workers.node import view_path
from workers.settings import Settings
from workers.views import VIEW_KINDS

EPISODES = 500
_SMALL_TALK = ("Thanks a lot!", "好的，谢谢", "Good morning")


@pytest.fixture
def settings(log_server: LogServer, log_name: str, tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, redis_url=log_server.url, log=log_name)


@pytest.fixture
def application(settings: Settings) -> Iterator[MemoryApplication]:
    assert settings.redis_url is not None
    with MemoryApplication(settings.redis_url, settings.log) as opened:
        yield opened


def test_killed_three_times_it_distils_each_episode_once_and_views_say_so(
    settings: Settings, application: MemoryApplication
) -> None:
    _say(application)
    _distil_through_kills(settings, application, kills=3)
    seed_cache(settings, application.event_log)
    with building(settings):
        reach(settings, application.event_log.head().position)
    _require_views(settings, application)


@pytest.mark.slow
def test_killed_twenty_times_beside_a_second_one_and_views_being_built(
    settings: Settings, application: MemoryApplication, tmp_path: Path
) -> None:
    _say(application)
    seed_cache(settings, application.event_log)
    other = Settings(data=tmp_path / "other", redis_url=settings.redis_url, log=settings.log)
    other.data.mkdir()
    with ExitStack() as stack:
        stack.enter_context(building(settings))
        stack.enter_context(WorkerProcess("lifecycle", other))
        _distil_through_kills(settings, application, kills=20)
        reach(settings, application.event_log.head().position)
    _require_views(settings, application)


def _say(application: MemoryApplication) -> None:
    """Commit episodes that say something, the same again, or nothing."""
    chance, hermes = random.Random(3), speaker(application)
    said = [
        chance.choice(_SMALL_TALK)
        if chance.random() < 0.1
        else statement(chance.randrange(EPISODES // 2))
        for _ in range(EPISODES)
    ]
    for start in range(0, EPISODES, 250):
        part = said[start : start + 250]
        hermes.batch(*(contract.Commit(content=text, session_id="s-1") for text in part))


def _distil_through_kills(settings: Settings, application: MemoryApplication, kills: int) -> None:
    for kill in range(kills):
        with WorkerProcess("lifecycle", settings) as worker:
            await_endings(application, (kill + 1) * EPISODES // (kills + 2), within_s=240)
            worker.kill()
    with WorkerProcess("lifecycle", settings):
        await_endings(application, EPISODES, within_s=240)
    require_each_once(application, EPISODES)
    assert all(len(types) == 2 for types in endings(application).values())


def _require_views(settings: Settings, application: MemoryApplication) -> None:
    log = application.event_log
    for view in VIEW_KINDS:
        assert_view_equals_log(view_path(settings, view), log.url, log.name)
