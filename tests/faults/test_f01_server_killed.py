"""F1: the log server is killed under eight writers, again and again."""

from __future__ import annotations

import random

import pytest

from eventlog.guard import guard_log_server
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint
from tests.faults.harness import (
    Ledger,
    assert_invariants,
    new_attempt,
    send,
    settle_doubts,
    writers,
)
from tests.servers import LogServer, eventually

WRITERS = 8


def kill_once_under_writers(server: LogServer, ledger: Ledger, seed: int) -> int:
    """One round, the server runs before and after it; gives the number of commands in doubt."""
    before = len(ledger.acknowledged)
    wanted = before + random.Random(seed).randint(100, 400)
    with writers(server.url, ledger, WRITERS, seed) as going:
        eventually(lambda: len(ledger.acknowledged) >= wanted, within_s=60, every_s=0.001)
        going.set()
        server.kill()
    # Only what was under way can be in doubt; the rest was answered or never sent.
    in_doubt = len(ledger.in_doubt)
    assert in_doubt <= WRITERS
    server.start()
    with server.client() as admin, RedisLog(server.url) as log:
        assert_invariants(admin, ledger)
        head = log.head()
        report = guard_log_server(log, known=[Checkpoint(head.position, head.epoch, head.event_id)])
        assert report.durable
        settle_doubts(log, ledger)
        assert_invariants(admin, ledger)
    return in_doubt


def test_f01_a_killed_server_loses_nothing_acknowledged_and_doubles_nothing() -> None:
    with LogServer() as server:
        kill_once_under_writers(server, Ledger(), seed=1)


@pytest.mark.slow
def test_f01_twenty_kills_lose_nothing() -> None:
    ledger = Ledger()
    with LogServer() as server:
        in_doubt = sum(kill_once_under_writers(server, ledger, seed) for seed in range(20))
    assert len(ledger.acknowledged) > 20 * 100
    assert in_doubt > 0


def test_f01_the_oracle_sees_a_lost_a_moved_and_a_torn_event() -> None:
    ledger = Ledger()
    with LogServer() as server, RedisLog(server.url) as log, server.client() as admin:
        for n in range(1, 4):
            send(log, ledger, new_attempt(("a", 2 * n - 1), ("a", 2 * n)))
        assert_invariants(admin, ledger)
        entry = admin.xrange(log.keys.stream, "6-0", "6-0")[0][1]
        admin.xdel(log.keys.stream, "6-0")
        with pytest.raises(AssertionError, match=r"acknowledged and lost: \{6:"):
            assert_invariants(admin, ledger)
        admin.xadd(log.keys.stream, entry, id="7-0")
        with pytest.raises(AssertionError, match=r"acknowledged and lost: \{6:"):
            assert_invariants(admin, ledger)
        ledger.acknowledged.popitem()
        with pytest.raises(AssertionError, match="a gap in"):
            assert_invariants(admin, ledger)
        admin.xdel(log.keys.stream, "7-0")
        with pytest.raises(AssertionError, match="is there in part"):
            assert_invariants(admin, ledger)
