"""Chinese words inside Chinese texts: the drawn ones of the public sets, and a known hard one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.chinese_words import FLOOR, draw_words, entries, main, rare_words, words_not_found
from bench.real_stack import RealStack
from bench.recall_quality import DATA
from memoryweave.contract import Recall
from tests.commands.speaking import Speaker
from workers.evaluation.sets import read_lines

needs_data = pytest.mark.skipif(
    DATA not in os.environ, reason=f"{DATA} is not set: the public sets are not part of the project"
)


def test_a_word_inside_a_longer_one_is_found(stack: RealStack, hermes: Speaker) -> None:
    hermes.commit("他昨天买了一只乌龟")
    tea = hermes.commit("我喜欢喝冻顶乌龙茶").episode_id
    hermes.commit("长城有一条龙的传说")
    stack.project()
    stack.fill()
    assert stack.recall(Recall(query="乌龙"), hermes.caller).results[0].id == tea


def test_words_are_free_on_both_sides_and_rare() -> None:
    texts = ["我爱乌龙茶", "他买乌龙吧", "乌龙好喝"]
    words = rare_words(texts)
    assert "乌龙" in words
    assert "爱乌" not in words  # once
    assert "我爱乌" not in words
    assert rare_words(["葡萄", "葡萄干", "吃葡萄"]) >= {"葡萄"}
    assert "萄干" not in rare_words(["葡萄干甜", "葡萄干酸"])  # always after 葡
    assert "葡萄" not in rare_words(["吃葡萄干", "买葡萄干"])  # always before 干
    assert "葡萄" not in rare_words(["葡萄"] * 6)


def test_the_same_seed_draws_the_same_words() -> None:
    texts = [f"{a}{b}{c}{d}" for a in "天地" for b in "玄黄" for c in "宇宙" for d in "洪荒"]
    assert draw_words(texts, 5, seed=1) == draw_words(texts[::-1], 5, seed=1)


@needs_data
def test_rare_words_are_found_before_their_texts_have_vectors(stack: RealStack) -> None:
    lines = read_lines(Path(os.environ[DATA]) / "memorybank_zh")
    stack.commit(entries(lines))
    stack.project()
    words = draw_words([line.text for line in lines])
    assert len(words) == 200
    missed = words_not_found(stack.recall, words)
    assert 1 - len(missed) / len(words) >= FLOOR, missed


@needs_data
@pytest.mark.slow
def test_rare_words_are_found_among_all_chinese_sets_with_their_vectors() -> None:
    [ratio] = main()
    assert ratio.met, ratio.line()
