"""Any server that speaks OpenAI's ``POST /v1/chat/completions`` with JSON-schema output.

A circuit breaker makes calls to a dead server fail at once. Neither the API key nor a text ever
reaches a log or an error: of an answer that is not 200 only the status is kept.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx
import msgspec
from msgspec import Struct

from inference.circuit_breaker import CircuitBreaker, Monotonic
from inference.llm import (
    Completion,
    LanguageModelError,
    LanguageModelMisbehaved,
    LanguageModelNotAsked,
    LanguageModelUnavailable,
    Message,
)
from inference.posting import NoAnswer, Refused, post

_LONGEST_ANSWER: Final = 2**20
_OPTIONAL: Final = frozenset({"temperature", "response_format"})
"""Some models take no temperature but their own, some servers no schema: an answer is checked by
whoever asked for it in any case."""


class ChatOptions(Struct, frozen=True, kw_only=True):
    """Where the model is and how patient to be (seconds for a whole answer).

    ``endpoint`` is the base (``http://host:8080``), with or without ``/v1``.
    """

    endpoint: str
    model: str
    timeout_s: float = 60.0


class _Part(Struct):
    text: str = ""


class _Said(Struct):
    # Some servers answer in parts, as questions may be asked.
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Said
    finish_reason: str | None = None


class _Usage(Struct):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0


class _Answer(Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAIChat:
    """A language model behind HTTP. Thread-safe; `close` it at the end."""

    def __init__(
        self,
        options: ChatOptions,
        api_key: str | None = None,
        *,
        breaker: CircuitBreaker | None = None,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        base = options.endpoint.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")
        self._url = f"{base}/v1/chat/completions"
        self._options = options
        self._breaker = breaker or CircuitBreaker(monotonic)
        self._monotonic = monotonic
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # An answer takes seconds; that a connection is made for each costs nothing beside it, and
        # lets the time for a whole answer hold against any server (`inference.posting`).
        limits = httpx.Limits(max_keepalive_connections=0)
        self._left_out: frozenset[str] = frozenset()
        self._client = httpx.Client(headers=headers, follow_redirects=False, limits=limits)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._options.model

    def complete(
        self, messages: Sequence[Message], *, schema_name: str, schema: Mapping[str, Any]
    ) -> Completion:
        """Ask once, at temperature 0 where the model takes one.

        A server that refuses an option by its name is asked again without it, from then on.
        Raises `LanguageModelUnavailable` when the server does not answer in time or the circuit
        is open, `LanguageModelMisbehaved` when it refuses or its answer makes no sense.
        """
        if not self._breaker.allow():
            raise LanguageModelNotAsked(
                f"{self.name} failed repeatedly and is not asked for a while", "circuit_open"
            )
        try:
            completion = self._completion(self._post(messages, schema_name, schema))
        except LanguageModelUnavailable:
            self._breaker.failed()
            raise
        except LanguageModelError:
            self._breaker.succeeded()  # it is there, and says no at once: nobody waits for it
            raise
        self._breaker.succeeded()
        return completion

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _post(
        self, messages: Sequence[Message], schema_name: str, schema: Mapping[str, Any]
    ) -> bytes:
        body = {
            "model": self._options.model,
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            "temperature": 0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": schema_name, "strict": True, "schema": dict(schema)},
            },
        }
        while True:
            try:
                return post(
                    self._client,
                    self._url,
                    {name: value for name, value in body.items() if name not in self._left_out},
                    timeout_s=self._options.timeout_s,
                    monotonic=self._monotonic,
                    longest=_LONGEST_ANSWER,
                )
            except NoAnswer as error:
                kind = LanguageModelUnavailable if error.sent else LanguageModelNotAsked
                raise kind(
                    f"{self.name} did not answer: {error}", error.reason, error.pause_s
                ) from error
            except Refused as error:
                unwanted = (error.about & _OPTIONAL) - self._left_out
                if not unwanted:
                    raise LanguageModelMisbehaved(f"{self.name} {error}", error.reason) from error
                self._left_out |= unwanted

    def _completion(self, body: bytes) -> Completion:
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise LanguageModelMisbehaved(
                f"{self.name} answered with something else than a completion", "not_a_completion"
            ) from error
        if not answer.choices:
            raise LanguageModelMisbehaved(f"{self.name} answered nothing", "empty_answer")
        choice = answer.choices[0]
        text = _text(choice.message)
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise LanguageModelMisbehaved(f"{self.name} refused to answer", "refused")
        if not text:
            raise LanguageModelMisbehaved(f"{self.name} answered nothing", "empty_answer")
        usage = answer.usage or _Usage()
        return Completion(
            text=text,
            prompt_tokens=usage.prompt_tokens or 0,
            completion_tokens=usage.completion_tokens or 0,
            cut=choice.finish_reason == "length",
        )


def _text(said: _Said) -> str:
    if isinstance(said.content, list):
        return "".join(part.text for part in said.content)
    return said.content or ""
