"""The state view of the past is the fold of the log up to there, whatever happened since."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.caller import Caller
from domain.errors import InvalidCommand, NotFound, ViewBehind
from domain.events import MemoryReinforced, MemoryTagged
from eventlog.redis_log import RedisLog
from memoryweave.contract import AsOf, MemoryDetail
from projections.state.view import StateView
from queries.memories import MemoryList, memories
from queries.memory import memory
from tests import past
from tests.histories import START, Historian
from tests.oracle import Fact, read_log
from tests.projections.direct import NOW, Direct
from tests.projections.running import catch_up

OWNER = Caller(actor="owner", kind="owner")
LATER = START + timedelta(days=5000)
"""When the questions are asked: long after everything, and that must not show."""


def a_history(log: RedisLog, seed: int, steps: int) -> Historian:
    """Let things happen by a clock that is sometimes set back."""
    historian = Historian(log, seed)
    for _ in range(steps):
        historian.live_on(1)
        if historian.random.random() < 0.2:
            historian.now -= timedelta(hours=historian.random.randint(1, 60))
    return historian


@contextmanager
def projected(log: RedisLog, path: Path, position: int) -> Iterator[StateView]:
    catch_up(log, path, position)
    view = StateView(path)
    try:
        yield view
    finally:
        view.close()


def shown(item: MemoryDetail, fields: Any) -> dict[str, Any]:
    plain = msgspec.structs.asdict(item)
    plain["confidence"] = round(item.confidence, 9)
    for name in ("observed_at", "recorded_at"):
        plain[name] = micro(plain[name])
    return {name: plain[name] for name in fields}


def micro(moment: datetime | None) -> int | None:
    if moment is None:
        return None
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def listed(view: StateView, position: int, state: Any, limit: int) -> list[MemoryDetail]:
    """Page through a list of the past."""
    items: list[MemoryDetail] = []
    cursor = None
    while True:
        asked = MemoryList(state=state, cursor=cursor, limit=limit, as_of=AsOf(position=position))
        page = memories(asked, OWNER, view, LATER)
        assert page.as_of_position == position
        items += page.items
        cursor = page.next
        if cursor is None:
            return items


def assert_the_past_is_the_fold(view: StateView, facts: list[Fact], position: int) -> None:
    tables, now = past.tables_at(facts, position), past.clock_at(facts, position)
    expected = {key: past.told(row, now) for key, row in tables["memories"].items()}
    for state in ("live", "tombstone", "candidate"):
        items = listed(view, position, state, limit=7)
        wanted = [
            expected[key]
            for key, row in sorted(
                tables["memories"].items(), key=lambda one: -one[1]["created_position"]
            )
            if expected[key]["state"] == state
        ]
        assert [shown(item, told) for item, told in zip(items, wanted, strict=True)] == wanted
    every = {fact["id"] for fact in facts if fact["type"] in ("MemoryCreated", "MemoryProposed")}
    for memory_id in sorted(every)[:: max(1, len(every) // 12)]:
        if memory_id in expected:
            item = memory(memory_id, OWNER, view, LATER, as_of=AsOf(position=position))
            assert shown(item, expected[memory_id]) == expected[memory_id]
        else:
            with pytest.raises(NotFound):
                memory(memory_id, OWNER, view, LATER, as_of=AsOf(position=position))


@pytest.mark.parametrize(
    ("seed", "steps", "positions"),
    [(1, 120, 25), (2, 40, 15), pytest.param(3, 600, 1000, marks=pytest.mark.slow)],
)
def test_lists_and_memories_of_the_past_are_the_fold_of_the_log_up_to_there(
    log: RedisLog, view_path: Path, seed: int, steps: int, positions: int
) -> None:
    historian = a_history(log, seed, steps)
    facts = read_log(log.url, log.name)
    chance = random.Random(seed)
    with projected(log, view_path, historian.position) as view:
        assert_the_past_is_the_fold(view, facts, 0)
        assert_the_past_is_the_fold(view, facts, historian.position)
        for _ in range(positions):
            assert_the_past_is_the_fold(view, facts, chance.randint(1, historian.position))


@pytest.mark.parametrize("seed", [4, 5])
def test_a_time_means_the_last_position_at_which_no_later_time_was_seen(
    log: RedisLog, view_path: Path, seed: int
) -> None:
    historian = a_history(log, seed, 60)
    facts = read_log(log.url, log.name)
    exact = [fact["at"] for fact in facts]
    chance = random.Random(seed)
    times = [
        *chance.sample(exact, 20),
        *(chance.randint(min(exact), max(exact)) for _ in range(20)),
    ]
    with projected(log, view_path, historian.position) as view:
        for time in [*times, 0, min(exact) - 1, max(exact), max(exact) + 1]:
            moment = view.moment_before(
                datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)
            )
            assert moment.position == past.position_at(facts, time)
            assert micro(moment.time) == past.clock_at(facts, moment.position)


def test_a_position_that_the_view_has_not_reached_is_refused(direct: Direct) -> None:
    direct.memory("m1")
    with pytest.raises(ViewBehind, match="before position 2"):
        memory("m1", OWNER, direct.view, NOW, as_of=AsOf(position=2))


@pytest.mark.parametrize("as_of", [AsOf(), AsOf(position=1, time=NOW)])
def test_a_moment_is_a_position_or_a_time_and_not_both(direct: Direct, as_of: AsOf) -> None:
    direct.memory("m1")
    with pytest.raises(InvalidCommand, match="not both"):
        memory("m1", OWNER, direct.view, NOW, as_of=as_of)


def test_a_cursor_of_one_moment_is_refused_for_another(direct: Direct) -> None:
    for number in range(3):
        direct.memory(f"m{number}")
    page = memories(MemoryList(limit=1, as_of=AsOf(position=3)), OWNER, direct.view, NOW)
    assert page.next is not None
    for as_of in (None, AsOf(position=2)):
        with pytest.raises(InvalidCommand, match="as of position 3"):
            memories(MemoryList(cursor=page.next, as_of=as_of), OWNER, direct.view, NOW)


def test_an_expired_memory_is_live_as_of_a_moment_before(direct: Direct) -> None:
    direct.memory("m1", expires_at=START + timedelta(hours=1))
    direct.memory("m2", at=START + timedelta(hours=2))
    states = [
        memory("m1", OWNER, direct.view, NOW, as_of=AsOf(position=position)).state
        for position in (1, 2)
    ]
    assert states == ["live", "tombstone"]


def test_a_list_of_the_past_filters_and_sorts_by_what_was_so_then(direct: Direct) -> None:
    direct.memory("m1", tags=["net"], confidence=0.6)
    direct.memory("m2", tags=["tea"], confidence=0.7)
    then = direct.position
    direct.change("m1", MemoryTagged(tags=["tea"]))
    direct.change("m1", MemoryReinforced(episode_id="e", match="exact", delta=0.5))

    def ids(position: int, **asked: Any) -> list[str]:
        wanted = MemoryList(as_of=AsOf(position=position), **asked)
        return [item.id for item in memories(wanted, OWNER, direct.view, NOW).items]

    assert ids(then, tag="tea") == ["m2"]
    assert ids(then, tag="net") == ["m1"]
    assert ids(direct.position, tag="tea") == ["m2", "m1"]
    assert ids(then, sort="confidence") == ["m2", "m1"]
    assert ids(direct.position, sort="confidence") == ["m1", "m2"]
    assert direct.view.tagged(["tea"], frozenset({"shared"}), then) == {"m2"}
    assert direct.view.tagged(["tea"], frozenset({"other"}), then) == frozenset()
