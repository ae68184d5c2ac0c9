"""The questions of docs/audit.md, each asked as it stands there of a real history."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain import events as facts
from eventlog.redis_log import RedisLog
from projections.analytics.question import Limits, ask
from projections.analytics.view import AnalyticsView
from projections.analytics.views import NAMES
from tests.histories import Historian
from tests.oracle import read_log
from tests.projections.analytics.building import follow, opened_by_anyone
from tests.projections.test_f16_undecodable import add_by_hand
from tests.servers import LogServer

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"
QUESTIONS = dict(
    re.findall(r"^### (\d+)\..*?```sql\n(.*?)```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
)
WRITTEN_OUT = "00000000-0000-4000-8000-000000000000"
"""Stands where the page's reader writes an id out."""

Facts = list[dict[str, Any]]

FIRST_TEXTS = ("MemoryCreated", "MemoryProposed")


def says_something_new(fact: dict[str, Any]) -> bool:
    """Tell whether a memory has another text from this event on."""
    settled = fact["type"] == "CandidateSettled" and fact["body"].get("content") is not None
    return settled or fact["type"] in (*FIRST_TEXTS, "MemoryCorrected")


class Asked:
    """A history, as the view answers it and as the raw log has it."""

    def __init__(self, view_path: Path, log: Facts) -> None:
        self.view = AnalyticsView(view_path)
        self.log = log

    def rows(self, number: int, memory: str = "") -> list[dict[str, Any]]:
        sql = QUESTIONS[str(number)]
        assert (WRITTEN_OUT in sql) == bool(memory)
        answer = ask(self.view, sql.replace(WRITTEN_OUT, memory), Limits(rows=5000))
        rows: list[dict[str, Any]] = answer.table.to_pylist()
        return rows

    def of_type(self, *types: str) -> Facts:
        return [fact for fact in self.log if fact["type"] in types]


