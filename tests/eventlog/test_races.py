"""Many writers at once."""

from __future__ import annotations

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventlog.outcomes import Appended, Conflict
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import an_entry, new_command

RACERS = 8


@pytest.mark.parametrize(
    "versions", [40, pytest.param(300, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_of_eight_racers_for_a_version_exactly_one_wins(log: RedisLog, versions: int) -> None:
    start = threading.Barrier(RACERS)
    winners: list[str] = []

    def race() -> Counter[str]:
        results: Counter[str] = Counter()
        for version in range(1, versions + 1):
            entry = an_entry("a", version)
            start.wait()
            try:
                log.append([entry], **new_command())
            except Conflict as conflict:
                results["conflict" if conflict.actual == version else "wrong"] += 1
            else:
                winners.append(entry.event_id)
                results["won"] += 1
            start.wait()
        return results

    with ThreadPoolExecutor(RACERS) as racers:
        results = sum((r.result() for r in [racers.submit(race) for _ in range(RACERS)]), Counter())

    assert results == {"won": versions, "conflict": (RACERS - 1) * versions}
    entries = log.read(1, limit=versions)
    assert [e.version for e in entries] == list(range(1, versions + 1))
    assert [e.event_id for e in entries] == winners


def test_batches_of_eight_writers_never_interleave(log: RedisLog) -> None:
    def write(number: int) -> list[tuple[Appended, list[str]]]:
        sizes = random.Random(number)
        written = []
        version = 0
        for _ in range(20):
            size = sizes.randint(1, 30)
            entries = [an_entry(f"w{number}", version + n) for n in range(1, size + 1)]
            version += size
            outcome = log.append(entries, **new_command())
            assert isinstance(outcome, Appended)
            written.append((outcome, [e.event_id for e in entries]))
        return written

    with ThreadPoolExecutor(RACERS) as writers:
        batches = [b for w in [writers.submit(write, n) for n in range(RACERS)] for b in w.result()]

    stored = log.read(1, limit=10_000)
    assert len(stored) == sum(len(ids) for _, ids in batches) == log.head().position
    for outcome, ids in batches:
        assert [e.event_id for e in stored[outcome.first - 1 : outcome.last]] == ids


def test_two_who_send_the_same_command_at_once_get_the_same_positions(log: RedisLog) -> None:
    for number in range(20):
        command = new_command()
        entries = [an_entry(f"a{number}", v) for v in (1, 2)]
        start = threading.Barrier(4)

        def send() -> tuple[int, int]:
            start.wait()  # noqa: B023  # all of this round are done before the next begins
            outcome = log.append(entries, **command)  # noqa: B023
            return outcome.first, outcome.last

        with ThreadPoolExecutor(4) as senders:
            places = {s.result() for s in [senders.submit(send) for _ in range(4)]}
        assert places == {(2 * number + 1, 2 * number + 2)}
