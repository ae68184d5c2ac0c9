"""When two sentences are one statement, without a model."""

from __future__ import annotations

import pytest

from domain.distillation.finding import Finding
from domain.policies.same_statement import (
    lexical_overlap,
    same_statement,
    statement_key,
    without_likes,
)


def finding(content: str, **more: object) -> Finding:
    return Finding(
        **{
            "content": content,
            "category": "fact",
            "decay_class": "system_fact",
            "clarity": 0.9,
            "evidence": content,
            **more,
        }
    )


def test_a_changed_port_is_not_swallowed() -> None:
    old, new = "ComfyUI listens on port 8188.", "ComfyUI listens on port 8189."
    assert not same_statement(old, new)
    assert [one.content for one in without_likes([finding(old), finding(new)])] == [old, new]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Answer in Chinese.", "Write memories in Chinese."),
        ("A depends on B", "B depends on A"),
        ("用中文回答", "用中文写记忆"),
    ],
)
def test_a_near_subject_stays_apart(one: str, other: str) -> None:
    assert not same_statement(one, other)


def test_order_inflection_courtesy_and_punctuation_say_nothing() -> None:
    said = [
        "ComfyUI listens on port 8188.",
        "Please remember: on port 8188 ComfyUI is listening!",
        "Port 8188 is what ComfyUI listens on",
        "Just so you know, comfyui listens on port 8188, thanks.",
    ]
    assert len({statement_key(one) for one in said}) == 1


def test_likeness_is_the_larger_of_english_words_and_pairs_of_chinese_characters() -> None:
    assert lexical_overlap("the red car stopped", "a red car stops there") == pytest.approx(2 / 4)
    assert lexical_overlap("数据库备份", "数据库恢复") == pytest.approx(2 / 6)
    assert lexical_overlap("Redis 缓存", "Redis 索引") == 1.0


def test_findings_of_one_run_that_are_alike_are_one_and_keep_what_they_rest_on() -> None:
    findings = [
        finding("The proxy restarts every night."),
        finding("Please note that the proxy restarts every night", depends_on=("m1",)),
        finding("The cache is empty afterwards.", rests_on=(1,)),
    ]
    merged = without_likes(findings)
    assert [one.content for one in merged] == [findings[0].content, findings[2].content]
    assert merged[0].depends_on == ("m1",)
    assert merged[1].rests_on == (0,)
