"""When two sentences are one statement, without a model."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.distillation.finding import Finding
from domain.policies.same_statement import (
    lexical_overlap,
    same_statement,
    statement_key,
    without_likes,
)
from tests.domain import own_output_cases as restated
from tests.domain import same_statement_families as families
from tests.domain import same_statement_near as near
from tests.domain import same_statement_paraphrases as paraphrases

LANGUAGES = ("ENGLISH", "CHINESE")
SENTENCES = [
    *(family[0] for family in families.ENGLISH + families.CHINESE),
    *(one for pair in near.ENGLISH + near.CHINESE for one in pair),
]
sentences = st.sampled_from(SENTENCES)
DATA = "MEMORYWEAVE_EVAL_DATA"
few = settings(max_examples=40)


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


# --- what is one statement


@pytest.mark.parametrize("family", families.ENGLISH + families.CHINESE, ids=lambda f: f[0][:24])
def test_ten_repetitions_are_one_statement(family: list[str]) -> None:
    assert len(family) == len(set(family)) == 10
    assert {statement_key(one) for one in family} == {statement_key(family[0])}


@pytest.mark.parametrize("told", [families.FURTHER, families.BLIND], ids=["further", "blind"])
def test_most_repetitions_that_the_rules_were_not_made_from_are_one_statement(
    told: list[list[str]],
) -> None:
    counts = [Counter(map(statement_key, family)) for family in told]
    agreeing = sum(count.most_common(1)[0][1] for count in counts)
    assert agreeing >= 0.85 * sum(map(len, told))


@pytest.mark.parametrize("language", LANGUAGES)
def test_more_than_half_of_true_paraphrases_are_known(language: str) -> None:
    pairs = getattr(paraphrases, language)
    assert len(pairs) >= 60
    assert sum(same_statement(one, other) for one, other in pairs) > len(pairs) / 2


def test_learned_synonyms_are_one_word_in_any_case_and_through_each_other() -> None:
    learned = {"Image Studio": "ComfyUI", "出图工具": "Image Studio"}
    said = "ComfyUI listens on port 8188"
    assert same_statement(said, "image studio listens on port 8188.", learned)
    assert same_statement("ComfyUI 监听 8188 端口", "出图工具监听 8188 端口。", learned)
    assert not same_statement(said, "image studio listens on port 8188.")
    circle = {"alpha": "beta", "beta": "alpha"}
    assert same_statement("alpha is on port 1", "beta is on port 1", circle)


# --- what is not


@pytest.mark.parametrize(
    "pairs",
    [near.ENGLISH, near.CHINESE, near.FURTHER, near.BLIND],
    ids=["English", "Chinese", "further", "blind"],
)
def test_near_subjects_are_never_one_statement(pairs: list[tuple[str, str]]) -> None:
    assert len(pairs) >= 50
    assert [pair for pair in pairs if same_statement(*pair)] == []


@pytest.mark.parametrize("table", ["ENGLISH", "CHINESE", "FURTHER_ENGLISH", "FURTHER_CHINESE"])
def test_what_says_something_else_than_a_served_text_is_another_statement(table: str) -> None:
    merged = [
        (one, other)
        for case in getattr(restated, table)
        for one in (case.served, *case.again)
        for other in case.otherwise
        if same_statement(one, other)
    ]
    assert merged == []


def test_what_is_turned_round_is_another_statement() -> None:
    assert [pair for pair in restated.TURNED_ROUND if same_statement(*pair)] == []


@pytest.mark.parametrize("name", ["cdconv_zh", "mquake_en", "ocnli_zh", "ramdocs_en"])
def test_updates_and_contradictions_of_public_sets_are_never_one_statement(name: str) -> None:
    folder = os.environ.get(DATA)
    if not folder:
        pytest.skip(f"{DATA} is not set: no public pairs to hold the rules against")
    lines = (Path(folder) / "conflicts_dev" / f"{name}.jsonl").read_text().splitlines()
    pairs = [json.loads(line) for line in lines]
    opposed = [pair for pair in pairs if pair["label"] in ("update", "contradiction")]
    assert len(opposed) > 100
    assert [pair["id"] for pair in opposed if same_statement(pair["old"], pair["new"])] == []


def test_code_is_the_same_only_if_it_is_the_same() -> None:
    assert not same_statement("```\na = b\n```", "```\nb = a\n```")
    assert not same_statement("if (x) {\n  y();\n}", "if (y) {\n  x();\n}")
    assert same_statement("```\na = b\n```", "  ```\na = b  \n```")


def test_words_without_a_statement_are_one_only_if_they_are_the_same() -> None:
    assert not same_statement("Thanks, Tim!", "Cool, Tim!")
    assert not same_statement("谢谢", "你好")
    assert not same_statement("👍", "👎")
    assert same_statement("Thanks, Tim!", "thanks Tim")


# --- laws


@few
@given(sentences, sentences)
def test_sameness_is_reflexive_and_symmetric_and_means_equal_keys(one: str, other: str) -> None:
    assert same_statement(one, one)
    assert same_statement(one, other) == same_statement(other, one)
    assert same_statement(one, other) == (statement_key(one) == statement_key(other))


@few
@given(st.text(max_size=80))
def test_any_text_has_a_key(text: str) -> None:
    assert isinstance(statement_key(text), str)
    assert same_statement(text, text)


@few
@given(
    sentences,
    st.sampled_from(["", " ", "\n", "  "]),
    st.sampled_from(["", ".", "!", "。", "！", "...", " ;"]),
)
def test_signs_and_blanks_around_it_say_nothing(text: str, blank: str, sign: str) -> None:
    bare = text.rstrip(".。!！?？")
    assert same_statement(bare, f"{blank}{bare}{sign}{blank}")
    assert same_statement(bare, f'"{bare}"')


@few
@given(sentences)
def test_the_case_of_words_says_nothing_but_that_of_paths_does(text: str) -> None:
    if "/" not in text:
        assert same_statement(text, text.upper())
        assert same_statement(text, text.lower())


@few
@given(
    st.sampled_from([one for one in SENTENCES if one.isascii()]),
    st.sampled_from(["Please note: {}", "Hello! {}", "{} Thank you!", "By the way, {}", "FYI, {}"]),
)
def test_courtesy_in_english_says_nothing(text: str, frame: str) -> None:
    assert same_statement(text, frame.format(text))


@few
@given(
    st.sampled_from([one for one in SENTENCES if not one.isascii()]),
    st.sampled_from(["请记住，{}", "你好，{}", "{}谢谢！", "麻烦记一下：{}", "提醒一下，{}"]),
)
def test_courtesy_in_chinese_says_nothing(text: str, frame: str) -> None:
    assert same_statement(text, frame.format(text))


@few
@given(st.integers(0, 99_999), st.integers(0, 99_999), st.booleans())
def test_any_other_number_is_another_statement(one: int, other: int, chinese: bool) -> None:
    frame = "网关监听 {} 端口" if chinese else "The gateway listens on port {}"
    assert same_statement(frame.format(one), frame.format(other)) == (one == other)


identifiers = st.from_regex(r"[a-z]{2,8}[_.-][a-z]{2,8}[0-9]?", fullmatch=True)


@few
@given(identifiers, identifiers, st.booleans())
def test_any_other_identifier_is_another_statement(one: str, other: str, chinese: bool) -> None:
    frame = "部署 {} 用的是蓝色集群" if chinese else "The job {} is deployed to the blue cluster"
    assert same_statement(frame.format(one), frame.format(other)) == (one == other)


@few
@given(identifiers, identifiers)
def test_what_depends_on_what_is_never_turned_round(one: str, other: str) -> None:
    for frame in ("{} depends on {}", "{} 依赖 {}", "{} calls {}", "{} 调用 {}", "{} 比 {} 快"):
        said, turned = frame.format(one, other), frame.format(other, one)
        assert same_statement(said, turned) == (one == other)


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("The cache keeps {}", "The cache never keeps {}"),
        ("The cache keeps {}", "The cache does not keep {}"),
        ("The cache keeps {}", "Only the cache keeps {}"),
        ("The cache keeps {}", "The cache kept {}"),
        ("The cache keeps {}", "The cache will keep {}"),
        ("The cache keeps {}", "The cache might keep {}"),
        ("The cache keeps {}", "Does the cache keep {}?"),
        ("缓存保存{}", "缓存不保存{}"),
        ("缓存保存{}", "缓存没有保存{}"),
        ("缓存保存{}", "只有缓存保存{}"),
        ("缓存保存{}", "缓存保存过{}"),
        ("缓存保存{}", "缓存可能保存{}"),
        ("缓存保存{}", "缓存保存{}吗"),
    ],
)
def test_negation_scope_time_and_doubt_make_another_statement(text: str, turned: str) -> None:
    for what in ("tokens", "图片", "user_id", "30 MB"):
        assert not same_statement(text.format(what), turned.format(what))


# --- likeness, and findings of one run


def test_a_changed_port_is_not_swallowed() -> None:
    old, new = "ComfyUI listens on port 8188.", "ComfyUI listens on port 8189."
    assert lexical_overlap(old, new) >= 0.6
    assert not same_statement(old, new)
    assert [one.content for one in without_likes([finding(old), finding(new)])] == [old, new]


def test_likeness_is_the_larger_of_english_words_and_pairs_of_chinese_characters() -> None:
    assert lexical_overlap("the red car stopped", "a red car stops there") == pytest.approx(2 / 4)
    assert lexical_overlap("数据库备份", "数据库恢复") == pytest.approx(2 / 6)
    assert lexical_overlap("Redis 缓存", "Redis 索引") == 1.0
    assert lexical_overlap("👍", "👍") == 1.0
    assert lexical_overlap("👍", "👎") == 0.0


@few
@given(sentences, sentences)
def test_likeness_is_symmetric_and_a_share(one: str, other: str) -> None:
    share = lexical_overlap(one, other)
    assert 0.0 <= share <= 1.0
    assert share == lexical_overlap(other, one)
    assert lexical_overlap(one, one) == 1.0


def test_of_like_findings_the_fuller_stays_and_keeps_what_they_rest_on() -> None:
    short, full = "The proxy restarts every night.", "The old proxy restarts every night."
    findings = [
        finding(short, depends_on=("m1",)),
        finding("The cache is empty afterwards.", rests_on=(0, 2)),
        finding(full, reinforces="m2"),
        finding("Please note that the old proxy restarts every night", rests_on=(2,)),
    ]
    merged = without_likes(findings)
    assert [one.content for one in merged] == [findings[1].content, full]
    assert merged[0].rests_on == (1,)
    assert merged[1].depends_on == ("m1",)
    assert merged[1].reinforces == "m2"
    assert merged[1].rests_on == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The owner prefers dark mode in the editor", "The owner prefers dark mode"),
        ("The owner prefers dark mode in vim", "The owner prefers light mode in vim"),
        ("Anna manages the payments team", "Anna manages the search team"),
        ("Anna never drinks black coffee", "Anna drinks black coffee"),
        ("主人在编辑器里喜欢深色主题", "主人在编辑器里喜欢浅色主题"),
        ("网关每天凌晨三点重启一次", "网关每天凌晨四点重启一次"),
    ],
)
def test_like_findings_that_differ_in_what_tells_stay_two(one: str, other: str) -> None:
    assert len(without_likes([finding(one), finding(other)])) == 2


@few
@given(st.lists(sentences, max_size=8))
def test_no_finding_is_lost_but_to_one_that_says_it(texts: list[str]) -> None:
    stayed = [one.content for one in without_likes([finding(text) for text in texts])]
    for text in texts:
        assert any(
            text == one or lexical_overlap(text, one) >= 0.6 or same_statement(text, one)
            for one in stayed
        )
    assert without_likes([finding(text) for text in stayed]) == [finding(text) for text in stayed]
