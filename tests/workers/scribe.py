"""A language model for tests: it reads the question as a model would, and writes what it is told.

A test says what there is to find in an episode by its text; handles it learns from the question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from domain.distillation.finding import Talk
from domain.distillation.known import Known

Found = dict[str, Any]
Find = Callable[[dict[str, Any]], Iterable[Found]]
"""Gives the findings of an episode as it stands in the question."""

SCORES = {"IS": 0.8, "SU": 0.7, "PA": 0.6, "VD": 0.9, "RU": 0.75}


def episodes_in(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Read the episodes of a question: one line of JSON each, between two lines with the mark."""
    mark = mark_of(request)
    lines = request["messages"][-1]["content"].split("\n")
    assert lines[0::3] == [f"<<{mark}>>"] * (len(lines) // 3)
    assert lines[2::3] == [f"<</{mark}>>"] * (len(lines) // 3)
    return [json.loads(line) for line in lines[1::3]]


def mark_of(request: dict[str, Any]) -> str:
    """Give the mark, as the rules of the question name it."""
    found = re.search(r"<<(\w+)>>", request["messages"][0]["content"])
    assert found
    return found[1]


def writing(find: Find) -> Callable[[dict[str, Any]], str]:
    """Make a model that finds so, and keeps to the form."""

    def reply(request: dict[str, Any]) -> str:
        return json.dumps(answered(episodes_in(request), find), ensure_ascii=False)

    return reply


def answered(episodes: Iterable[dict[str, Any]], find: Find) -> dict[str, Any]:
    """Give the answer about these episodes."""
    return {"episodes": [about(episode, find(episode)) for episode in episodes]}


def about(episode: dict[str, Any], findings: Iterable[Found]) -> dict[str, Any]:
    """Give what is said of one episode."""
    return {"episode": episode["episode"], "scores": SCORES, "findings": list(findings)}


def a_finding(statement: str, evidence: str, **fields: Any) -> Found:
    """Give a finding with the other fields as a model might fill them."""
    return {
        "action": "new",
        "memory": None,
        "statement": statement,
        "category": "fact",
        "decay_class": "system_fact",
        "clarity": 0.9,
        "entities": [],
        "relations": [],
        "depends_on": [],
        "rests_on": [],
        "evidence": evidence,
        **fields,
    }


def handle_of(episode: dict[str, Any], text: str) -> str:
    """Give the handle of the known memory that says this."""
    return next(known["memory"] for known in episode["known"] if known["text"] == text)


def a_talk(content: str, episode_id: str = "episode-1", **fields: Any) -> Talk:
    from datetime import UTC, datetime

    fields = {"source": "owner_message", "said_at": datetime(2026, 5, 1, 10, tzinfo=UTC)} | fields
    return Talk(episode_id=episode_id, content=content, **fields)


def known(*contents: str) -> tuple[Known, ...]:
    return tuple(Known(memory_id=f"memory:{text}", content=text) for text in contents)
