"""The language model's budget is counted where the log is, before a call goes out."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.redis_log import RedisLog
from tests.servers import LogServer
from workers.distillation.budget import Allowance, CallBudget, Reservation

FRIDAY = datetime(2026, 5, 1, 12, tzinfo=UTC)
SUNDAY = datetime(2026, 5, 3, 12, tzinfo=UTC)
SHANGHAI = Allowance(zone=ZoneInfo("Asia/Shanghai"), daily=50, sunday=20)

_numbers = count()
_logs = count()


def taken(budget: CallBudget, wanted: int, purpose: str = "distil") -> list[Reservation]:
    got = [budget.reserve(f"call-{next(_numbers)}", purpose) for _ in range(wanted)]
    return [one for one in got if one is not None]


def test_fifty_calls_a_day_and_no_more(log: RedisLog) -> None:
    budget = CallBudget(log, SHANGHAI, lambda: FRIDAY)
    assert len(taken(budget, 60)) == 50
    assert budget.spent() == {"daily": 50, "sunday": 0}


def test_a_day_ends_at_midnight_of_its_time_zone(log: RedisLog) -> None:
    now = datetime(2026, 5, 1, 15, 59, 59, tzinfo=UTC)  # 23:59:59 in Shanghai
    budget = CallBudget(log, SHANGHAI, lambda: now)
    assert {one.day for one in taken(budget, 60)} == {date(2026, 5, 1)}
    now += timedelta(seconds=1)
    (first,) = taken(budget, 1)
    assert first.day == date(2026, 5, 2)


def test_sunday_has_twenty_more_for_consolidation_alone(log: RedisLog) -> None:
    budget = CallBudget(log, SHANGHAI, lambda: SUNDAY)
    assert len(taken(budget, 60)) == 50
    assert len(taken(budget, 30, "consolidation")) == 20
    assert taken(budget, 1) == []


def test_on_other_days_consolidation_shares_the_days_calls(log: RedisLog) -> None:
    budget = CallBudget(log, SHANGHAI, lambda: FRIDAY)
    assert len(taken(budget, 30, "consolidation")) == 30
    assert len(taken(budget, 30)) == 20


def test_a_call_that_is_taken_twice_counts_once(log: RedisLog) -> None:
    """A reservation whose answer was lost is asked for again."""
    budget = CallBudget(log, SHANGHAI, lambda: FRIDAY)
    assert budget.reserve("a") == budget.reserve("a")
    assert budget.spent()["daily"] == 1


def test_what_was_given_back_twice_is_given_back_once(log: RedisLog) -> None:
    budget = CallBudget(log, SHANGHAI, lambda: FRIDAY)
    first, *_ = taken(budget, 3)
    budget.give_back(first)
    budget.give_back(first)
    assert budget.spent()["daily"] == 2


def test_two_distillers_at_once_never_exceed_it(log_server: LogServer, log_name: str) -> None:
    with RedisLog(log_server.url, log_name) as one, RedisLog(log_server.url, log_name) as two:
        budgets = [CallBudget(log, SHANGHAI, lambda: FRIDAY) for log in (one, two)]
        with ThreadPoolExecutor(8) as pool:
            got = list(pool.map(lambda at: taken(budgets[at % 2], 20), range(8)))
        assert sum(map(len, got)) == 50


def test_a_killed_log_server_forgets_no_call() -> None:
    with LogServer() as server:
        with RedisLog(server.url, "kept") as log:
            assert len(taken(CallBudget(log, SHANGHAI, lambda: FRIDAY), 30)) == 30
        server.kill()
        server.start()
        with RedisLog(server.url, "kept") as log:
            assert len(taken(CallBudget(log, SHANGHAI, lambda: FRIDAY), 30)) == 20


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["distil", "consolidation", "back", "later"]), st.integers(0, 40_000)
    ),
    max_size=60,
)


@given(steps=STEPS, daily=st.integers(0, 5), sunday=st.integers(0, 3))
@settings(max_examples=40)
def test_the_budget_is_that_of_a_simple_count(
    log_server: LogServer, steps: list[tuple[str, int]], daily: int, sunday: int
) -> None:
    """Whatever is reserved and given back, by either of two distillers, over days."""
    now = datetime(2026, 5, 2, 3, tzinfo=UTC)
    rules = Allowance(zone=ZoneInfo("Europe/Berlin"), daily=daily, sunday=sunday)
    name = f"budget{next(_logs)}"
    with RedisLog(log_server.url, name) as log:
        budgets = [CallBudget(log, rules, lambda: now) for _ in range(2)]
        out: list[Reservation] = []
        for number, (step, value) in enumerate(steps):
            budget = budgets[value % 2]
            held = Counter((one.day, one.pool) for one in out)
            if step == "later":
                now += timedelta(seconds=value)
            elif step == "back" and out:
                budget.give_back(out.pop(value % len(out)))
            elif step in ("distil", "consolidation"):
                day = now.astimezone(rules.zone).date()
                extra = step == "consolidation" and day.weekday() == 6
                left = daily - held[day, "daily"]
                left_on_sunday = sunday - held[day, "sunday"] if extra else 0
                got = budget.reserve(f"{number}", step)
                assert (got is not None) == (left > 0 or left_on_sunday > 0)
                if got is not None:
                    assert got.pool == ("sunday" if left_on_sunday > 0 else "daily")
                    out.append(got)
        for (_, pool), held_calls in Counter((one.day, one.pool) for one in out).items():
            assert held_calls <= (daily if pool == "daily" else sunday)
