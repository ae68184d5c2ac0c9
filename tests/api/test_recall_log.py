"""The recall log never holds up a recall, and loses only what it says it lost."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from api.recall_log import MOST_WAITING, RecallLog
from commands.recalls import AskedRecall, RecallBatch
from domain.errors import Erased, InvalidCommand, LogUnavailable
from domain.events import ServedRecall
from tests.servers import eventually


class Written:
    """What was written, by whom; ``trouble`` is raised in turn before anything is."""

    def __init__(self, *trouble: Exception) -> None:
        self.trouble = list(trouble)
        self.tried: list[RecallBatch] = []
        self.batches: list[RecallBatch] = []
        self.open = threading.Event()
        self.open.set()

    def __call__(self, batch: RecallBatch) -> None:
        self.open.wait()
        self.tried.append(batch)
        if self.trouble:
            raise self.trouble.pop(0)
        self.batches.append(batch)

    @property
    def queries(self) -> list[str]:
        return [recall.query for batch in self.batches for recall in batch.recalls]


def recall(number: int) -> AskedRecall:
    served = ServedRecall(
        recall_id=str(UUID(int=number)),
        agent_id="a",
        namespaces=["shared"],
        results=[],
        miss=False,
        level="hybrid",
        took_ms=1.0,
    )
    return AskedRecall(f"q{number}", served)


@contextmanager
def running(write: Callable[[RecallBatch], None], **options: Any) -> Iterator[RecallLog]:
    options.setdefault("write_after_s", 0.02)
    log = RecallLog(write, lambda: datetime(2026, 5, 1, tzinfo=UTC), os.urandom, **options)
    yield log
    log.close()


def test_a_hundred_of_one_agent_are_one_batch_and_no_agents_are_mixed() -> None:
    written = Written()
    with running(written, write_after_s=60) as log:
        for number in range(250):
            log.add("hermes" if number % 5 else "cron", recall(number))
    assert {batch.actor for batch in written.batches} == {"hermes", "cron"}
    assert all(len(batch.recalls) <= 100 for batch in written.batches)
    assert len(written.batches) <= 5
    for actor, rest in (("hermes", {1, 2, 3, 4}), ("cron", {0})):
        mine = [batch for batch in written.batches if batch.actor == actor]
        asked = [recall.query for batch in mine for recall in batch.recalls]
        assert asked == [f"q{n}" for n in range(250) if n % 5 in rest]
        assert [batch.version for batch in mine] == list(range(1, len(mine) + 1))


def test_a_batch_has_so_many_results_that_the_append_can_look_at_each() -> None:
    written = Written()
    with running(written, write_after_s=60) as log:
        for number, results in enumerate((600, 400, 1, 2000, 1)):
            found = [str(n) for n in range(results)]
            log.add("hermes", replace(recall(number), episode_ids=found))
    asked = [[recall.query for recall in batch.recalls] for batch in written.batches]
    assert asked == [["q0", "q1"], ["q2"], ["q3"], ["q4"]]


def test_what_waits_at_the_end_is_written() -> None:
    written = Written()
    with running(written, write_after_s=60) as log:
        log.add("hermes", recall(1))
    assert written.queries == ["q1"]


def test_while_the_log_is_away_the_same_batch_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.recall_log._AGAIN_AFTER_S", 0.01)
    written = Written(LogUnavailable("away"), LogUnavailable("away"))
    with running(written) as log:
        log.add("hermes", recall(1))
        eventually(lambda: log.waiting() == 0)
        assert log.written() == 1
    assert len({batch.key for batch in written.tried}) == 1


def test_after_an_erasure_the_batch_goes_into_another_stretch() -> None:
    written = Written(Erased("gone"))
    with running(written) as log:
        log.add("hermes", recall(1))
        eventually(lambda: log.written() == 1)
    first, second = written.tried
    assert first.stretch != second.stretch
    assert second.version == 1
    assert second.recalls == first.recalls


def test_what_is_refused_is_counted_and_the_next_is_written() -> None:
    written = Written(InvalidCommand("x", "no"))
    with running(written) as log:
        log.add("hermes", recall(1))
        eventually(lambda: log.dropped()["refused"] == 1)
        log.add("hermes", recall(2))
        eventually(lambda: log.written() == 1)
    assert written.queries == ["q2"]
    assert written.batches[0].version == 1


def test_nobody_waits_for_a_log_that_hangs_and_memory_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.recall_log._GIVEN_UP_AFTER_S", 0.05)
    written = Written()
    written.open.clear()
    with running(written) as log:
        for number in range(MOST_WAITING + 50):
            log.add("hermes", recall(number))
        assert log.waiting() == MOST_WAITING
        assert log.dropped()["full"] == 50
    written.open.set()


@pytest.mark.parametrize(("logging", "expected"), [("all", 100), ("sampled", 10), ("off", 0)])
def test_the_setting_says_which_recalls_are_written(logging: Any, expected: int) -> None:
    written = Written()
    with running(written, logging=logging) as log:
        for number in range(100):
            log.add("hermes", recall(number))
    assert len(written.queries) == expected
