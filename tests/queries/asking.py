"""Asking a stack, and letting it come to rest first."""

from __future__ import annotations

from typing import Any

from bench.real_stack import RealStack
from memoryweave.contract import Recall, RecallAnswer
from tests.commands.speaking import Speaker


def ask(stack: RealStack, speaker: Speaker, query: str, **options: Any) -> RecallAnswer:
    return stack.recall(Recall(query=query, **options), speaker.caller)


def texts(answer: RecallAnswer) -> list[str]:
    return [result.content for result in answer.results]


def settle(stack: RealStack) -> None:
    """Let both views catch up and every row have its vector."""
    stack.project()
    stack.fill()
