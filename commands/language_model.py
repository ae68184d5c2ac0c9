"""Keeping what a language model was asked for, and whether it answered (spec: events.md, "LLM")."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import Done, execute
from commands.unit_of_work import UnitOfWork
from domain.events import LlmCalled
from domain.language_model import LANGUAGE_MODEL, language_model_id


class RecordCalls(Struct, frozen=True, kw_only=True):
    """Calls that went out; of a call that was never sent nothing is kept."""

    calls: Sequence[LlmCalled]


class CallsRecorded(Struct, frozen=True, kw_only=True):
    """``position`` is that of the last of them."""

    position: int
    duplicate: bool


def record_calls(
    application: MemoryApplication, command: Command[RecordCalls], clock: Clock
) -> CallsRecorded:
    """Append one event per call to the model's own history."""

    def decide(work: UnitOfWork) -> None:
        for call in command.request.calls:
            work.record(LANGUAGE_MODEL, language_model_id(work.log, call.model), [call])

    return execute(application, command, clock, decide, calls_recorded)


def calls_recorded(done: Done) -> CallsRecorded:
    """Give the receipt of recorded calls."""
    return CallsRecorded(position=done.position, duplicate=done.duplicate)
