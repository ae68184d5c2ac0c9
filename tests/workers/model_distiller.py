"""A distiller that asks a model, with all it needs; and ways to write what the model says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from domain.distillation.finding import Finding, Talk
from domain.distillation.rules import distil_by_rules
from eventlog.redis_log import RedisLog
from inference.circuit_breaker import CircuitBreaker
from inference.openai_chat import ChatOptions, OpenAIChat
from tests.inference.chat_server import ChatServer
from tests.workers.scribe import a_finding, a_talk, known, writing
from workers.distillation.budget import Allowance, CallBudget
from workers.distillation.llm_distiller import ByModel, Means, Patience, distil_by_model
from workers.distillation.prompt import Asked

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
PORT = "Please note: ComfyUI listens on port 8188 from now on."
PORT_SAID = a_finding("ComfyUI listens on port 8188", "ComfyUI listens on port 8188")
TEA = "I prefer green tea in the morning."
TEA_SAID = a_finding(
    "The owner prefers green tea in the morning", "prefer green tea", category="preference"
)
PORT_ZH = "记住，网关监听 9000 端口。"


class Distiller:
    """A distiller with everything it needs; ``pauses`` are those it made."""

    def __init__(self, chat: ChatServer, log: RedisLog) -> None:
        self._endpoint = chat.endpoint
        self.be_patient_for(5.0)
        self.budget = CallBudget(log, Allowance(zone=ZoneInfo("UTC")), lambda: NOW)
        self.pauses: list[float] = []
        self.by_rules: Callable[[Talk], list[Finding]] = distil_by_rules
        self.stopping = False

    def be_patient_for(self, seconds: float) -> None:
        """Wait so long for an answer."""
        self.model = OpenAIChat(
            ChatOptions(endpoint=self._endpoint, model="local-8b", timeout_s=seconds),
            breaker=CircuitBreaker(lambda: 0.0, failures=100),
        )

    def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return self.stopping

    def distil(self, *asked: Asked, language: str = "source") -> ByModel:
        means = Means(
            budget=self.budget,
            pause=self.pause,
            by_rules=self.by_rules,
            patience=Patience(attempts=3),
        )
        return distil_by_model(self.model, asked, language, means)

    def about(self, content: str, *memories: str, **fields: Any) -> ByModel:
        talk = a_talk(content, **fields)
        return self.distil(Asked(talk=talk, scope="shared", shortlist=known(*memories)))


def asked(*contents: str, **fields: Any) -> list[Asked]:
    talks = [a_talk(content, f"episode-{n}") for n, content in enumerate(contents, 1)]
    return [Asked(talk=talk, **{"scope": "shared", **fields}) for talk in talks]


def finding(*said: dict[str, Any]) -> Callable[[dict[str, Any]], str]:
    """A model that finds the same in every episode."""
    return writing(lambda episode: said)


def by_text(said: dict[str, dict[str, Any]]) -> Callable[[dict[str, Any]], str]:
    """A model that finds one thing in each episode, by its text."""
    return writing(lambda episode: [said[episode["text"]]])


def contents(of: ByModel, episode_id: str = "episode-1") -> list[str]:
    return [one.content for one in of.found[episode_id].findings]


def reasons(of: ByModel) -> list[str | None]:
    return [call.reason for call in of.calls]
