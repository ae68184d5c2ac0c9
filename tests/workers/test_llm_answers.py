"""A model's answer, however it is written: read where it can be, else asked for once more."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.inference.chat_server import Written
from tests.workers.model_distiller import (
    PORT,
    PORT_SAID,
    PORT_ZH,
    TEA,
    TEA_SAID,
    asked,
    by_text,
    contents,
    finding,
    reasons,
)
from tests.workers.scribe import (
    a_finding,
    episodes_in,
)

# --- how it is written --------------------------------------------------------


FORMS: dict[str, Callable[[str], str]] = {
    "fenced": lambda text: f"```json\n{text}\n```",
    "with words around": lambda text: f"Sure! Here are [the] {{memories}}:\n{text}\nAnything else?",
    "with thoughts": lambda text: f'<think>{{"episodes": []}} or so</think>\n{text}',
    "with a byte order mark": lambda text: "\ufeff" + text,
    "a bare list": lambda text: json.dumps(json.loads(text)["episodes"]),
    "one episode alone": lambda text: json.dumps(json.loads(text)["episodes"][0]),
    "keyed by handle": lambda text: json.dumps(
        {"episodes": {one["episode"]: one for one in json.loads(text)["episodes"]}}
    ),
    "without its handle": lambda text: json.dumps(
        {"findings": json.loads(text)["episodes"][0]["findings"]}
    ),
    "with more fields": lambda text: json.dumps(
        {**json.loads(text), "note": "done", "usage": {"a": [1]}}
    ),
    "with line breaks in strings": lambda text: text.replace("listens on", "listens\n on"),
}


@pytest.mark.parametrize("form", FORMS)
def test_json_is_read_however_it_is_wrapped(chat, distiller, form: str) -> None:
    good = finding(PORT_SAID)
    chat.reply = lambda request: FORMS[form](good(request))
    got = distiller.about(PORT)
    assert contents(got) == ["ComfyUI listens on port 8188"]
    assert len(chat.requests) == 1


BAD_ANSWERS: dict[str, tuple[str | Written, str]] = {
    "a refusal": ("I'm sorry, but I can't help with that.", "refused"),
    "a refusal in Chinese": ("抱歉，我无法处理这个请求。", "refused"),
    "a refusal by the protocol": (Written(None, refusal="No."), "refused"),
    "a filter": (Written("", "content_filter"), "refused"),
    "nothing": (Written(""), "empty_answer"),
    "blanks": (Written(" \n "), "empty_answer"),
    "nothing but thoughts": ("<think>let me see", "empty_answer"),
    "prose": ("The user talks about ComfyUI.", "not_json"),
    "another object": ('{"answer": 42}', "not_json"),
    "a number": ("17", "not_json"),
    "a bomb": ("[" * 50_000, "not_json"),
    "no list": ('{"episodes": "none"}', "wrong_type"),
    "a list of numbers": ('{"episodes": [1, 2]}', "wrong_type"),
    "no episode": ('{"episodes": []}', "unanswered"),
    "cut before anything": (Written('{"episodes": [{"epis', "length"), "truncated"),
    "half a surrogate": ('{"episodes": [{"episode": "\\ud800"', "truncated"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_an_answer_of_no_use_is_asked_for_once_more_and_then_left_to_the_rules(
    chat, distiller, name: str
) -> None:
    text, reason = BAD_ANSWERS[name]
    chat.reply = lambda request: text
    got = distiller.distil(*asked(PORT, TEA))
    assert got.found == {}
    assert got.left == {"episode-1": reason, "episode-2": reason}
    assert [len(episodes_in(request)) for request in chat.requests] == [2, 1, 1]
    assert reasons(got) == [reason] * 3
    assert not any(call.ok for call in got.calls)


def test_a_refusal_over_one_episode_costs_the_others_nothing(chat, distiller) -> None:
    good = by_text({PORT: PORT_SAID, TEA: TEA_SAID})
    chat.reply = lambda request: (
        "I can't help with that."
        if any("tea" in e["text"] for e in episodes_in(request))
        else good(request)
    )
    got = distiller.distil(*asked(PORT, TEA))
    assert contents(got) == ["ComfyUI listens on port 8188"]
    assert got.left == {"episode-2": "refused"}


def test_of_a_cut_answer_whole_findings_stay_and_the_rest_is_asked_for_again(
    chat, distiller
) -> None:
    good = by_text({PORT: PORT_SAID, TEA: TEA_SAID, PORT_ZH: PORT_SAID})

    def answer(request: dict[str, Any]) -> str | Written:
        whole = good(request)
        if len(chat.requests) > 1:
            return whole
        return Written(whole[: whole.index("green tea") + 3], "length")

    chat.reply = answer
    got = distiller.distil(*asked(PORT, TEA))
    assert contents(got, "episode-1") == ["ComfyUI listens on port 8188"]
    assert contents(got, "episode-2") == ["The owner prefers green tea in the morning"]
    assert [[e["text"] for e in episodes_in(r)] for r in chat.requests] == [[PORT, TEA], [TEA]]
    assert reasons(got) == ["truncated", None]


def test_what_is_cut_off_for_good_is_filled_in_by_the_rules(chat, distiller) -> None:
    text = "ComfyUI listens on port 8188. The gateway listens on port 9000."
    good = finding(
        PORT_SAID, a_finding("The gateway listens on port 9000", "gateway listens on port 9000")
    )

    def answer(request: dict[str, Any]) -> Written:
        whole = good(request)
        return Written(whole[: whole.index("gateway")], "length")

    chat.reply = answer
    got = distiller.about(text)
    first, *rest = contents(got)
    assert first == "ComfyUI listens on port 8188"
    assert any("9000" in one for one in rest)
    assert not any("8188" in one for one in rest)
    assert got.found["episode-1"].by_rules == len(rest)


# --- in which language --------------------------------------------------------


def test_another_language_than_asked_is_asked_for_once_more(chat, distiller) -> None:
    def answer(request: dict[str, Any]) -> str:
        again = "A former answer" in request["messages"][0]["content"]
        statement = "ComfyUI 监听 8188 端口" if again else "ComfyUI listens on port 8188"
        return finding(a_finding(statement, "ComfyUI listens on port 8188"))(request)

    chat.reply = answer
    got = distiller.distil(*asked(PORT), language="zh")
    assert contents(got) == ["ComfyUI 监听 8188 端口"]
    assert reasons(got) == ["wrong_language", None]


def test_a_finding_that_stays_in_another_language_is_left_to_the_rules(chat, distiller) -> None:
    text = "网关监听 9000 端口。主人喜欢绿茶。"
    chat.reply = finding(
        a_finding("The gateway listens on port 9000", "网关监听 9000 端口"),
        a_finding("主人喜欢绿茶", "主人喜欢绿茶", category="preference"),
    )
    got = distiller.about(text)
    first, *by_rules = got.found["episode-1"].findings
    assert first.content == "主人喜欢绿茶"
    assert ["9000" in one.content for one in by_rules] == [True]
    assert got.found["episode-1"].by_rules == 1
    assert len(chat.requests) == 2


def test_translated_statements_are_taken_when_that_is_what_was_asked(chat, distiller) -> None:
    chat.reply = finding(a_finding("The gateway listens on port 9000", "网关监听 9000 端口"))
    got = distiller.distil(*asked(PORT_ZH), language="en")
    assert contents(got) == ["The gateway listens on port 9000"]
    chat.reply = finding(a_finding("The gateway listens on port 9999", "网关监听 9000 端口"))
    got = distiller.distil(*asked(PORT_ZH), language="en")
    assert got.found["episode-1"].dropped == {"invented_number": 1}
    assert not any("9999" in one for one in contents(got))
