"""What the service asks of a language model: one answer in a given form, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct


class LanguageModelError(Exception):
    """Root of what a language model raises. Messages name the model and the cause, never a text."""


class LanguageModelUnavailable(LanguageModelError):
    """The model did not answer in time, or is known not to; worth trying again later."""


class LanguageModelMisbehaved(LanguageModelError):
    """The model answered, but not with what was asked."""


class Message(Struct, frozen=True):
    """One turn of the conversation with the model."""

    role: Literal["system", "user", "assistant"]
    content: str


class Completion(Struct, frozen=True, kw_only=True):
    """A model's answer. Tokens are as the server counts them; 0 where it does not say."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


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
