"""What a distiller will store, until there is one."""

from __future__ import annotations

from typing import Any

from bench.real_stack import RealStack
from domain.events import EpisodeDistilled, Event, MemoryCreated
from domain.identity import command_id, id_from_command
from tests.commands.speaking import Speaker, fresh_key


def distil(
    stack: RealStack,
    hermes: Speaker,
    episode_id: str,
    *statements: str,
    reinforce: str = "",
    evidence: str | None = None,
    namespace: str = "hermes-main",
) -> list[str]:
    """Record what a distiller will: the episode's memories and its own event, in one append.

    ``namespace`` is that of the memories.
    """
    key = command_id("system:distiller", "distil", fresh_key())
    ids = [id_from_command(key, number) for number in range(len(statements))]

    def event(kind: str, aggregate: str, version: int, number: int, body: Any) -> Event:
        return Event(
            aggregate_type=kind,
            aggregate_id=aggregate,
            version=version,
            event_id=id_from_command(key, 100 + number),
            occurred_at=hermes.clock(),
            actor="system:distiller",
            correlation_id="test",
            command_id=key,
            fingerprint="f" * 64,
            body=body,
        )

    created = [
        event(
            "Memory",
            memory_id,
            1,
            number,
            MemoryCreated(
                content=statement,
                category="fact",
                decay_class="system_fact",
                namespace=namespace,
                agent_id="hermes-a06",
                source="agent_inference",
                distilled_by="rules",
                confidence=0.8,
                derived_from=[episode_id],
                evidence=evidence,
            ),
        )
        for number, (memory_id, statement) in enumerate(zip(ids, statements, strict=True))
    ]
    reinforced = [reinforce] if reinforce else []
    done = EpisodeDistilled(memory_ids=ids, reinforced_ids=reinforced, distiller="rules")
    stack.application.save(
        *created,
        event("Episode", episode_id, 2, 99, done),
        command_id=key,
        fingerprint="f" * 64,
        fence=None,
    )
    return ids
