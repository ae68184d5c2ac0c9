"""The parts that processes are made of: restarts, log lines, the lock of `up`."""

from __future__ import annotations

import fcntl
import io
import json
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from workers.logging import set_up_logging
from workers.restarts import (
    FIRST_PAUSE_S,
    GIVE_UP_AFTER,
    LONGEST_PAUSE_S,
    STEADY_S,
    CrashHistory,
    after_crash,
)
from workers.running import AlreadyUp, Running, UpLock, find_running


@given(st.lists(st.floats(0, STEADY_S, exclude_max=True), min_size=GIVE_UP_AFTER))
def test_what_dies_early_every_time_is_given_up(lives: list[float]) -> None:
    history, pauses = CrashHistory(), []
    for lived in lives[:GIVE_UP_AFTER]:
        history, pause = after_crash(history, lived)
        pauses.append(pause)
    assert pauses[-1] is None
    waited = [pause for pause in pauses[:-1] if pause is not None]
    assert len(waited) == GIVE_UP_AFTER - 1
    assert waited == sorted(waited)
    assert waited[0] == FIRST_PAUSE_S
    assert waited[-1] <= LONGEST_PAUSE_S


@given(st.integers(0, GIVE_UP_AFTER - 1), st.floats(STEADY_S, 1e6))
def test_a_child_that_was_well_for_long_is_started_again_soon(deaths: int, lived: float) -> None:
    assert after_crash(CrashHistory(deaths), lived) == (CrashHistory(1), FIRST_PAUSE_S)


def test_the_lock_of_up_says_who_serves_and_only_while_somebody_does(tmp_path: Path) -> None:
    assert find_running(tmp_path) is None
    lock = UpLock(tmp_path)
    lock.announce(Running(os.getpid(), "http://127.0.0.1:7821"))
    assert find_running(tmp_path) == Running(os.getpid(), "http://127.0.0.1:7821")
    with pytest.raises(AlreadyUp, match=r"http://127\.0\.0\.1:7821"):
        UpLock(tmp_path)
    lock.close()
    assert find_running(tmp_path) is None
    UpLock(tmp_path).close()


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged while a test runs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    set_up_logging("api", "info", stream)
    yield stream
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers[:], root.level = handlers, level


def test_log_lines_are_json_with_time_level_and_process(lines: io.StringIO) -> None:
    structlog.get_logger("here").info("request", position=7)
    logging.getLogger("granian").warning("a library says %s", "this")
    first, second = map(json.loads, lines.getvalue().splitlines())
    assert first["event"] == "request"
    assert first["position"] == 7
    assert first["process"] == second["process"] == "api"
    assert second["event"] == "a library says this"
    assert second["level"] == "warning"
    assert first["timestamp"].endswith("Z")


def test_a_line_of_a_thread_names_the_process_too(lines: io.StringIO) -> None:
    def fill() -> None:
        structlog.get_logger().info("filled")

    thread = threading.Thread(target=fill)
    thread.start()
    thread.join()
    assert json.loads(lines.getvalue())["process"] == "api"


def test_neither_a_secret_nor_a_content_can_be_logged_by_name(lines: io.StringIO) -> None:
    structlog.get_logger().error(
        "x", content="canary", query="canary", api_key="canary", authorization="canary"
    )
    assert "canary" not in lines.getvalue()


def test_an_exception_is_one_line(lines: io.StringIO) -> None:
    try:
        raise ValueError("boom")
    except ValueError:
        structlog.get_logger().exception("failed")
    (line,) = lines.getvalue().splitlines()
    assert "boom" in json.loads(line)["exception"]


def test_who_only_looks_who_serves_keeps_nobody_from_starting(tmp_path: Path) -> None:
    UpLock(tmp_path).close()
    with (tmp_path / "up.lock").open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        gone = threading.Timer(0.1, fcntl.flock, (looking, fcntl.LOCK_UN))
        gone.start()
        UpLock(tmp_path).close()
        gone.join()