@pytest.fixture(scope="module")
def asked(log_server: LogServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    view_path = tmp_path_factory.mktemp("audited") / "analytics"
    with RedisLog(log_server.url, "audited") as log:
        historian = Historian(log, seed=12)
        historian.live_on(150)
        memory = historian.remember()
        correction = facts.MemoryCorrected(content="x", source="owner_message", agent_id="coder-1")
        historian.change(memory, correction)
        add_by_hand(log_server, log, memory, {"d": b"\xff"})
        follow(log, view_path)
        yield Asked(view_path, read_log(log.url, log.name))


def test_there_are_twelve_questions() -> None:
    assert sorted(map(int, QUESTIONS)) == list(range(1, 13))


def test_1_who_did_what_on_each_day(asked: Asked) -> None:
    rows = asked.rows(1)
    assert sum(row["events"] for row in rows) == len(asked.log)
    assert sum(row["commits"] for row in rows) == len(asked.of_type("EpisodeCommitted"))
    assert sum(row["votes"] for row in rows) == len(asked.of_type("FeedbackGiven"))


def test_2_what_one_memory_said_at_each_point(asked: Asked) -> None:
    memory = max(fact["id"] for fact in asked.of_type("MemoryCorrected"))
    text, version, expected = None, 0, []
    for fact in asked.log:
        if fact["id"] == memory:
            if says_something_new(fact):
                text, version = fact["body"]["content"], version + 1
            expected.append((fact["position"], fact["type"], version, text))
    rows = asked.rows(2, memory)
    assert [(r["position"], r["type"], r["version"], r["content"]) for r in rows] == expected


def test_3_which_texts_were_corrected_lately(asked: Asked) -> None:
    said: dict[str, str] = {}
    newest = max(fact["at"] for fact in asked.log)
    expected = []
    for fact in filter(says_something_new, asked.log):
        after = fact["body"]["content"]
        if fact["type"] not in FIRST_TEXTS and fact["at"] > newest - 30 * 86_400_000_000:
            expected.append((fact["id"], said[fact["id"]], after))
        said[fact["id"]] = after
    assert expected
    assert [(r["memory_id"], r["before"], r["after"]) for r in asked.rows(3)] == expected


def test_4_what_was_deleted_and_came_back(asked: Asked) -> None:
    ended = asked.of_type(
        "MemoryDeleted", "MemoryDeprecated", "MemorySuperseded", "CandidateDismissed",
        "EpisodeDeleted",
    )  # fmt: skip
    restored = asked.of_type("MemoryRestored", "EpisodeRestored")
    expected = Counter(
        (
            end["id"],
            end["type"],
            min(
                (
                    r["position"]
                    for r in restored
                    if r["id"] == end["id"] and r["position"] > end["position"]
                ),
                default=None,
            ),
        )
        for end in ended
    )
    assert expected
    assert Counter((r["aggregate_id"], r["type"], r["restored_at"]) for r in asked.rows(4)) == (
        expected
    )


def test_5_which_episodes_a_memory_rests_on(asked: Asked) -> None:
    changed = [f for f in filter(says_something_new, asked.log) if f["type"] not in FIRST_TEXTS]
    memory = max(fact["id"] for fact in changed)
    [created] = [fact for fact in asked.of_type(*FIRST_TEXTS) if fact["id"] == memory]
    rows = asked.rows(5)
    assert [row["episode_id"] for row in rows] == created["body"]["derived_from"]
    [commit] = [f for f in asked.of_type("EpisodeCommitted") if f["id"] == rows[0]["episode_id"]]
    assert rows[0]["content"] == commit["body"]["content"]


def test_6_whose_memories_are_voted_not_useful(asked: Asked) -> None:
    votes = asked.of_type("FeedbackGiven")
    rows = asked.rows(6)
    assert sum(row["votes"] for row in rows) == len(votes)
    against = sum(vote["body"]["verdict"] == "not_useful" for vote in votes)
    assert sum(row["not_useful"] for row in rows) == against > 0


@pytest.mark.parametrize(
    ("number", "types"),
    [
        (7, ("ReadGranted", "ReadRevoked")),
        (
            8,
            (
                "AgentRegistered", "AgentKeyRotated", "AgentDeactivated", "EnrolmentTokenIssued",
                "EnrolmentTokenUsed",
            ),
        ),
    ],
)  # fmt: skip
def test_7_and_8_what_agents_were_given(asked: Asked, number: int, types: tuple[str, ...]) -> None:
    expected = [(fact["position"], fact["type"]) for fact in asked.of_type(*types)]
    assert expected
    assert [(row["position"], row["type"]) for row in asked.rows(number)] == expected


def test_9_what_cannot_be_read(asked: Asked) -> None:
    unread = [fact["position"] for fact in asked.log if fact["body"] is None]
    rows = asked.rows(9)
    assert [row["position"] for row in rows] == unread
    assert len(unread) == 1
    assert rows[0]["problem"]


def test_10_are_answers_getting_better(asked: Asked) -> None:
    rows = asked.rows(10)
    assert sum(row["votes"] for row in rows) == len(asked.of_type("FeedbackGiven"))
    assert all(0 <= row["seven_days"] <= 1 for row in rows)


def test_11_what_came_of_the_talk(asked: Asked) -> None:
    rows = asked.rows(11)
    times = Counter[str]()
    for row in rows:
        times[row["outcome"]] += row["times"]
    assert times == {
        outcome: len(asked.of_type(name))
        for outcome, name in (
            ("distilled", "EpisodeDistilled"),
            ("skipped", "EpisodeSkipped"),
            ("failed", "DistillationFailed"),
            ("asked for anew", "RedistillationRequested"),
        )
    }
    made = sum(len(fact["body"]["memory_ids"]) for fact in asked.of_type("EpisodeDistilled"))
    assert sum(row["memories"] or 0 for row in rows if row["outcome"] == "distilled") == made
    assert {row["reason"] for row in rows if row["outcome"] == "skipped"} == {"chit_chat"}


def test_12_what_became_of_each_candidate(asked: Asked) -> None:
    words: dict[str, str] = {}
    for fact in asked.of_type("CandidateSettled", "CandidateDismissed"):
        words.setdefault(fact["id"], fact["type"])
    rows = asked.rows(12)
    assert len(set(words.values())) == 2
    assert {row["memory_id"]: (row["word"], row["evidence"]) for row in rows} == {
        fact["id"]: (words.get(fact["id"]), fact["body"]["evidence"])
        for fact in asked.of_type("MemoryProposed")
    }


def test_the_page_lists_every_view_with_its_columns_in_order(asked: Asked) -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|$", PAGE.read_text(), re.MULTILINE))
    assert set(listed) == NAMES
    with opened_by_anyone(asked.view.live().folder.parent) as connection:
        for name in NAMES:
            found = [c[0] for c in connection.execute(f"FROM {name} LIMIT 0").description]
            words = re.findall(r"\w+", re.sub(r"\(.*?\)", "", listed[name].partition(";")[0]))
            assert [word for word in words if word in found] == found, name
