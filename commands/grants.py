"""Letting an agent read a namespace that is not its own."""

from __future__ import annotations

from collections.abc import Callable

from commands.access import require_owner_or_admin
from commands.agents import known_agent
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import Done, execute
from commands.unit_of_work import UnitOfWork
from domain.agent import AGENT, Agent, grant_reading, revoke_reading
from domain.events import EventBody
from memoryweave import contract


def grant(
    application: MemoryApplication, command: Command[contract.Grant], clock: Clock
) -> contract.GrantReceipt:
    """Let the agent read one more namespace. For the owner and the admin."""
    return _change(application, command, clock, grant_reading)


def revoke(
    application: MemoryApplication, command: Command[contract.Grant], clock: Clock
) -> contract.GrantReceipt:
    """Take such a grant back. For the owner and the admin."""
    return _change(application, command, clock, revoke_reading)


def _change(
    application: MemoryApplication,
    command: Command[contract.Grant],
    clock: Clock,
    decision: Callable[[Agent, str], list[EventBody]],
) -> contract.GrantReceipt:
    request = command.request

    def decide(work: UnitOfWork) -> None:
        require_owner_or_admin(work.caller, "change what an agent may read")
        agent = known_agent(work, request.agent_id)
        work.record(AGENT, agent.id, decision(agent, request.namespace))

    def receipt(done: Done) -> contract.GrantReceipt:
        return contract.GrantReceipt(
            agent_id=request.agent_id,
            namespace=request.namespace,
            position=done.position,
            duplicate=done.duplicate,
        )

    return execute(application, command, clock, decide, receipt)
