"""A server and a model that fail now and then, each time in another way, by a seed."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.inference.chat_server import ChatServer, Trouble, Written
from tests.workers.scribe import a_finding, answered, episodes_in

Answer = dict[str, Any]
Spoil = Callable[[Answer], "Answer | str | Written"]

SERVER: dict[Trouble, str] = {
    "rate_limited": "rate_limited",
    "server_error": "server_error",
    "reset": "connection_lost",
    "hangs_up": "connection_lost",
    "invalid_utf8": "not_a_completion",
    "huge": "answer_too_large",
    "bad_gzip": "not_unpackable",
    "html": "not_a_completion",
    "empty_body": "not_a_completion",
    "no_answer": "timeout",
    "slow_drip": "timeout",
    "slow_headers": "timeout",
}
"""What the server does, and the word by which the log tells it."""


def _each_finding(change: Callable[[Answer], Any]) -> Spoil:
    def spoil(answer: Answer) -> Answer:
        for episode in answer["episodes"]:
            episode["findings"] = [change(one) for one in episode["findings"]]
        return answer

    return spoil


def _cut(answer: Answer) -> Written:
    text = json.dumps(answer)
    return Written(text[: len(text) * 2 // 3], "length")


def _for_another(answer: Answer) -> Answer:
    answer["episodes"].append({**answer["episodes"][0], "episode": "e-nobody"})
    return answer


def _without_the_last(answer: Answer) -> Answer:
    return {"episodes": answer["episodes"][:-1]}


def _turned(statement: str) -> str:
    return statement.replace(" listens", " never listens").replace("监听", "不监听")


def _too_many(answer: Answer) -> Answer:
    for episode in answer["episodes"]:
        episode["findings"] *= 12
    return answer


MODEL: dict[str, tuple[Spoil, str | None]] = {
    "refuses": (lambda _: "I'm sorry, I can't do that.", "refused"),
    "refuses by the protocol": (lambda _: Written(None, refusal="No."), "refused"),
    "says nothing": (lambda _: Written(""), "empty_answer"),
    "tells a story": (lambda _: "They spoke of render nodes.", "not_json"),
    "is cut off": (_cut, "truncated"),
    "leaves one out": (_without_the_last, "unanswered"),
    "answers for another": (_for_another, "not_asked"),
    "repeats itself": (_too_many, "repeated"),
    "uses a fence": (lambda answer: f"```json\n{json.dumps(answer)}\n```", None),
    "names no known memory": (
        _each_finding(lambda one: {**one, "action": "reinforce", "memory": "m-1"}),
        "unknown_memory",
    ),
    "makes numbers up": (
        _each_finding(lambda one: {**one, "statement": one["statement"] + " since 1887"}),
        "invented_number",
    ),
    "makes names up": (
        _each_finding(lambda one: {**one, "statement": one["statement"] + " at Zanzibar Labs"}),
        "invented_name",
    ),
    "quotes what is not there": (
        _each_finding(lambda one: a_finding("Everything is fine", "all is well")),
        "evidence_not_there",
    ),
    "answers in a third language": (
        _each_finding(lambda one: {**one, "statement": "レンダーノードはポートで待ち受けます"}),
        "wrong_language",
    ),
    "turns it round": (
        _each_finding(lambda one: {**one, "statement": _turned(one["statement"])}),
        "negation_changed",
    ),
    "mixes up types": (_each_finding(lambda one: [one]), "wrong_type"),
}
"""What the model does with a good answer, and the word for it; None where it is no trouble."""


class Troubles:
    """Lets a share of a server's calls fail, and counts how."""

    def __init__(self, server: ChatServer, seed: int, share: float) -> None:
        self.met: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._share = share
        server.trouble = self._of_server
        server.reply = self._of_model

    def _of_server(self, request: dict[str, Any]) -> Trouble | None:
        self._spoil: Spoil | None = None
        if self._random.random() >= self._share:
            return None
        if self._random.random() < 0.5:
            trouble = self._random.choice(list(SERVER))
            self.met[SERVER[trouble]] += 1
            return trouble
        self._spoil, reason = self._random.choice(list(MODEL.values()))
        if reason:
            self.met[reason] += 1
        return None

    def _of_model(self, request: dict[str, Any]) -> str | Written:
        answer = answered(episodes_in(request), lambda e: [a_finding(e["text"], e["text"])])
        spoiled = answer if self._spoil is None else self._spoil(answer)
        return spoiled if isinstance(spoiled, str | Written) else json.dumps(spoiled)
