"""What to put before an agent's prompt unasked (spec: recall.md, "Context assembly")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from domain.caller import Caller
from domain.policies.quoted_block import without_blocks
from domain.policies.social import is_social
from domain.settings import DEFAULT_POLICY, PolicySettings
from memoryweave.contract import Context, ContextBlock, Recall, RecallAnswer, RecallItem
from projections.state.view import StateView
from queries.bootstrap import CORE_FACTS
from queries.context_block import fill
from queries.items import memory_item
from queries.scope import searched

QUERY_CHARACTERS: Final = 200
CONSIDERED: Final = 30
"""Results among which the block chooses: enough, where most are turns of the same session."""

NOTHING_TO_RECALL: Final = ContextBlock(
    block="", tokens=0, recall_id=None, items=[], skipped="social"
)


class Assembled(Struct, frozen=True):
    """The answer, and what stands in its block."""

    answer: ContextBlock
    shown: Sequence[RecallItem]


def query_in(request: Context) -> str | None:
    """Give what to search for: the end of what was said; None where nothing is to be found.

    A block of ours that is still in the message is not what was said.
    """
    said = without_blocks(request.message).strip()
    return None if not said or is_social(said) else said[-QUERY_CHARACTERS:]


def search_for(query: str) -> Recall:
    """Give the recall whose answer `assembled` needs."""
    return Recall(query=query, top_k=CONSIDERED)


def assembled(
    request: Context,
    answer: RecallAnswer,
    caller: Caller,
    state: StateView,
    now: datetime,
    policy: PolicySettings = DEFAULT_POLICY,
) -> Assembled:
    """Give the block for a message, out of what was recalled for it and of the pinned memories."""
    found = [item for item in answer.results if not _of_this_session(item, request)]
    scope = searched(caller, None, ())
    pinned = state.pinned(scope, now=now, limit=CORE_FACTS)
    facts = state.bootstrap(scope, now=now, limit=CORE_FACTS) if request.first_turn else []
    core_facts = [memory_item(row, now, policy=policy) for row in pinned]
    first_facts = [memory_item(row, now, policy=policy) for row in facts]
    block = fill(
        {
            "core": [*(item for item in found if item.tier == "core"), *core_facts],
            "memory": [i for i in found if i.layer == "memory" and i.tier != "core"],
            "episodes": [i for i in found if i.layer == "episode"],
            "facts": first_facts,
        },
        policy.context_items_per_source,
        request.token_budget,
    )
    by_id = {item.id: item for item in [*first_facts, *core_facts, *found]}
    return Assembled(
        ContextBlock(
            block=block.text,
            tokens=block.tokens,
            recall_id=answer.recall_id,
            items=list(block.items),
            skipped=None,
        ),
        [by_id[item] for item in block.items],
    )


def _of_this_session(item: RecallItem, request: Context) -> bool:
    """Tell whether the agent has it before its eyes already."""
    return (
        item.layer == "episode"
        and request.session_id is not None
        and item.session_id == request.session_id
    )
