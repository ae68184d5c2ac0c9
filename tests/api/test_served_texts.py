"""What is known of what was served: how much, for how long, by which process."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from msgspec import convert
from msgspec.structs import replace

from api.served_texts import FILE_NAME, ServedTexts
from domain.policies.own_output import without_own_output
from domain.settings import DEFAULT_POLICY
from memoryweave.contract import Commit, RecallItem
from tests.api.service import Service

Fresh = Callable[[str], str]

NUMBERS = range(1, 701)
ONCE_THE_LIMIT = 500


def told(number: int) -> str:
    return f"Locker {number} of the boat house belongs to crew {number * 7}"


class Clock:
    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def crew(service: Service) -> tuple[str, list[RecallItem]]:
    """An agent, and the memories that it has."""
    agent = service.agent("boat-house")
    for start in range(0, len(NUMBERS), 100):
        entries = [
            {"content": told(number), "distill": False} for number in NUMBERS[start : start + 100]
        ]
        answer = agent.post(
            "/api/v1/batch-commit", json={"entries": entries}, params={"wait": "true"}
        )
        assert answer.is_success, answer.text
    return "boat-house", _all_memories(agent)


def _all_memories(agent: httpx.Client) -> list[RecallItem]:
    found = list[RecallItem]()
    cursor = {}
    while True:
        page = agent.get("/api/v1/memories", params={"limit": 100, **cursor}).json()
        found += convert(page["items"], list[RecallItem], strict=False)
        if page["next"] is None:
            assert len(found) == len(NUMBERS)
            return sorted(found, key=lambda item: item.position)
        cursor = {"cursor": page["next"]}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def served(service: Service, tmp_path: Path, clock: Clock) -> Iterator[ServedTexts]:
    with closing(ServedTexts(tmp_path, service.node.state, clock)) as texts:
        yield texts


def rest(served: ServedTexts, actor: str, text: str, **fields: object) -> str:
    entry = Commit(content=text, **fields)  # type: ignore[arg-type]
    return without_own_output(text, served.before(actor, entry)).rest


def test_far_more_texts_are_known_than_are_looked_at(
    served: ServedTexts, crew: tuple[str, list[RecallItem]]
) -> None:
    actor, items = crew
    served.note(actor, items)
    assert len(items) > ONCE_THE_LIMIT
    for number in (1, 2, 350, 700):
        assert rest(served, actor, told(number)) == ""
        assert (
            rest(served, actor, f"As I recall, locker {number} belongs to crew {number * 7}.") == ""
        )
        changed = f"Locker {number} of the boat house belongs to crew {number * 7 + 1}"
        assert rest(served, actor, changed) == changed
        assert rest(served, "somebody-else", told(number)) == told(number)


def test_another_process_and_a_later_one_know_it_too(
    service: Service, served: ServedTexts, tmp_path: Path, crew: tuple[str, list[RecallItem]]
) -> None:
    actor, items = crew
    with closing(ServedTexts(tmp_path, service.node.state, Clock())) as other:
        assert rest(other, actor, told(1)) == told(1)
        served.note(actor, items[:3], "here")
        assert rest(other, actor, told(1), session_id="here") == ""
        assert rest(other, actor, told(1), session_id="there") == told(1)
        served.note(actor, items[3:5])
        assert rest(other, actor, told(4)) == ""
    with closing(ServedTexts(tmp_path, service.node.state, Clock())) as later:
        assert later.catch_up()
        assert rest(later, actor, told(4)) == ""


def test_a_file_of_before_is_read_on(
    service: Service, tmp_path: Path, clock: Clock, crew: tuple[str, list[RecallItem]]
) -> None:
    actor, items = crew
    at = round(clock.now.timestamp() * 1e6)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute(
            "CREATE TABLE served (actor TEXT NOT NULL, session_id TEXT NOT NULL, "
            "id TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL, "
            "PRIMARY KEY (actor, session_id, id, version)) WITHOUT ROWID"
        )
        connection.execute("CREATE INDEX served_by_time ON served (actor, at)")
        connection.execute(
            "INSERT INTO served VALUES (?, '', ?, ?, ?)", (actor, items[9].id, items[9].version, at)
        )
    with closing(ServedTexts(tmp_path, service.node.state, clock)) as texts:
        assert rest(texts, actor, items[9].content) == ""


def test_it_is_known_for_a_day_from_when_it_was_served_last(
    served: ServedTexts, clock: Clock, crew: tuple[str, list[RecallItem]]
) -> None:
    actor, items = crew
    served.note(actor, items[:2])
    clock.now += timedelta(hours=20)
    served.note(actor, items[1:2])
    clock.now += timedelta(hours=5)
    first, again = items[0].content, items[1].content
    assert rest(served, actor, first) == first
    assert rest(served, actor, again) == ""


def test_of_more_texts_than_may_be_known_those_served_last_are(
    service: Service, tmp_path: Path, clock: Clock, crew: tuple[str, list[RecallItem]]
) -> None:
    actor, items = crew
    policy = replace(DEFAULT_POLICY, own_output_texts=50)
    with closing(ServedTexts(tmp_path, service.node.state, clock, policy)) as texts:
        for round_ in range(300):  # as often as it takes to be gone through once
            clock.now += timedelta(seconds=1)
            texts.note(actor, items[round_ : round_ + 1])
        texts.catch_up()
        known = [rest(texts, actor, item.content) == "" for item in items[:300]]
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        held = connection.execute("SELECT count(*) FROM texts").fetchone()[0]
    assert held < 300
    assert all(known[-40:])
    assert not any(known[:200])


def test_what_was_erased_is_known_no_more(
    service: Service, served: ServedTexts, crew: tuple[str, list[RecallItem]]
) -> None:
    text = "The spare oars lie under the ramp of the boat house"
    agent = service.agent("boat-house-2")
    made = agent.post(
        "/api/v1/commit", json={"content": text, "distill": False}, params={"wait": "true"}
    ).json()
    [item] = convert(agent.get("/api/v1/memories").json()["items"], list[RecallItem], strict=False)
    served.note("boat-house-2", [item])
    assert rest(served, "boat-house-2", text) == ""
    gone = service.admin.post("/api/v1/admin/erase", json={"memory_id": made["memory_id"]})
    assert gone.is_success, gone.text
    assert rest(served, "boat-house-2", text) == text
