"""Each hard rule, by talk that it stops and by talk that only looks like it."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from domain.distillation.finding import Talk
from domain.distillation.gate import judged
from domain.distillation.hard_rules import skip_reason
from domain.policies.world_questions import asks_the_world

_FACT = "The staging host is db-7 and runs Debian 12."


def talk(content: str, speaker: str | None = None, *before: tuple[str | None, str]) -> Talk:
    return Talk(
        episode_id="e",
        content=content,
        source="agent_inference",
        said_at=datetime(2026, 5, 1, tzinfo=UTC),
        speaker=speaker,
        before=before,
    )


@pytest.mark.parametrize("status", ["skipped", "error", " Error "])
def test_a_task_that_failed_or_was_skipped_teaches_nothing(status: str) -> None:
    assert skip_reason(talk(_FACT), task_status=status) == "task_failed"


@pytest.mark.parametrize("status", [None, "success", "completed", "partial"])
def test_any_other_status_stops_nothing(status: str | None) -> None:
    assert skip_reason(talk(_FACT), task_status=status) is None


@pytest.mark.parametrize(
    "said",
    [
        talk("I restarted the worker on db-7 and emptied its queue.", "assistant"),
        talk("我重启了 db-7 上的服务，清空了队列。", "助手"),
        talk("exit code 0, 214 files copied to /srv/export", "tool"),
        talk("assistant: I copied 214 files.\ntool: 214 files copied to /srv/export"),
        talk("助手：已经把 214 个文件复制到 /srv/export。"),
        talk(_FACT, "AI", ("system", "You are a helpful assistant."), ("AI", "Ready.")),
        talk("   \n "),
    ],
)
def test_talk_of_agents_alone_has_no_user_message(said: Talk) -> None:
    assert skip_reason(said, task_status=None) == "no_user_message"


@pytest.mark.parametrize(
    "said",
    [
        talk(_FACT),
        talk(_FACT, "owner"),
        talk(_FACT, "Caro"),
        talk(_FACT, "小林"),
        talk(_FACT, "assistant", ("user", "Which host is staging?")),
        talk(f"user: Which host is staging?\nassistant: {_FACT}"),
        talk("用户：测试机是哪台？\n助手：测试机是 db-7，系统是 Debian 12。"),
    ],
)
def test_whoever_is_no_agent_makes_a_user_message(said: Talk) -> None:
    assert skip_reason(said, task_status=None) is None


@pytest.mark.parametrize(
    "content",
    [
        "Hi! How are you?",
        "Thanks, bye!",
        "你好呀，最近怎么样？",
        "What is the boiling point of ethanol?",
        "Hi! Can you tell me how vaccines work? Thanks!",
        "How do I merge two dictionaries in Python?",
        "光速是多少？谢谢！",
        "帮我解释一下什么是量子纠缠。",
        "user: What is entropy?\nassistant: Entropy measures the number of microscopic states.",
    ],
)
def test_small_talk_and_questions_to_the_world_are_chit_chat(content: str) -> None:
    assert skip_reason(talk(content), task_status=None) == "chit_chat"


@pytest.mark.parametrize(
    "content",
    [
        "Hi! My daughter starts school on Monday.",
        "What is the boiling point of ethanol? I need it for my thesis on fuels.",
        "Which port does our proxy listen on?",
        "When is my dentist appointment on 14 May?",
        "谢谢！我下周一搬到杭州滨江区。",
        "我们的测试服务器用什么系统？",
        "最近感觉睡得不好，有没有什么好办法？",
        "晚上打算去看话剧，还没想好看哪一部呢。",
        "How do I mount the disk of our NAS at 10.0.0.5?",
    ],
)
def test_one_sentence_about_the_speaker_is_no_chit_chat(content: str) -> None:
    assert skip_reason(talk(content), task_status=None) is None


@pytest.mark.parametrize(
    "content",
    ["Um, yeah, well, you know, kind of.", "嗯，反正就这样吧，也没什么。", "...", "👍👍👍?!"],
)
def test_talk_that_says_next_to_nothing_has_too_low_a_density(content: str) -> None:
    reason = skip_reason(talk(content), task_status=None)
    assert reason in ("low_density", "chit_chat")


@pytest.mark.parametrize(
    "content",
    [
        "Um, well, so, you know, I mean, yeah. My daughter is called Ines.",
        "嗯嗯，那个，怎么说呢。我女儿叫小满。",
        "Hi, my name is Marta and I'm glad to meet you.",
    ],
)
def test_fillers_around_a_fact_do_not_hide_it(content: str) -> None:
    assert skip_reason(talk(content), task_status=None) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "What did you eat yesterday?",
        "Who is my manager?",
        "他昨天为什么没来？",
        "The sky is blue.",
        "Explain your decision to me.",
    ],
)
def test_a_question_about_somebody_is_not_one_to_the_world(sentence: str) -> None:
    assert not asks_the_world(sentence)


@pytest.mark.parametrize(
    "piece",
    [" ", "a", "0", "I really ", "what ", "so ", "wow Aa ", "/a", '"', "user: \n", "如果由"],
)
def test_no_text_takes_long_to_judge(piece: str) -> None:
    content = f"{piece * (64_000 // len(piece))}x"
    began = time.process_time()
    judged(talk(content), task_status=None)
    assert time.process_time() - began < 5
