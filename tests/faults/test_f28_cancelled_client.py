"""F28: whoever waits for an append gives up at a random moment.

The log is synchronous and runs in threads under asyncio, so cancelling the awaiting task leaves
the append running; an interrupt, as of Ctrl-C, breaks it off anywhere. Either way: no batch in
part, no position twice, an in-doubt command repeated is there exactly once, and the next command
on the same connections gets its own answer.
"""

from __future__ import annotations

import asyncio
import ctypes
import random
import threading
from collections import Counter

import pytest

from eventlog.entry import RawEntry
from eventlog.redis_log import RedisLog
from tests.eventlog.entries import CommandKeywords, an_entry, new_command

SEED = 28
COUNTS = pytest.mark.parametrize(
    "count", [50, pytest.param(1000, marks=pytest.mark.slow)], ids=["few", "many"]
)

Attempt = tuple[CommandKeywords, list[RawEntry]]


def attempts(count: int) -> list[Attempt]:
    return [(new_command(), [an_entry(f"a{n}", v) for v in (1, 2, 3)]) for n in range(count)]


def assert_all_once(log: RedisLog, tried: list[Attempt]) -> None:
    """Repeat every command; then each is in the log once, whole, and in one piece."""
    for command, entries in tried:
        outcome = log.append(entries, **command)
        assert outcome.last - outcome.first == 2
    stored: list[RawEntry] = []
    while page := log.read(len(stored) + 1):
        stored += page
    assert Counter(e.event_id for e in stored) == Counter(
        e.event_id for _, entries in tried for e in entries
    )
    for command, entries in tried:
        place = log.find_duplicate(**command)
        assert place is not None
        assert [e.event_id for e in stored[place.first - 1 : place.last]] == [
            e.event_id for e in entries
        ]


async def run_cancelled(log: RedisLog, tried: list[Attempt]) -> int:
    moments = random.Random(SEED)
    cancelled = 0
    for number, (command, entries) in enumerate(tried):
        task = asyncio.create_task(asyncio.to_thread(log.append, entries, **command))
        await asyncio.sleep(moments.uniform(0, 0.002))
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            cancelled += 1
        # The next command on the pool gets its own answer.
        other = f"other{number}"
        assert await asyncio.to_thread(log.read_aggregate, other) == []
        keys = await asyncio.to_thread(log.subject_keys, [other])
        assert keys == {}
    return cancelled


@COUNTS
def test_a_task_cancelled_while_it_waits_for_an_append(log: RedisLog, count: int) -> None:
    print(f"seed {SEED}")
    tried = attempts(count)
    assert asyncio.run(run_cancelled(log, tried)) > 0
    assert_all_once(log, tried)


class Interrupted(BaseException):
    """What the test throws into a thread in the middle of an append."""


def interrupt(thread_id: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread_id), ctypes.py_object(Interrupted)
    )


@COUNTS
def test_a_thread_interrupted_in_the_middle_of_an_append(
    log: RedisLog, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    print(f"seed {SEED}")
    # An interrupt may hit after the last line of the thread; that is no failure.
    monkeypatch.setattr(threading, "excepthook", lambda args: args.exc_value)
    moments = random.Random(SEED)
    tried = attempts(count)
    finished: list[int] = []

    def work(number: int) -> None:
        command, entries = tried[number]
        for _ in range(20):
            log.append(entries, **command)
        finished.append(number)

    for number in range(count):
        thread = threading.Thread(target=work, args=(number,))
        thread.start()
        threading.Event().wait(moments.uniform(0, 0.004))
        assert thread.ident is not None
        interrupt(thread.ident)
        thread.join()
        # The next command on the same connections gets its own answer.
        assert log.read_aggregate(f"other{number}") == []
        assert log.subject_keys([f"other{number}"]) == {}
    assert len(finished) < count
    assert_all_once(log, tried)
