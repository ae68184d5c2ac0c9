"""How two orders become one: bounds, monotonicity, and no dependence on the order of arrival."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.fusion import (
    FOREIGN_LEXICAL_WEIGHT,
    KEYWORD_LEXICAL_WEIGHT,
    LEXICAL_WEIGHT,
    NARROWEST_SPREAD,
    fuse,
    han_share,
    lexical_weight,
)

keys = st.sampled_from([f"row {n}" for n in range(12)])
cosines = st.dictionaries(keys, st.floats(-1, 1, allow_nan=False), max_size=10)
bm25 = st.dictionaries(keys, st.floats(0, 60, allow_nan=False), max_size=10)
weights = st.floats(0, 1, allow_nan=False)


@given(cosines, bm25, weights, st.frozensets(keys))
def test_every_candidate_has_a_score_and_parts_between_0_and_1(
    dense: dict[str, float], words: dict[str, float], weight: float, bare: frozenset[str]
) -> None:
    fused = fuse(dense, words, without_vector=bare, lexical_weight=weight)
    assert fused.keys() == dense.keys() | words.keys()
    for item in fused.values():
        assert 0.0 <= item.score <= 1.0
        assert item.dense is None or 0.0 <= item.dense <= 1.0
        assert item.lexical is None or 0.0 <= item.lexical <= 1.0


@given(cosines, bm25, weights, st.frozensets(keys), st.randoms(use_true_random=False))
def test_the_order_in_which_candidates_arrive_does_not_matter(
    dense: dict[str, float],
    words: dict[str, float],
    weight: float,
    bare: frozenset[str],
    shuffle: random.Random,
) -> None:
    def shuffled(scores: dict[str, float]) -> dict[str, float]:
        items = list(scores.items())
        shuffle.shuffle(items)
        return dict(items)

    expected = fuse(dense, words, without_vector=bare, lexical_weight=weight)
    found = fuse(shuffled(dense), shuffled(words), without_vector=bare, lexical_weight=weight)
    assert found == expected


@given(cosines, bm25, weights, st.frozensets(keys))
def test_a_candidate_that_is_at_least_as_good_on_both_sides_is_not_behind(
    dense: dict[str, float], words: dict[str, float], weight: float, bare: frozenset[str]
) -> None:
    fused = fuse(dense, words, without_vector=bare, lexical_weight=weight)
    for better, its in dense.items():
        for worse, other in dense.items():
            if its >= other and words.get(better, 0) >= words.get(worse, 0):
                assert fused[better].score >= fused[worse].score


@given(cosines, bm25, weights, keys, st.floats(0, 10))
def test_raising_a_candidates_words_never_lowers_its_score(
    dense: dict[str, float], words: dict[str, float], weight: float, key: str, more: float
) -> None:
    if key not in words:
        return
    raised = {**words, key: words[key] + more}
    before = fuse(dense, words, lexical_weight=weight)[key].score
    # A first word to match brings the lexical side into play for all: not a raise, another case.
    if any(words.values()):
        assert fuse(dense, raised, lexical_weight=weight)[key].score >= before - 1e-12


@given(cosines, bm25, weights)
def test_the_best_on_both_sides_has_score_1(
    dense: dict[str, float], words: dict[str, float], weight: float
) -> None:
    dense, words = {**dense, "best": 1.0}, {**words, "best": 61.0}
    assert fuse(dense, words, lexical_weight=weight)["best"].score == pytest.approx(1.0)


def test_a_side_without_candidates_leaves_the_decision_to_the_other() -> None:
    only_words = fuse({}, {"a": 4.0, "b": 1.0})
    assert (only_words["a"].score, only_words["b"].score) == (1.0, 0.25)
    assert only_words["a"].dense is None
    only_meaning = fuse({"a": 0.9, "b": 0.8}, {})
    assert only_meaning["a"].score == 1.0
    assert only_meaning["b"].score == 0.0


def test_a_row_that_has_no_vector_yet_is_judged_by_its_words_alone() -> None:
    fused = fuse({"a": 0.9, "b": 0.7}, {"new": 8.0, "a": 2.0}, without_vector=frozenset({"new"}))
    assert fused["new"].score == 1.0
    assert fused["new"].dense is None


def test_near_equal_cosines_are_not_torn_apart() -> None:
    fused = fuse({"a": 0.90, "b": 0.90 - NARROWEST_SPREAD / 5}, {})
    assert fused["b"].score == pytest.approx(0.8)


def test_a_weight_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        fuse({}, {}, lexical_weight=1.5)


QUESTION = "which port does the database use today"
CHINESE_QUESTION = "数据库今天用的是哪一个端口"


def test_words_weigh_little_when_the_texts_are_in_another_script() -> None:
    chinese = ["数据库监听五四三二端口", "我们周末去爬山"]
    english = ["the database listens on 5432", "we went hiking"]
    assert lexical_weight(QUESTION, english) == LEXICAL_WEIGHT
    assert lexical_weight(CHINESE_QUESTION, chinese) == LEXICAL_WEIGHT
    assert lexical_weight(QUESTION, chinese) == pytest.approx(FOREIGN_LEXICAL_WEIGHT)
    assert lexical_weight(CHINESE_QUESTION, english) == pytest.approx(FOREIGN_LEXICAL_WEIGHT)
    mixed = lexical_weight(QUESTION, [chinese[0], english[0]])
    assert FOREIGN_LEXICAL_WEIGHT < mixed < LEXICAL_WEIGHT


@pytest.mark.parametrize(
    "query", ["乌龙", "乌龙茶", "冻顶乌龙", "oolong", "oolong tea", "8188", "!"]
)
def test_a_bare_word_is_looked_for_by_its_letters(query: str) -> None:
    assert lexical_weight(query, []) == KEYWORD_LEXICAL_WEIGHT


def test_the_longer_a_query_the_less_its_words_weigh_until_it_is_a_sentence() -> None:
    spoken = "which oolong tea did he buy"
    weights = [lexical_weight(" ".join(spoken.split()[:length]), []) for length in range(1, 7)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] == LEXICAL_WEIGHT


@pytest.mark.parametrize(
    ("text", "share"),
    [("", None), ("42 + 1", None), ("端口", 1.0), ("port", 0.0), ("用 ComfyUI", 0.5)],
)
def test_the_share_of_chinese_counts_words_like_characters(text: str, share: float | None) -> None:
    assert han_share(text) == share


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=5))
def test_the_lexical_weight_stays_within_its_ends(query: str, texts: list[str]) -> None:
    weight = lexical_weight(query, texts)
    assert FOREIGN_LEXICAL_WEIGHT - 1e-12 <= weight <= KEYWORD_LEXICAL_WEIGHT + 1e-12
