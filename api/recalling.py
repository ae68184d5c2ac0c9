"""One recall of a request: from what was kept or searched anew, and told to the log behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeVar

from api.calls import Call
from commands.recalls import AskedRecall
from domain.events import ServedMemory, ServedRecall
from domain.identity import uuid7
from memoryweave import contract
from projections.state.standing import EVERYWHERE
from queries.recall import Question, Recalled, RecallParts
from queries.recall_cache import Basis

T = TypeVar("T")


async def recalled(call: Call, request: contract.Recall) -> contract.RecallAnswer:
    """Answer, and have it noted that this was answered. Raises what recall raises."""

    def hand_out(found: Recalled) -> contract.RecallAnswer:
        call.node.served.note(call.caller.actor, found.answer.results)
        tell(call, request, found, found.answer.results)
        return found.answer

    return await answered(call, request, hand_out)


async def answered(call: Call, request: contract.Recall, then: Callable[[Recalled], T]) -> T:
    """Answer, and give what ``then`` makes of it in the thread that has the answer.

    Nobody is told: who shows the answer, or some of it, has it told. A kept answer costs no place
    among the searches.
    """
    cache, asked = call.service.recall_cache, question_of(call, request)

    def find() -> T | Basis:
        found = cache.find(asked)
        return found if isinstance(found, Basis) else then(found)

    made = await call.threads.run(find)
    under_way = call.service.recalls_under_way
    if isinstance(made, Basis) and made.key in under_way:
        # Somebody asks the same right now: what comes of it is kept, or is searched for again.
        await under_way[made.key].wait()
        made = await call.threads.run(find)
    if isinstance(made, Basis):
        basis = made
        made = await _computed(call, basis, lambda: then(cache.compute(basis, asked)))
    return made


def question_of(call: Call, request: contract.Recall) -> Question:
    """Give the caller's question with what this node answers it with."""
    node = call.node
    return Question(
        request=request,
        caller=call.caller,
        parts=RecallParts(
            state=node.state,
            vector=node.vector,
            embedder=node.embedder,
            pool=call.service.lexical,
            reranker=node.reranker,
        ),
        clock=node.clock,
        recall_id=uuid7(int(node.clock().timestamp() * 1000), node.randomness(10)),
        policy=node.application.policy,
    )


async def _computed(call: Call, basis: Basis, compute: Callable[[], T]) -> T:
    """Search, and let those wait meanwhile who ask the same."""
    under_way, done = call.service.recalls_under_way, asyncio.Event()
    if basis.key:
        under_way.setdefault(basis.key, done)
    try:
        return await call.threads.search(compute)
    finally:
        done.set()
        if under_way.get(basis.key) is done:
            del under_way[basis.key]


def tell(
    call: Call, request: contract.Recall, found: Recalled, shown: Iterable[contract.RecallItem]
) -> None:
    """Have it written down what was answered. ``shown`` are the results that were handed out."""
    shown = list(shown)
    answer, seen = found.answer, {item.id for item in shown}
    asked = AskedRecall(
        query=request.query,
        episode_ids=[item.id for item in shown if item.layer == "episode"],
        served=ServedRecall(
            recall_id=answer.recall_id,
            agent_id=call.caller.actor,
            namespaces=[EVERYWHERE] if found.scope is None else sorted(found.scope),
            results=[
                ServedMemory(memory_id=item.id, version=item.version, rank=rank, score=item.score)
                for rank, item in enumerate(answer.results, 1)
                if item.layer == "memory" and item.id in seen
            ],
            miss=found.miss,
            level=answer.level,
            took_ms=answer.took_ms,
            cached=answer.cached,
            as_of=answer.as_of_position,
        ),
    )
    call.service.recall_log.add(call.caller.actor, asked)
