"""F12: the log server reaches its memory limit. An append is refused whole, reading goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain.errors import KeyReused, LogFull
from eventlog.outcomes import Appended, Duplicate
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import CommandKeywords, an_entry, new_command
from tests.servers import REDIS, VALKEY, LogServer


@pytest.fixture(params=["valkey", "debian redis"])
def full_server(request: pytest.FixtureRequest) -> Iterator[LogServer]:
    binary = VALKEY if request.param == "valkey" else REDIS
    if binary is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server runs this too")
    with LogServer(binary, maxmemory="8mb") as server:
        yield server


def fill(log: RedisLog) -> tuple[int, list[object], CommandKeywords]:
    """Append until the server refuses; give the head before, the refused batch, its command."""
    version = 0
    while True:
        entries = [an_entry("a", version + n, b"x" * 10_000) for n in range(1, 11)]
        command = new_command()
        try:
            log.append(entries, **command, subject_keys={f"s{version}": b"k" * 32})
        except LogFull:
            return version, entries, command
        version += 10


def test_an_append_over_the_limit_is_refused_whole_and_succeeds_after_room_was_made(
    full_server: LogServer,
) -> None:
    with RedisLog(full_server.url) as log:
        first_command = new_command()
        log.append([an_entry("first", 1)], **first_command)
        head, entries, command = fill(log)
        head += 1

        # Nothing of the refused batch is there, and nothing of its index, key, or record.
        assert log.head().position == head
        assert len(log.read_aggregate("a")) == head - 1
        assert log.subject_keys([f"s{head - 1}"]) == {}
        assert log.find_duplicate(**command) is None

        # From here on not even the smallest command is let in.
        client = full_server.client()
        client.config_set("maxmemory", "1mb")
        with pytest.raises(LogFull):
            log.append([an_entry("small", 1)], **new_command())

        # Reading, following, and recognising a repeat go on.
        with Subscription(log.url, log.name, Checkpoint()) as subscription:
            seen = 0
            while batch := subscription.read():
                seen += len(batch)
            assert seen == head
        assert log.append([an_entry("first", 1)], **first_command) == Duplicate(1, 1)
        other = CommandKeywords(command_id=first_command["command_id"], fingerprint="other")
        with pytest.raises(KeyReused):
            log.append([an_entry("first", 1)], **other)

        client.config_set("maxmemory", "64mb")
        assert log.append(entries, **command) == Appended(head + 1, head + 10)
        assert [e.event_id for e in log.read(head + 1)] == [e.event_id for e in entries]
