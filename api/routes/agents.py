"""Agents, their keys, and what they may read. Keys are shown once and never listed.

A new key, an ended one and a grant are answered only when the state view shows them, because that
is where the next request's key is looked up.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from litestar import Response
from litestar.params import FromPath, JSONBody

from api.authentication import TAKES_TOKEN, presented_key
from api.calls import Call, carry_out_until, require_no_agent
from api.dependencies import GivenCall
from api.documented import AWAITED, command, question
from commands.agents import DeactivateAgent, RotateKey, deactivate, register, rotate_key
from commands.enrolment import enrol, issue_token
from commands.grants import grant, revoke
from domain.caller import Caller
from domain.credentials import TOKEN_PREFIX
from domain.namespaces import own_namespaces
from memoryweave import contract

_SHOWN: Final = {AWAITED: "state"}


@command(
    "POST",
    "/agents/register",
    contract.AgentRegistered,
    tag="agents",
    first_status=201,
    opt={TAKES_TOKEN: True, AWAITED: "state"},
)
async def post_register(
    call: GivenCall, data: JSONBody[contract.RegisterAgent]
) -> Response[contract.AgentRegistered]:
    """Let an agent speak: with the admin's key, or an enrolment token in the place of a key."""
    secret = call.node.keys.agent_secret
    token = presented_key(call.request.headers)
    if not token.startswith(TOKEN_PREFIX):
        handler = partial(register, secret=secret)
        return await carry_out_until(call, handler, data, "state", first_status=201)
    handler = partial(enrol, secret=secret, token=token)
    newcomer = Caller(actor=data.agent_id, kind="agent")
    return await carry_out_until(
        call, handler, data, "state", caller=newcomer, first_status=201, purpose="enrolment"
    )


@command(
    "POST", "/agents/{agent_id:str}/rotate-key", contract.AgentReceipt, tag="agents", opt=_SHOWN
)
async def post_rotate_key(
    call: GivenCall, agent_id: FromPath[str]
) -> Response[contract.AgentReceipt]:
    """Give an agent a new key (admin, or the agent itself); the old one ends at once."""
    handler = partial(rotate_key, secret=call.node.keys.agent_secret)
    return await carry_out_until(call, handler, RotateKey(agent_id=agent_id), "state")


@command("DELETE", "/agents/{agent_id:str}", contract.AgentReceipt, tag="agents", opt=_SHOWN)
async def delete_agent(call: GivenCall, agent_id: FromPath[str]) -> Response[contract.AgentReceipt]:
    """End an agent's access at once (admin); what it stored stays."""
    return await carry_out_until(call, deactivate, DeactivateAgent(agent_id=agent_id), "state")


@question("GET", "/agents", tag="agents")
async def get_agents(call: GivenCall) -> contract.AgentList:
    """List the agents with what they may do (admin, owner)."""
    require_no_agent(call.caller)
    return await call.threads.run(_list_agents, call)


@command("POST", "/grants", contract.GrantReceipt, tag="agents", opt=_SHOWN)
async def post_grant(
    call: GivenCall, data: JSONBody[contract.Grant]
) -> Response[contract.GrantReceipt]:
    """Let an agent read one more namespace (owner, admin)."""
    return await carry_out_until(call, grant, data, "state")


@command("DELETE", "/grants", contract.GrantReceipt, tag="agents", opt=_SHOWN)
async def delete_grant(
    call: GivenCall, data: JSONBody[contract.Grant]
) -> Response[contract.GrantReceipt]:
    """Take a grant back (owner, admin)."""
    return await carry_out_until(call, revoke, data, "state")


@command("POST", "/enrolment-tokens", contract.EnrolmentToken, tag="agents", first_status=201)
async def post_enrolment_token(
    call: GivenCall, data: JSONBody[contract.IssueEnrolmentToken]
) -> Response[contract.EnrolmentToken]:
    """Make a token with which one new agent may register itself (admin). Shown once."""
    handler = partial(issue_token, secret=call.node.keys.agent_secret)
    return await carry_out_until(call, handler, data, "stored", first_status=201)


def _list_agents(call: Call) -> contract.AgentList:
    last_used = call.service.last_used.all()
    return contract.AgentList(
        items=[
            contract.AgentItem(
                agent_id=row.agent_id,
                kind=row.kind,
                namespaces=list(own_namespaces(row.namespace)),
                granted=sorted(row.granted),
                quota=contract.Quota(
                    recall_per_s=row.quota.recall_per_s,
                    recall_burst=row.quota.recall_burst,
                    commit_per_s=row.quota.commit_per_s,
                    commit_burst=row.quota.commit_burst,
                ),
                may_claim=list(row.may_claim),
                active=row.active,
                registered_at=row.registered_at,
                key_expires_at=row.key_expires_at,
                last_used_at=last_used.get(row.agent_id),
            )
            for row in call.node.state.agents()
        ]
    )
