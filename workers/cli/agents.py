"""`memoryweave agents`: who may speak."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from memoryweave.contract import AgentList, AgentReceipt, AgentRegistered
from workers.cli.output import columns, show
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> None:
    """Register, list, rotate or deactivate."""
    with service(arguments) as client:
        match arguments.action:
            case "register":
                registered = client.register_agent(
                    arguments.agent_id, arguments.kind, namespace=arguments.namespace
                )
                show(arguments, registered, _registered)
            case "list":
                show(arguments, client.agents(), _list)
            case "rotate":
                show(arguments, client.rotate_agent_key(arguments.agent_id), _receipt)
            case "deactivate":
                show(arguments, client.deactivate_agent(arguments.agent_id), _receipt)


def _registered(agent: AgentRegistered) -> Iterable[str]:
    yield f"agent       {agent.agent_id}"
    yield f"key         {agent.api_key}  (shown once: keep it now)"
    yield f"namespaces  {', '.join(agent.namespaces)}"


def _receipt(receipt: AgentReceipt) -> Iterable[str]:
    yield f"agent  {receipt.agent_id}"
    if receipt.api_key is not None:
        yield f"key    {receipt.api_key}  (shown once: keep it now)"


def _list(agents: AgentList) -> Iterable[str]:
    if not agents.items:
        return ["no agent is registered"]
    return columns(
        [
            ("agent", "kind", "namespaces", "may also read", "active", "last used"),
            *(
                (
                    agent.agent_id,
                    agent.kind,
                    " ".join(agent.namespaces),
                    " ".join(agent.granted) or None,
                    "yes" if agent.active else "no",
                    agent.last_used_at and f"{agent.last_used_at:%Y-%m-%d %H:%M}",
                )
                for agent in agents.items
            ),
        ]
    )
