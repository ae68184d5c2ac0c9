"""What an episode bears out, and what somebody made of it (`domain.distillation.grounding`)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.distillation.finding import Talk
from domain.distillation.grounding import fault, quotation, says_as_much
from domain.distillation.language import is_in, scripts
from domain.distillation.numbers import unsaid_numbers

AT = datetime(2026, 5, 1, 10, tzinfo=UTC)


def talk(content: str, *before: str) -> Talk:
    return Talk(
        episode_id="e",
        content=content,
        source="owner_message",
        said_at=AT,
        speaker="Mara",
        before=tuple((None, text) for text in before),
    )


BORNE_OUT = [
    ("ComfyUI listens on port 8188", "put ComfyUI on 8188 please"),
    ("The owner prefers tabs", "I prefer tabs over spaces."),
    ("Mara moved to Leeds in April 2026", "I moved to Leeds last month."),
    ("The owner is considering Postgres", "I think Postgres would be nicer, maybe."),
    ("The team avoids Redis", "We do not use Redis here."),
    ("The team no longer uses Jenkins", "we stopped using Jenkins"),
    ("The owner likes coffee", "I don't like tea but I like coffee."),
    ("If the disk is full, the cache is cleared", "If the disk is full, clear the cache."),
    ("The meeting is at 15:00", "the meeting is at 3 pm"),
    ("25 people come to dinner", "twenty-five people come to dinner"),
    ("Python 3.11 is required", "python 3.11.4 is required"),
    ("主人住在利兹", "I moved to Leeds last week."),
    ("网关监听 9000 端口", "网关现在监听 9000 端口"),
    ("机架里有 5 台服务器", "机架里有五台服务器"),
    ("主人喜欢喝咖啡", "我不喝茶，喜欢喝咖啡"),
    ("发布定在 2026年5月8日", "发布定在下周五"),
    ("据说他们团队用 Redis", "听说他们团队用 Redis"),
    ("主人腰不好", "我腰不好，该做什么运动？"),
    ("Mara went on a hike in the week of 20–26 April 2026", "I went on a hike last week."),
    ("Mara hasn't sailed yet, but Mara is game", "I haven't sailed yet, but I'm game."),
    ("Mara finished another bowl", "FYI, I finished another bowl - want to see it?"),
]
MADE_UP = [
    ("ComfyUI listens on port 9188", "put ComfyUI on 8188 please", "invented_number"),
    ("Three servers are in the rack", "five servers are in the rack", "invented_number"),
    ("机架里有三台服务器", "机架里有五台服务器", "invented_number"),
    ("The release is on 8 May 2031", "The release is next Friday.", "invented_number"),
    ("The staging host is web-03", "staging lives on web-02", "invented_number"),
    ("The staging host is lab.internal", "staging lives on web.internal", "invented_name"),
    ("The owner lives in Leeds with Priya", "I moved to Leeds last week.", "invented_name"),
    ("网关用 Nginx 监听 9000 端口", "网关现在监听 9000 端口", "invented_name"),
    ("网关监听 9000 端口", "the gateway listens on 8000", "invented_number"),
    ("Postgres is the nicer one", "I think Postgres would be nicer, maybe.", "taken_as_fact"),
    ("The gateway listens on port 9000", "Is the gateway on port 9000?", "taken_as_fact"),
    ("他们团队用 Redis", "听说他们团队用 Redis", "taken_as_fact"),
    ("The gateway uses port 9000", "Does the gateway use port 9000, by the way?", "taken_as_fact"),
    ("网关用 9000 端口", "网关是不是用 9000 端口？", "taken_as_fact"),
    ("Mara sailed in the week of 4–10 May 2031", "I sailed last week.", "invented_number"),
    ("The team uses Redis", "We do not use Redis here.", "negation_changed"),
    ("The owner likes tea", "I don't like tea but I like coffee.", "negation_changed"),
    ("周五可以部署", "周五不要部署", "negation_changed"),
    ("Opera is adored", "The build needs make 4.3.", "unsupported"),
    (
        "Peanuts and all other nuts, seeds and oils are a danger to the owner",
        "no peanuts",
        "longer_than_source",
    ),
]


@pytest.mark.parametrize(("statement", "said"), BORNE_OUT)
def test_what_was_said_is_borne_out_in_other_words(statement: str, said: str) -> None:
    quoted = quotation(re.split("，该| - want", said)[0], said)
    assert quoted is not None
    assert fault(statement, quoted, talk(said)) is None


@pytest.mark.parametrize(("statement", "said", "reason"), MADE_UP)
def test_what_was_not_said_is_told_by_its_fault(statement: str, said: str, reason: str) -> None:
    quoted = quotation(said, said)
    assert quoted is not None
    assert fault(statement, quoted, talk(said)) == reason


def test_earlier_turns_tell_what_a_pronoun_stands_for() -> None:
    said = "It listens on 8188 now."
    quoted = quotation(said, said)
    assert quoted is not None
    assert fault("ComfyUI listens on 8188", quoted, talk(said, "What about ComfyUI?")) is None
    assert fault("ComfyUI listens on 8188", quoted, talk(said)) == "invented_name"


@pytest.mark.parametrize(
    ("evidence", "text", "found"),
    [
        ("“Put  comfyui, on 8188”", "ok. put ComfyUI on 8188!", "put ComfyUI on 8188!"),
        ("put ... please", "so put it on 8188 please", "put it on 8188 please"),
        ("用 Redis", "我们用Redis。", "用Redis。"),
        ("nothing of it", "put it there", None),
        ("please ... put", "put it there please", None),
        ("", "put it there", None),
        ("…", "put it there", None),
    ],
)
def test_a_quotation_is_found_by_its_letters_and_digits(
    evidence: str, text: str, found: str | None
) -> None:
    quoted = quotation(evidence, text)
    assert (quoted and quoted.text) == found


@given(st.text(min_size=1, max_size=30), st.data())
@settings(max_examples=60)
def test_a_quotation_is_always_a_part_of_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quoted = quotation(text[start:end], text)
    assert quoted is None or quoted.text in text


@pytest.mark.parametrize(
    ("statement", "memory", "as_much"),
    [
        ("ComfyUI is on 8188", "ComfyUI listens on port 8188", True),
        ("ComfyUI 在 8188 端口", "ComfyUI listens on port 8188", True),
        ("ComfyUI moved to port 9000", "ComfyUI listens on port 8188", False),
        ("ComfyUI does not listen on 8188", "ComfyUI listens on port 8188", False),
        ("Ollama is on 8188", "ComfyUI listens on port 8188", False),
        ("网关不再监听 9000", "网关监听 9000", False),
    ],
)
def test_a_memory_says_as_much_only_with_the_same_hard_words(
    statement: str, memory: str, as_much: bool
) -> None:
    assert says_as_much(statement, memory) is as_much


@given(st.integers(2, 99_999), st.integers(2, 99_999))
def test_another_number_is_always_unsaid(said: int, written: int) -> None:
    unsaid = unsaid_numbers(f"the limit is {written} MB", f"the limit is {said} MB", AT)
    assert unsaid == ([] if written == said else [str(written)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ComfyUI 监听端口 8188", {"zh"}),
        ("我们用 Docker Compose 部署 Redis", {"zh"}),
        ("The owner said 你好", {"latin"}),
        ("主人喜欢 dark mode", {"zh", "latin"}),
        ("use `中文` here", {"latin"}),
        ("こんにちは世界", {"ja"}),
        ("1234", set()),
        ("B: 262A", set()),
    ],
)
def test_a_script_is_told_by_words_not_by_names(text: str, expected: set[str]) -> None:
    assert scripts(text) == expected


def test_a_statement_is_in_the_language_asked_for() -> None:
    assert is_in("网关监听 9000 端口", "source", "网关监听 9000 端口")
    assert not is_in("The gateway listens on 9000", "source", "网关监听 9000 端口")
    assert is_in("The gateway listens on 9000", "en", "网关监听 9000 端口")
    assert not is_in("The gateway listens on 9000", "zh", "网关监听 9000 端口")
    assert is_in("8188", "zh", "anything")
