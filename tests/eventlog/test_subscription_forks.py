"""A reader notices a log that is not the one it has followed, whenever it may have changed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator

import pytest

from domain.errors import LogUnavailable
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer


@pytest.fixture
def server() -> Iterator[LogServer]:
    with LogServer() as own:
        yield own


@pytest.fixture
def reader(server: LogServer) -> Iterator[Subscription]:
    """A reader that has read five events."""
    append(server, "a", 1, 5)
    with Subscription(server.url, "main", Checkpoint()) as subscription:
        assert len(subscription.read()) == 5
        yield subscription


def append(server: LogServer, aggregate: str, first: int, last: int) -> None:
    with RedisLog(server.url) as log:
        log.append([an_entry(aggregate, v) for v in range(first, last + 1)], **new_command())


def read_after_restart(subscription: Subscription) -> list[int]:
    """Read until the subscription has a connection again."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return [e.position for e in subscription.read(wait_s=0.01)]
        except LogUnavailable:
            assert time.monotonic() < deadline


def test_after_a_restart_with_the_same_log_the_reader_goes_on(
    server: LogServer, reader: Subscription
) -> None:
    server.kill()
    with pytest.raises(LogUnavailable):
        reader.read()
    server.start()
    append(server, "a", 6, 7)
    assert read_after_restart(reader) == [6, 7]


def test_a_restart_that_the_reader_did_not_see_is_no_reason_to_stop(
    server: LogServer, reader: Subscription
) -> None:
    server.kill()
    server.start()
    append(server, "a", 6, 7)
    assert read_after_restart(reader) == [6, 7]


def test_a_log_that_lost_its_files_is_a_fork(server: LogServer, reader: Subscription) -> None:
    server.kill()
    shutil.rmtree(server.directory / "appendonlydir")
    server.start()
    with pytest.raises(LogFork, match="ends at 0"):
        read_after_restart(reader)


def test_a_log_that_began_anew_and_is_longer_by_now_is_a_fork(
    server: LogServer, reader: Subscription
) -> None:
    """Its next event would have just the position that the reader waits for."""
    server.kill()
    shutil.rmtree(server.directory / "appendonlydir")
    server.start()
    append(server, "b", 1, 6)
    for _ in range(2):
        with pytest.raises(LogFork, match="epoch"):
            read_after_restart(reader)


def test_a_log_that_lost_its_tail_and_used_the_positions_again_is_a_fork(
    server: LogServer,
) -> None:
    """As after a fail-over to a replica that missed the last events: the epoch is the same."""
    append(server, "a", 1, 3)
    server.kill()
    shutil.copytree(server.directory / "appendonlydir", server.directory / "older")
    server.start()
    append(server, "a", 4, 5)
    with Subscription(server.url, "main", Checkpoint()) as reader:
        assert len(reader.read()) == 5
        server.kill()
        shutil.rmtree(server.directory / "appendonlydir")
        (server.directory / "older").rename(server.directory / "appendonlydir")
        server.start()
        append(server, "b", 1, 3)
        with pytest.raises(LogFork, match="stands at 5"):
            read_after_restart(reader)


def test_a_log_emptied_under_a_waiting_reader_is_a_fork(
    server: LogServer, reader: Subscription
) -> None:
    """The connection holds, and a blocked read is told nothing."""
    with server.client() as client:
        client.flushall()
    with pytest.raises(LogFork):
        reader.read(wait_s=0.01)


def test_another_epoch_is_noticed_at_the_next_empty_answer(
    server: LogServer, reader: Subscription
) -> None:
    with server.client() as client:
        client.hset("{mw:main}:meta", "epoch", "restored")
    with pytest.raises(LogFork, match="epoch"):
        reader.read(wait_s=0.01)


def test_a_reader_may_wait_as_long_as_it_likes_for_an_event(
    server: LogServer, reader: Subscription
) -> None:
    """The socket waits longer than the server blocks, so that waiting is not taken for failing."""
    assert reader.read(wait_s=2.5) == []


def test_a_reader_at_the_beginning_takes_whatever_log_there_is(server: LogServer) -> None:
    with Subscription(server.url, "main", Checkpoint()) as reader:
        assert reader.read(wait_s=0.01) == []
        append(server, "a", 1, 1)
        assert [e.position for e in reader.read(wait_s=1)] == [1]
