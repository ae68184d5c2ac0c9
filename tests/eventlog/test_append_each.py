"""Several commands in one round trip: each has an outcome of its own, and is stored once."""

from __future__ import annotations

import pytest

from domain.errors import Fenced, KeyReused, LogUnavailable, TooLarge
from eventlog.append import MAX_EVENTS, Appending, Fence
from eventlog.lease import Lease
from eventlog.outcomes import Appended, Conflict, Duplicate
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import CommandKeywords, an_entry, new_command
from tests.faults.relay import Relay
from tests.servers import LogServer


def appending(name: str, version: int = 1, *, fence: Fence | None = None) -> Appending:
    """One event of one aggregate, by a command of its own."""
    return Appending(entries=[an_entry(name, version)], fence=fence, **new_command())


def stored(log: RedisLog) -> list[str]:
    return [entry.aggregate_id for entry in log.read(1)]


def test_they_are_stored_in_their_order_each_by_itself(log: RedisLog) -> None:
    answers = log.append_each([log.prepare(appending(name)) for name in "abc"])
    assert [answer() for answer in answers] == [Appended(1, 1), Appended(2, 2), Appended(3, 3)]
    assert stored(log) == ["a", "b", "c"]


def test_what_is_refused_keeps_none_of_the_others_from_being_stored(log: RedisLog) -> None:
    known: CommandKeywords = new_command()
    log.append([an_entry("a", 1)], **known)
    lease = Lease(log, "distiller", "one", ttl_s=60.0)
    fence = lease.take().fence
    lease.release()
    assert Lease(log, "distiller", "two", ttl_s=60.0).take().fence
    again = Appending(entries=[an_entry("z", 1)], **known)
    other = Appending(entries=[an_entry("z", 1)], command_id=known["command_id"], fingerprint="f2")
    late, without_lease = appending("a"), appending("d", fence=fence)
    each = [appending("b"), again, late, other, without_lease, appending("c")]
    b, repeat, conflict, reused, fenced, c = log.append_each([log.prepare(one) for one in each])
    assert stored(log) == ["a", "b", "c"]
    assert (b(), repeat(), c()) == (Appended(2, 2), Duplicate(1, 1), Appended(3, 3))
    with pytest.raises(Conflict):
        conflict()
    with pytest.raises(KeyReused):
        reused()
    with pytest.raises(Fenced):
        fenced()


def test_too_much_for_one_append_is_told_before_anything_is_sent(log: RedisLog) -> None:
    entries = [an_entry("a", version) for version in range(1, MAX_EVENTS + 2)]
    with pytest.raises(TooLarge):
        log.prepare(Appending(entries=entries, **new_command()))


def test_a_server_that_has_forgotten_the_script_is_taught_it(
    log: RedisLog, log_server: LogServer
) -> None:
    log.append([an_entry("a", 1)], **new_command())
    with log_server.client() as client:
        client.script_flush()
    answers = log.append_each([log.prepare(appending(name)) for name in "bc"])
    assert [answer() for answer in answers] == [Appended(2, 2), Appended(3, 3)]


def test_where_the_answers_are_lost_each_is_repeated_and_stored_once(
    log_server: LogServer, log_name: str
) -> None:
    relay = Relay(log_server.directory, log_server.socket)
    try:
        with RedisLog(relay.url, log_name) as log:
            log.append([an_entry("a", 1)], **new_command())
            relay.losing_answers = 1
            answers = log.append_each([log.prepare(appending(name)) for name in "bcd"])
            assert [answer() for answer in answers] == [
                Duplicate(2, 2), Duplicate(3, 3), Duplicate(4, 4),
            ]  # fmt: skip
            assert relay.answers_lost == 1
            assert stored(log) == ["a", "b", "c", "d"]
    finally:
        relay.close()


def test_where_no_server_is_nothing_was_stored() -> None:
    with LogServer() as server, RedisLog(server.url, deadline_s=0.2) as log:
        requests = [log.prepare(appending(name)) for name in "ab"]
        server.kill()
        for answer in log.append_each(requests):
            with pytest.raises(LogUnavailable, match="nothing was stored"):
                answer()


def test_a_watched_log_is_not_written_in_a_server_that_could_lose_it() -> None:
    with LogServer(appendfsync="everysec") as server, RedisLog(server.url, watched=True) as log:
        requests = [log.prepare(appending("a"))]
        with pytest.raises(LogUnavailable, match="appendfsync"):
            log.append_each(requests)
        assert stored(log) == []
