"""The distiller on a real log: what waits is distilled once, whatever ends or stands in the way."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from commands.application import MemoryApplication
from commands.distillation_failed import (
    FailedDistillation,
    command_for,
    distillation_failed,
)
from commands.redistil import redistil
from domain.events import Event
from eventlog.lease import Lease
from memoryweave import contract
from tests.commands.speaking import Speaker
from tests.servers import LogServer, eventually
from tests.workers.distilled import (
    await_endings,
    endings,
    failures,
    require_each_once,
    speaker,
    statement,
    working,
)
from tests.workers.distiller_child import FAILS, KILLS, NOTES
from workers.distillation.pending import Rules
from workers.distillation.reactor import LEASE
from workers.distillation.status import read_status
from workers.settings import Settings


@pytest.fixture
def settings(log_server: LogServer, log_name: str, tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, redis_url=log_server.url, log=log_name)


@pytest.fixture
def application(settings: Settings) -> Iterator[MemoryApplication]:
    assert settings.redis_url is not None
    with MemoryApplication(settings.redis_url, settings.log) as opened:
        yield opened


@pytest.fixture
def hermes(application: MemoryApplication) -> Speaker:
    return speaker(application)


def say(hermes: Speaker, *numbers: int, session: str | None = None) -> None:
    hermes.batch(
        *(contract.Commit(content=statement(number), session_id=session) for number in numbers)
    )


def test_ten_that_wait_are_distilled_and_the_eleventh_waits(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    say(hermes, *range(9))
    with working(settings):
        eventually(lambda: _waits(settings, 9))
        say(hermes, 9)
        await_endings(application, 10)
        say(hermes, 10)
        eventually(lambda: _waits(settings, 1))
    assert list(endings(application).values()).count(["EpisodeCommitted"]) == 1
    status = read_status(settings.data)
    assert status is not None
    assert status.distilled == 10


def test_what_is_urgent_does_not_wait(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    with working(settings):
        hermes.commit(statement(1), urgent=True)
        hermes.commit(statement(2), trigger="distill")
        hermes.commit(f"记住，{statement(3)}")
        await_endings(application, 3)
    require_each_once(application, 3)


def test_the_turns_before_are_given_and_nothing_of_deleted_ones(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    said = [hermes.commit(statement(n), session_id="s-1").episode_id for n in range(6)]
    hermes.delete_episode(said[3])
    hermes.commit(statement(6), session_id="s-1", urgent=True)
    with working(settings):
        await_endings(application, 6)
    notes = (settings.data / NOTES).read_text().splitlines()
    before = [statement(2), statement(4), statement(5)]
    assert notes[-1] == f"{statement(6)} | {before}"


def test_after_a_stop_it_goes_on_where_it_was_and_stops_within_a_second(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    say(hermes, *range(12))
    with working(settings):
        await_endings(application, 12)
        eventually(lambda: _waits(settings, 0))
        began = time.monotonic()
    assert time.monotonic() - began < 1.0
    epoch = application.event_log.head().epoch
    assert application.event_log.tracked_position(f"{LEASE}:{epoch}")
    say(hermes, *range(12, 30))
    with working(settings):
        await_endings(application, 30)
    require_each_once(application, 30)


def test_one_that_fails_is_noted_without_its_text_and_the_others_go_on(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    broken = hermes.commit(f"{statement(0)}, which {FAILS}").episode_id
    say(hermes, *range(1, 10))
    with working(settings):
        await_endings(application, 9)
        eventually(lambda: bool(failures(application)))
    [failed] = failures(application)
    assert (failed.error, failed.attempt) == ("rules: ValueError", 1)
    assert endings(application)[broken] == ["EpisodeCommitted", "DistillationFailed"]


def test_after_a_restart_a_failed_one_is_tried_again_and_a_given_up_one_only_when_asked_for(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    failed, given_up = (hermes.commit(statement(number)).episode_id for number in (1, 2))
    _fail(application, hermes, failed, 1)
    for attempt in range(1, Rules().attempts + 1):
        _fail(application, hermes, given_up, attempt)
    with working(settings):
        await_endings(application, 1)
        eventually(lambda: _waits(settings, 0))
        assert endings(application)[given_up][-1] == "DistillationFailed"
        request = contract.Redistil(episode_ids=[given_up])
        Speaker.of_kind(application, "owner").send(redistil, request)
        await_endings(application, 2)
    require_each_once(application, 2)


@pytest.mark.slow
def test_one_that_is_the_end_of_its_process_is_found_and_noted(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    say(hermes, *range(5))
    deadly = hermes.commit(f"{statement(99)} {KILLS}").episode_id
    say(hermes, *range(5, 9))
    with working(settings):
        await_endings(application, 9)
        eventually(lambda: bool(failures(application)), within_s=30)
    [failed] = failures(application)
    assert failed.error == "process_died"
    assert endings(application)[deadly] == ["EpisodeCommitted", "DistillationFailed"]


def test_two_at_once_distil_each_episode_once(
    settings: Settings, application: MemoryApplication, hermes: Speaker, tmp_path: Path
) -> None:
    say(hermes, *range(40))
    other = replace(settings, data=tmp_path / "other")
    other.data.mkdir()
    with ExitStack() as stack:
        for node in (settings, other):
            stack.enter_context(working(node))
        await_endings(application, 40)
        states = {status.state for node in (settings, other) if (status := read_status(node.data))}
        assert "standby" in states
    require_each_once(application, 40)


def test_one_that_lost_its_lease_appends_nothing(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    log = application.event_log
    with working(settings) as hands:
        hermes.commit(statement(0), urgent=True)
        await_endings(application, 1)
        pid = hands[0].pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        say(hermes, *range(1, 20))
        eventually(lambda: _state(settings) == "working")
        # Somebody else has it now, as after a sleep that was longer than the lease.
        log.call("DEL", log.keys.lease(LEASE))
        taken = Lease(log, LEASE, "somebody else", 600).take()
        assert taken.fence is not None
        head = log.head().position
        os.kill(pid, signal.SIGCONT)
        eventually(lambda: _state(settings) == "standby", within_s=30)
        assert log.head().position == head


@pytest.mark.slow
def test_a_killed_process_loses_and_repeats_nothing(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    say(hermes, *range(100))
    with working(settings) as hands:
        for done in (10, 40, 70):
            await_endings(application, done)
            pid = hands[0].pid
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
        await_endings(application, 100)
    require_each_once(application, 100)
    assert not failures(application)


def test_deleted_and_erased_ones_are_let_go(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    gone = [hermes.commit(statement(n)).episode_id for n in range(2)]
    say(hermes, *range(2, 12))
    hermes.delete_episode(gone[0])
    Speaker.of_kind(application, "admin").erase(episode_id=gone[1])
    with working(settings):
        await_endings(application, 10)
        eventually(lambda: _waits(settings, 0))
        hermes.restore_episode(gone[0])
        await_endings(application, 11)


def test_switched_off_it_says_so_and_touches_nothing(
    settings: Settings, application: MemoryApplication, hermes: Speaker
) -> None:
    say(hermes, *range(20))
    head = application.event_log.head()
    with working(replace(settings, distill_by="off")) as hands:
        assert _state(settings) == "off"
        assert not hands
    assert application.event_log.head() == head


def _fail(application: MemoryApplication, hermes: Speaker, episode_id: str, attempt: int) -> None:
    """Note a failed attempt, long ago by the clock."""
    [committed, *_] = application.events.get(episode_id)
    assert isinstance(committed, Event)
    request = FailedDistillation(episode_id=episode_id, error="rules: KeyError", attempt=attempt)
    distillation_failed(application, command_for(request, committed), hermes.clock)


def _state(settings: Settings) -> str:
    status = read_status(settings.data)
    return "" if status is None else status.state


def _waits(settings: Settings, count: int) -> bool:
    status = read_status(settings.data)
    return status is not None and (status.state, status.waiting) == ("waiting", count)
