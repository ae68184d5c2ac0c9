"""What the service asks of a language model: one answer in a given form, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct


class LanguageModelError(Exception):
    """Root of what a language model raises. Messages name the model and the cause, never a text.

    ``reason`` is the cause in one word, as it is counted and logged. ``pause_s`` is how long the
    server asked to be left alone.
    """

    def __init__(self, message: str, reason: str = "failed", pause_s: float | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.pause_s = pause_s


class LanguageModelUnavailable(LanguageModelError):
    """The model did not answer in time, or is known not to; worth trying again later."""


class LanguageModelNotAsked(LanguageModelUnavailable):
    """Nothing was sent: there is no connection, or the model is left alone for a while."""


class LanguageModelMisbehaved(LanguageModelError):
    """The model answered, but not with what was asked."""


class Message(Struct, frozen=True):
    """One turn of the conversation with the model."""

    role: Literal["system", "user", "assistant"]
    content: str


class Completion(Struct, frozen=True, kw_only=True):
    """A model's answer. Tokens are as the server counts them; 0 where it does not say.

    ``cut``: the model stopped because it had no tokens left, not because it was done.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False


class LanguageModel(Protocol):
    """A model that answers with JSON of a given schema. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as it stands in the log."""

    def complete(
        self, messages: Sequence[Message], *, schema_name: str, schema: Mapping[str, Any]
    ) -> Completion:
        """Ask once. ``schema`` is a JSON Schema; whether the answer keeps to it is for the asker
        to check. Raises `LanguageModelError`.
        """
