"""Commits that are told what their sender was served before."""

from __future__ import annotations

from typing import Protocol, TypeVar

from msgspec import Struct

from api.calls import Call, Handler, Receipt
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.commit import ServedBefore

M = TypeVar("M", bound=Struct)
R_co = TypeVar("R_co", bound=Receipt, covariant=True)


class Commits(Protocol[M, R_co]):
    """A handler that asks what was served."""

    def __call__(
        self,
        application: MemoryApplication,
        command: Command[M],
        clock: Clock,
        served_before: ServedBefore,
    ) -> R_co:
        """Carry the command out."""


def knowing_what_was_served(call: Call, handler: Commits[M, R_co]) -> Handler[M, R_co]:
    """Give the handler with what the call's sender was served.

    The same is taken for what an agent says and for what it is told: a turn that is captured whole
    holds both.
    """

    def carry_out(application: MemoryApplication, command: Command[M], clock: Clock) -> R_co:
        served, actor = call.node.served, command.caller.actor
        return handler(application, command, clock, lambda entry: served.before(actor, entry))

    return carry_out
