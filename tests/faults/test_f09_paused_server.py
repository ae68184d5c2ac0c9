"""F9: the server stops answering during an append. The command takes effect exactly once.

Never a Conflict for the caller's own write, and the log grows by the batch once.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventlog.entry import RawEntry
from eventlog.outcomes import Appended, Duplicate, InDoubt
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import an_entry, new_command
from tests.faults.relay import Relay
from tests.servers import LogServer

ATTEMPT_S = 0.05
SEED = 20260


@pytest.fixture(scope="module")
def server() -> Iterator[LogServer]:
    with LogServer() as own:
        # Load the script, so that a paused server has a command before it and no NOSCRIPT.
        with RedisLog(own.url, "first") as log:
            log.append([an_entry("a", 1)], **new_command())
        yield own


@pytest.fixture
def hasty(server: LogServer, log_name: str) -> Iterator[RedisLog]:
    """A log whose attempts time out while the server is paused."""
    with RedisLog(server.url, log_name, deadline_s=10, attempt_timeout_s=ATTEMPT_S) as log:
        yield log


def batch(size: int = 3, body: bytes = b"{}") -> list[RawEntry]:
    return [an_entry("a", version, body) for version in range(1, size + 1)]


def assert_once(log: RedisLog, entries: list[RawEntry]) -> None:
    """The log holds exactly these events, by their ids, and goes on behaving."""
    assert [e.event_id for e in log.read(1)] == [e.event_id for e in entries]
    assert [e.event_id for e in log.read_aggregate("a")] == [e.event_id for e in entries]
    following = an_entry("a", len(entries) + 1)
    position = len(entries) + 1
    outcome = log.append([following], **new_command())
    assert (outcome.first, outcome.last) == (position, position)


def paused_append(
    server: LogServer, log: RedisLog, entries: list[RawEntry], pause_after_s: float | None
) -> object:
    """Append while the server is paused for longer than several attempts."""
    command = new_command()
    executor = ThreadPoolExecutor(1)
    try:
        if pause_after_s is None:
            server.pause()
            answer = executor.submit(log.append, entries, **command)
        else:
            answer = executor.submit(log.append, entries, **command)
            time.sleep(pause_after_s)  # the moment of the pause is the fault
            server.pause()
        threading.Event().wait(5 * ATTEMPT_S)
        server.resume()
        return answer.result(timeout=20)
    finally:
        executor.shutdown()


def test_phase_1_paused_before_the_connection(server: LogServer, hasty: RedisLog) -> None:
    entries = batch()
    outcome = paused_append(server, hasty, entries, None)
    assert outcome in (Appended(1, 3), Duplicate(1, 3))
    assert_once(hasty, entries)


def test_phase_2_paused_before_the_command_is_read(server: LogServer, hasty: RedisLog) -> None:
    hasty.head()
    entries = batch()
    outcome = paused_append(server, hasty, entries, None)
    assert outcome in (Appended(1, 3), Duplicate(1, 3))
    assert_once(hasty, entries)


def test_phase_3_paused_while_the_command_is_being_sent(server: LogServer, hasty: RedisLog) -> None:
    hasty.head()
    entries = batch(3, b"x" * 1_000_000)  # more than a socket's buffers hold
    outcome = paused_append(server, hasty, entries, None)
    assert outcome in (Appended(1, 3), Duplicate(1, 3))
    assert_once(hasty, entries)


@pytest.mark.parametrize(
    "rounds", [5, pytest.param(200, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_phase_4_paused_somewhere_between_command_and_answer(
    server: LogServer, log_name: str, rounds: int
) -> None:
    print(f"seed {SEED}")
    moments = random.Random(SEED)
    for number in range(rounds):
        name = f"{log_name}-{number}"
        with RedisLog(server.url, name, deadline_s=10, attempt_timeout_s=ATTEMPT_S) as log:
            log.head()
            entries = batch(50)
            outcome = paused_append(server, log, entries, moments.uniform(0, 0.004))
            assert outcome in (Appended(1, 50), Duplicate(1, 50))
            assert_once(log, entries)


@pytest.mark.parametrize("lost", range(1, 11))
def test_phase_4_the_answer_is_lost_after_the_command_was_carried_out(
    server: LogServer, log_name: str, lost: int
) -> None:
    relay = Relay(server.directory, server.socket)
    try:
        with RedisLog(relay.url, log_name, deadline_s=20) as log:
            log.append([an_entry("warm", 1)], **new_command())
            relay.losing_answers = lost
            entries = batch()
            assert log.append(entries, **new_command()) == Duplicate(2, 4)
        assert relay.answers_lost == lost
    finally:
        relay.close()
    with RedisLog(server.url, log_name) as log:
        assert [e.event_id for e in log.read(2)] == [e.event_id for e in entries]


def test_phase_5_paused_past_the_deadline_is_in_doubt_and_a_repeat_settles_it(
    server: LogServer, log_name: str
) -> None:
    hasty = RedisLog(server.url, log_name, deadline_s=1, attempt_timeout_s=ATTEMPT_S)
    with hasty, RedisLog(server.url, log_name, deadline_s=20) as patient:
        patient.append([an_entry("before", 1)], **new_command())
        assert hasty.subject_keys(["none"]) == {}  # now it has a connection to send on
        entries = batch()
        command = new_command()
        server.pause()
        with pytest.raises(InDoubt):
            hasty.append(entries, **command)
        server.resume()
        outcome = patient.append(entries, **command)
        assert (outcome.first, outcome.last) == (2, 4)
        assert patient.append(entries, **command) == Duplicate(2, 4)
        assert [e.event_id for e in patient.read(2)] == [e.event_id for e in entries]
