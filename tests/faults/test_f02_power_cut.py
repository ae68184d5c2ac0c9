"""F2 and F3: the power goes while eight writers write.

With ``appendfsync always`` nothing acknowledged may be lost. With ``everysec`` it must be: that
proves that the cut is real, and that what was lost is noticed.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from eventlog.guard import LogServerRefused, guard_log_server
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.faults.harness import Ledger, assert_invariants, lost_events, settle_doubts, writers
from tests.faults.power_loss import COMPILER, build_shim, cut_power, watch_syncs
from tests.servers import LogServer, eventually

pytestmark = pytest.mark.skipif(
    COMPILER is None, reason="F2 NOT RUN: no C compiler (cc) to build the power-loss shim"
)


def cut_once_under_writers(server: LogServer, ledger: Ledger, seed: int) -> int:
    """One round; gives the number of bytes that were cut off."""
    wanted = len(ledger.acknowledged) + random.Random(seed).randint(100, 400)
    with writers(server.url, ledger, 8, seed) as going:
        eventually(lambda: len(ledger.acknowledged) >= wanted, within_s=60, every_s=0.001)
        going.set()
        cut = cut_power(server)
    server.start()
    return cut


def always_loses_nothing(tmp_path: Path, rounds: int) -> None:
    ledger = Ledger()
    server = LogServer()
    watch_syncs(server, build_shim(tmp_path))
    with server:
        for seed in range(rounds):
            cut_once_under_writers(server, ledger, seed)
            with server.client() as admin, RedisLog(server.url) as log:
                assert_invariants(admin, ledger)
                guard_log_server(log)
                settle_doubts(log, ledger)
                assert_invariants(admin, ledger)


def test_f02_a_power_cut_loses_nothing_acknowledged(tmp_path: Path) -> None:
    always_loses_nothing(tmp_path, rounds=1)


@pytest.mark.slow
def test_f02_twenty_power_cuts_lose_nothing_acknowledged(tmp_path: Path) -> None:
    always_loses_nothing(tmp_path, rounds=20)


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
def test_f03_everysec_loses_and_every_reader_says_so(tmp_path: Path, seed: int) -> None:
    ledger = Ledger()
    server = LogServer(appendfsync="everysec")
    watch_syncs(server, build_shim(tmp_path))
    with server:
        with RedisLog(server.url) as log:
            with pytest.raises(LogServerRefused, match="appendfsync must be always"):
                guard_log_server(log)
            assert not guard_log_server(log, allow_volatile=True).durable
        assert cut_once_under_writers(server, ledger, seed) > 0
        with server.client() as admin, RedisLog(server.url) as log:
            lost = lost_events(admin, ledger)
            assert len(lost) > 0
            epoch = log.head().epoch
            # A reader that had come to the last acknowledged event.
            position, event_id = max(ledger.acknowledged_events().items())
            reader = Subscription(log.url, log.name, Checkpoint(position, epoch, event_id))
            with pytest.raises(LogFork):
                reader.read()
            reader.close()
            with pytest.raises(LogFork):
                guard_log_server(
                    log, known=[Checkpoint(position, epoch, event_id)], allow_volatile=True
                )
