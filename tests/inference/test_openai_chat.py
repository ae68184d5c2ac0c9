"""The language model's adapter against a server that speaks the real protocol."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from inference.circuit_breaker import CircuitBreaker
from inference.llm import (
    LanguageModelMisbehaved,
    LanguageModelNotAsked,
    LanguageModelUnavailable,
    Message,
)
from inference.openai_chat import ChatOptions, OpenAIChat
from tests.inference.chat_server import ChatServer, Written, chat_server

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}
ASKED = [Message("system", "be brief"), Message("user", "what is the code word?")]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


@pytest.fixture
def model(server: ChatServer) -> Iterator[OpenAIChat]:
    made = OpenAIChat(ChatOptions(endpoint=server.endpoint + "/v1", model="local-8b"), "key-1")
    yield made
    made.close()


def ask(model: OpenAIChat) -> str:
    return model.complete(ASKED, schema_name="answer", schema=SCHEMA).text


def test_a_request_carries_messages_schema_and_key(server: ChatServer, model: OpenAIChat) -> None:
    server.reply = lambda request: '{"x": 7}'
    got = model.complete(ASKED, schema_name="answer", schema=SCHEMA)
    assert (got.text, got.prompt_tokens, got.completion_tokens) == ('{"x": 7}', 100, 20)
    (request,) = server.requests
    assert request["model"] == model.name == "local-8b"
    assert request["messages"][1] == {"role": "user", "content": "what is the code word?"}
    assert request["response_format"]["json_schema"]["schema"] == SCHEMA
    assert server.authorizations == ["Bearer key-1"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_in_trouble_is_unavailable(server: ChatServer, model, status: int) -> None:
    server.status = status
    with pytest.raises(LanguageModelUnavailable, match=str(status)):
        ask(model)


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_a_misbehaviour_and_repeats_no_text(server, model, status: int) -> None:
    server.status = status
    with pytest.raises(LanguageModelMisbehaved, match=str(status)) as refused:
        ask(model)
    assert "secret" not in str(refused.value)
    assert "code word" not in str(refused.value)


@pytest.mark.parametrize("raw", [b"<html>", b'{"choices": []}', b'{"choices": [{"message": {}}]}'])
def test_an_answer_that_makes_no_sense_is_a_misbehaviour(server, model, raw: bytes) -> None:
    server.raw = raw
    with pytest.raises(LanguageModelMisbehaved):
        ask(model)


def test_a_dead_server_is_left_alone_until_the_cooldown_is_over(server: ChatServer) -> None:
    now = 0.0
    breaker = CircuitBreaker(lambda: now, failures=2, cooldown_s=10)
    model = OpenAIChat(ChatOptions(endpoint=server.endpoint, model="m"), breaker=breaker)
    server.status = 503
    for _ in range(5):
        with pytest.raises(LanguageModelUnavailable):
            ask(model)
    assert len(server.requests) == 2
    server.status, now = 200, 11.0
    assert ask(model) == "{}"
    assert ask(model) == "{}"
    model.close()


def test_a_server_that_does_not_answer_in_time_is_unavailable(server: ChatServer) -> None:
    going_on = threading.Event()

    def slowly(request: dict[str, Any]) -> str:
        going_on.wait(5)
        return "{}"

    server.reply = slowly
    model = OpenAIChat(ChatOptions(endpoint=server.endpoint, model="m", timeout_s=0.2))
    with pytest.raises(LanguageModelUnavailable, match="ReadTimeout"):
        ask(model)
    going_on.set()
    model.close()


TROUBLES = [
    ("rate_limited", LanguageModelUnavailable, "rate_limited"),
    ("server_error", LanguageModelUnavailable, "server_error"),
    ("reset", LanguageModelUnavailable, "connection_lost"),
    ("hangs_up", LanguageModelUnavailable, "connection_lost"),
    ("no_answer", LanguageModelUnavailable, "timeout"),
    ("slow_drip", LanguageModelUnavailable, "timeout"),
    ("slow_headers", LanguageModelUnavailable, "timeout"),
    ("invalid_utf8", LanguageModelMisbehaved, "not_a_completion"),
    ("huge", LanguageModelMisbehaved, "answer_too_large"),
    ("bad_gzip", LanguageModelMisbehaved, "not_unpackable"),
    ("html", LanguageModelMisbehaved, "not_a_completion"),
    ("empty_body", LanguageModelMisbehaved, "not_a_completion"),
]


@pytest.mark.parametrize(("trouble", "error", "reason"), TROUBLES)
def test_a_misbehaving_server_is_told_by_its_misbehaviour(
    server: ChatServer, trouble, error, reason: str
) -> None:
    server.trouble = lambda request: trouble
    patience_s = 0.3 if reason == "timeout" else 5.0
    model = OpenAIChat(ChatOptions(endpoint=server.endpoint, model="m", timeout_s=patience_s))
    with pytest.raises(error) as raised:
        ask(model)
    assert raised.value.reason == reason
    assert "code word" not in str(raised.value)
    model.close()


def test_what_was_never_sent_is_told_apart(server: ChatServer) -> None:
    model = OpenAIChat(ChatOptions(endpoint="http://127.0.0.1:9", model="m"))
    with pytest.raises(LanguageModelNotAsked) as raised:
        ask(model)
    assert raised.value.reason == "unreachable"
    model.close()


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (Written(None, refusal="I would rather not"), "refused"),
        (Written("", "content_filter"), "refused"),
        (Written(None), "empty_answer"),
        (Written("", "length"), "empty_answer"),
    ],
)
def test_a_model_that_writes_nothing_is_told_why(server, model, written, reason: str) -> None:
    server.reply = lambda request: written
    with pytest.raises(LanguageModelMisbehaved) as raised:
        ask(model)
    assert raised.value.reason == reason
    assert "rather" not in str(raised.value)


def test_an_answer_that_was_cut_says_so(server: ChatServer, model: OpenAIChat) -> None:
    server.reply = lambda request: Written('{"x": 1', "length")
    assert model.complete(ASKED, schema_name="answer", schema=SCHEMA).cut


@pytest.mark.parametrize(
    "refused", [{"temperature"}, {"response_format"}, {"temperature", "response_format"}]
)
def test_an_option_that_a_server_does_not_take_is_left_out_from_then_on(
    server: ChatServer, model: OpenAIChat, refused: set[str]
) -> None:
    server.refused = frozenset(refused)
    assert ask(model) == "{}"
    before = len(server.requests)
    assert ask(model) == "{}"
    assert len(server.requests) == before + 1
    assert not refused & server.requests[-1].keys()


def test_a_field_that_cannot_be_left_out_is_refused_once(server: ChatServer, model) -> None:
    server.refused = frozenset({"messages"})
    with pytest.raises(LanguageModelMisbehaved, match="400"):
        ask(model)
    assert len(server.requests) == 1
