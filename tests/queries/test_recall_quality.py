"""The measures themselves, and (slow) what they say about LoCoMo."""

from __future__ import annotations

import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.recall_quality import DATA, Audit, Line, Question, main, measures, replayed
from memoryweave.contract import Commit

lines = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=10)


def test_measures_of_a_known_ranking() -> None:
    found = measures(["x", "a", "y", "z", "w", "b"], frozenset({"a", "b", "c"}))
    assert found.recall_at_5 == pytest.approx(1 / 3)
    assert found.recall_at_10 == pytest.approx(2 / 3)
    assert found.reciprocal_rank == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert found.ndcg_at_10 == pytest.approx((1 / math.log2(3) + 1 / math.log2(7)) / ideal)


def test_nothing_found_measures_nothing() -> None:
    found = measures([], frozenset({"a"}))
    assert (found.recall_at_10, found.reciprocal_rank, found.ndcg_at_10) == (0, 0, 0)


@given(lines, st.frozensets(st.sampled_from("abcdefghij"), min_size=1))
def test_measures_lie_between_0_and_1_and_deeper_finds_no_less(
    found: list[str], evidence: frozenset[str]
) -> None:
    given_measures = measures(found, evidence)
    assert 0 <= given_measures.recall_at_5 <= given_measures.recall_at_10 <= 1
    assert 0 <= given_measures.reciprocal_rank <= 1
    assert 0 <= given_measures.ndcg_at_10 <= 1 + 1e-9
    perfect = measures(sorted(evidence), evidence)
    assert perfect.ndcg_at_10 == pytest.approx(1)


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
