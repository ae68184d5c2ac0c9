"""Token buckets: the same answers from the volatile store and from one process's own memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.rate_limits import RateLimits, TokensRefused, commit_tokens
from domain.caller import Caller
from domain.events import Quota
from tests.servers import LogServer

QUOTA = Quota(recall_per_s=5, recall_burst=10, commit_per_s=1, commit_burst=3)
AGENT = Caller(actor="cron-1", kind="agent", namespaces=("cron-1-main", "shared"), quota=QUOTA)


class SettableClock:
    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture(params=["store", "process"])
def limits(request, log_server: LogServer, clock: SettableClock) -> Iterator[RateLimits]:
    if request.param == "process":
        yield RateLimits(None, clock)
        return
    with log_server.client() as client:
        yield RateLimits(client, clock)
        client.delete(*(client.keys("mw:rate:*") or ["mw:rate:none"]))


def refused(limits: RateLimits, caller: Caller = AGENT, cost: int = 1) -> TokensRefused:
    with pytest.raises(TokensRefused) as error:
        limits.take(caller, "commit", cost)
    return error.value


def test_a_burst_is_served_and_the_next_command_is_told_when_to_come_back(limits, clock):
    left = [limits.take(AGENT, "commit").remaining for _ in range(3)]
    assert left == [2, 1, 0]
    error = refused(limits)
    assert error.retry_after_s == pytest.approx(1.0, abs=0.01)
    assert error.headers["X-RateLimit-Limit"] == "3"
    assert error.headers["X-RateLimit-Remaining"] == "0"
    clock.advance(0.9)
    refused(limits)
    clock.advance(0.2)
    assert limits.take(AGENT, "commit").remaining == 0


def test_purposes_and_callers_have_buckets_of_their_own(limits):
    for _ in range(3):
        limits.take(AGENT, "commit")
    refused(limits)
    assert limits.take(AGENT, "recall").remaining == 9
    assert limits.take(AGENT, "change").remaining == 9
    other = Caller(actor="cron-2", kind="agent", quota=QUOTA)
    assert limits.take(other, "commit").remaining == 2


def test_the_admin_is_exempt_and_the_owner_has_a_quota(limits):
    admin = Caller(actor="admin", kind="admin")
    assert all(limits.take(admin, "commit") is None for _ in range(50))
    owner = Caller(actor="owner", kind="owner")
    for _ in range(5):
        limits.take(owner, "commit")
    refused(limits, owner)


def test_a_batch_dearer_than_the_burst_is_served_from_a_full_bucket_and_paid_off_later(
    limits, clock
):
    limits.take(AGENT, "commit", cost=10)
    assert refused(limits).retry_after_s == pytest.approx(8.0, abs=0.01)
    clock.advance(7.5)
    refused(limits)
    clock.advance(0.6)
    limits.take(AGENT, "commit")


def test_a_clock_that_goes_back_refills_nothing_and_locks_nobody_out(limits, clock):
    clock.advance(3600)
    for _ in range(3):
        limits.take(AGENT, "commit")
    clock.advance(-3600)
    refused(limits)
    clock.advance(1.1)
    limits.take(AGENT, "commit")


def test_a_refused_request_costs_nothing(limits, clock):
    for _ in range(3):
        limits.take(AGENT, "commit")
    for _ in range(20):
        refused(limits)
    clock.advance(1.01)
    limits.take(AGENT, "commit")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 3), st.integers(1, 4)), min_size=1, max_size=40),
)
def test_no_sequence_gets_more_than_the_burst_and_the_rate_allow(steps):
    clock = SettableClock()
    limits = RateLimits(None, clock)
    served, elapsed, dearest = 0, 0.0, 0
    for pause, cost in steps:
        clock.advance(pause)
        elapsed += pause
        try:
            limits.take(AGENT, "commit", cost)
        except TokensRefused:
            continue
        served += cost
        dearest = max(dearest, cost)
    # A batch dearer than the burst may leave a debt of what it costs more than the burst.
    debt = max(0, dearest - QUOTA.commit_burst)
    assert served <= QUOTA.commit_burst + elapsed * QUOTA.commit_per_s + debt + 1e-6


def test_without_the_volatile_store_each_process_counts_for_itself(clock):
    with LogServer(appendonly="no") as server, server.client() as client:
        shared = RateLimits(client, clock)
        for _ in range(3):
            shared.take(AGENT, "commit")
        server.kill()
        alone = [shared.take(AGENT, "commit").remaining for _ in range(3)]
        assert alone == [2, 1, 0]
        refused(shared)


def test_the_store_is_asked_again_once_it_is_back(clock, monkeypatch):
    monkeypatch.setattr("api.rate_limits.RETRY_STORE_AFTER_S", 0.0)
    with LogServer(appendonly="no") as server, server.client() as client:
        limits = RateLimits(client, clock)
        server.kill()
        limits.take(AGENT, "commit")
        server.start()
        limits.take(AGENT, "commit")
        assert client.exists("mw:rate:cron-1:commit")


@pytest.mark.parametrize(("entries", "tokens"), [(1, 1), (50, 1), (51, 2), (100, 2), (500, 10)])
def test_a_batch_costs_one_token_per_started_fifty_entries(entries: int, tokens: int):
    assert commit_tokens(entries) == tokens


def test_buckets_do_not_stay_in_the_store_for_ever(log_server: LogServer, clock):
    with log_server.client() as client:
        RateLimits(client, clock).take(AGENT, "commit")
        assert 0 < client.pttl("mw:rate:cron-1:commit") <= 5000
        client.delete("mw:rate:cron-1:commit")
