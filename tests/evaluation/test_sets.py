"""Evaluation sets as folders, and (slow) what the public ones say."""

from __future__ import annotations

import os

import pytest

from bench.recall_quality import DATA, main
from memoryweave.contract import Commit
from workers.evaluation.sets import Audit, Line, Question, replayed


def test_audited_evidence_replaces_the_sets_own() -> None:
    asked = Question(query="?", evidence_ids=["a"])
    assert asked.evidence == {"a"}
    audited = Question(query="?", evidence_ids=["a"], audit=Audit(correct_evidence_ids=["b"]))
    assert audited.evidence == {"b"}
    assert Question(query="?", evidence_ids=["a"], audit=Audit()).evidence == {"a"}


@pytest.mark.slow
@pytest.mark.skipif(
    DATA not in os.environ, reason=f"{DATA} is not set: the public sets are not part of the project"
)
def test_recall_on_the_public_sets_is_not_below_its_floors() -> None:
    missed = [ratio.line() for ratio in main() if not ratio.met]
    assert not missed, missed


def test_a_conversation_is_replayed_up_to_each_question() -> None:
    spoken = [Line(id=f"{c}{n}", text="x", conversation=c, seq=n) for n in (2, 0, 1) for c in "ab"]
    asked = [
        Question(query="late", evidence_ids=["b1"], conversation="b", max_seq=2),
        Question(query="early", evidence_ids=["b0"], conversation="b", max_seq=1),
        Question(query="other", evidence_ids=["a0"], conversation="a", max_seq=3),
    ]
    stored: list[str] = []

    def store(entries: list[Commit]) -> None:
        stored.extend(entry.metadata["external_id"] for entry in entries)

    seen = [(question.query, list(stored)) for question in replayed(spoken, asked, store)]
    assert seen == [
        ("other", ["a0", "a1", "a2"]),
        ("early", ["a0", "a1", "a2", "b0"]),
        ("late", ["a0", "a1", "a2", "b0", "b1"]),
    ]
