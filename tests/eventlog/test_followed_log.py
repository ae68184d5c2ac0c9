"""A writer appends to the log that it has followed, and to no other, however it came about."""

from __future__ import annotations

from pathlib import Path

import pytest

from eventlog.outcomes import Duplicate, LogFork
from eventlog.redis_log import RedisLog
from tests.eventlog.archived import ArchivedLog
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer


def wipe(log_server: LogServer, log: RedisLog) -> None:
    with log_server.client() as client:
        client.delete(*client.keys(f"{{mw:{log.name}}}:*"))


def test_a_log_that_is_gone_is_never_begun_again_at_position_1(
    log_server: LogServer, log: RedisLog
) -> None:
    log.append([an_entry("a", 1)], **new_command())
    wipe(log_server, log)
    with pytest.raises(LogFork, match="none: it is empty"):
        log.append([an_entry("b", 1)], **new_command())
    assert log.head().position == 0
    with log_server.client() as client:
        assert client.keys(f"{{mw:{log.name}}}:*") == []


def test_a_writer_that_was_told_which_log_to_follow_refuses_any_other(
    log_server: LogServer, log: RedisLog
) -> None:
    with RedisLog(log_server.url, log.name) as other:
        other.append([an_entry("a", 1)], **new_command())
    log.follow("the epoch of another log")
    command = new_command()
    with pytest.raises(LogFork, match="another one"):
        log.append([an_entry("a", 2)], **command)
    log.follow(log.head().epoch)
    assert log.append([an_entry("a", 2)], **command).last == 2


def lose_all_after(log: RedisLog, log_server: LogServer, position: int) -> None:
    """As a replica that was promoted has it: another stream, which ends before."""
    with log_server.client() as client:
        kept = client.xrange(log.keys.stream, max=f"{position}-0")
        client.delete(log.keys.stream)
        for entry_id, fields in kept:
            client.xadd(log.keys.stream, fields, id=entry_id)


def test_a_log_that_lost_what_it_acknowledged_takes_nothing_more_of_that_writer(
    log_server: LogServer, log: RedisLog
) -> None:
    log.append([an_entry("a", version) for version in range(1, 6)], **new_command())
    lose_all_after(log, log_server, 3)
    with pytest.raises(LogFork, match="ends at 3"):
        log.append([an_entry("b", 1)], **new_command())
    assert log.head().position == 3


def test_who_decided_that_what_is_left_is_right_may_go_on_from_there(
    log_server: LogServer, log: RedisLog
) -> None:
    log.append([an_entry("a", version) for version in range(1, 6)], **new_command())
    lose_all_after(log, log_server, 3)
    epoch = log.head().epoch
    log.follow(epoch)
    with pytest.raises(LogFork, match="ends at 3"):
        log.append([an_entry("b", 1)], **new_command())
    log.follow(epoch, "3/x")
    assert log.append([an_entry("b", 1)], **new_command()).first == 4
    lose_all_after(log, log_server, 3)
    log.follow(epoch, "3/x")
    with pytest.raises(LogFork, match="ends at 3"):
        log.append([an_entry("c", 1)], **new_command())


def test_a_log_that_was_trimmed_to_its_end_has_lost_nothing(
    log_server: LogServer, log_name: str, tmp_path: Path
) -> None:
    archived = ArchivedLog(log_server.url, log_name, tmp_path)
    with archived.log as log:
        archived.write(12)
        with log_server.client() as client:
            client.xtrim(log.keys.stream, minid=f"{log.head().position + 1}-0", approximate=False)
        assert log.append([an_entry("b", 1)], **new_command()).first == 13


def test_a_repeat_is_recognised_before_anything_else_but_the_epoch(log: RedisLog) -> None:
    command = new_command()
    log.append([an_entry("a", 1)], **command)
    assert log.append([an_entry("a", 1)], **command) == Duplicate(1, 1)
