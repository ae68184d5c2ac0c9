"""Questions made of statements by templates."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.policies.golden_questions import (
    CLASSES,
    LEVELS,
    Statement,
    chosen_terms,
    golden_questions,
    is_chinese,
    terms_of,
)

texts = st.lists(
    st.sampled_from(
        [
            "the gateway listens on port 7443",
            "Marta keeps the scanner on firmware 4.2.1",
            "nightly backups start at 02:30",
            "团队决定用蓝绿部署发布支付服务",
            "质检报告存放在三号机房的共享盘",
            "ok",
            "",
            "的是了",
        ]
    ),
    max_size=8,
)


def statements(some: list[str]) -> list[Statement]:
    return [
        Statement(
            memory_id=f"m-{number}",
            text=text,
            namespace="x-main",
            category="fact",
            at=datetime(2026, 3, 1, tzinfo=UTC),
        )
        for number, text in enumerate(some)
    ]


@settings(max_examples=60)
@given(texts, st.integers(0, 9), st.integers(1, 4), st.randoms())
def test_questions_depend_on_statements_and_seed_and_not_on_their_order(
    some: list[str], seed: int, per_cell: int, chance
) -> None:
    one = statements(some)
    other = list(one)
    chance.shuffle(other)
    made = golden_questions(one, seed=seed, per_cell=per_cell)
    assert made == golden_questions(other, seed=seed, per_cell=per_cell)
    cells = Counter((q.question_class, q.level) for q in made)
    assert all(count <= per_cell for count in cells.values())
    assert len({q.query for q in made}) == len(made)
    by_id = {s.memory_id: s for s in one}
    for question in made:
        terms = terms_of(by_id[question.memory_id].text)
        assert any(term in question.query for term in terms)


def test_every_class_is_asked_at_every_level_and_harder_ones_say_less() -> None:
    some = statements(["the gateway of the billing ledger listens on port 7443", "tea is at four"])
    made = golden_questions(some, seed=1, per_cell=1)
    assert {(q.question_class, q.level) for q in made} == {(c, n) for c in CLASSES for n in LEVELS}
    terms = terms_of(some[0].text)
    spread = Counter(terms)
    easy, medium, hard = (chosen_terms(terms, spread, level) for level in LEVELS)
    assert set(hard) < set(easy)
    assert len(hard) < len(medium) < len(easy) == len(terms)


def test_terms_are_what_a_statement_is_about() -> None:
    assert terms_of("The gateway listens on port 7443, see /etc/gate.conf") == [
        "gateway", "listens", "port", "7443", "see", "etc/gate.conf",
    ]  # fmt: skip
    assert terms_of("质检报告存放在三号机房的共享盘") == ["质检报告存放", "三号机房", "共享盘"]
    assert is_chinese("发布用 blue-green 部署方案")
    assert not is_chinese("the server 三 is down")


def test_a_question_speaks_the_language_of_its_statement() -> None:
    (question,) = [
        q
        for q in golden_questions(
            statements(["团队决定用蓝绿部署发布支付服务"]), seed=1, per_cell=1
        )
        if (q.question_class, q.level) == ("time", "easy")
    ]
    assert question.query == "2026年3月说过团队决定 蓝绿部署发布 支付服务的什么？"
