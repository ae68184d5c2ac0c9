"""Writing down what was recalled (spec: events.md, "Recall"); nobody waits for it.

No decision is made and nothing is read: each process writes stretches of its own.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from msgspec import Struct

from commands.application import MemoryApplication
from commands.command import Clock
from domain.agent import agent_aggregate_id
from domain.events import Event, RecallServed, ServedRecall
from domain.identity import command_id, event_id
from domain.recall_stretch import RECALL, stretch_id
from eventlog.outcomes import AlreadyAppended

RECALLS_AN_EVENT: Final = 100
EVENTS_A_STRETCH: Final = 500
"""Below the 512 up to which the index of an aggregate is stored in its small form."""


class AskedRecall(Struct, frozen=True):
    """One recall with the text of its question."""

    query: str
    served: ServedRecall


class RecallBatch(Struct, frozen=True, kw_only=True):
    """What one process answered for one agent: at most `RECALLS_AN_EVENT`.

    It becomes event number ``version`` of the ``stretch`` of that name. ``key`` is a UUIDv7: with
    it a batch that is sent again is stored once.
    """

    key: str
    actor: str
    stretch: str
    version: int
    recalls: list[AskedRecall]


def record_recalls(application: MemoryApplication, batch: RecallBatch, clock: Clock) -> None:
    """Append one batch, once. Raises what an append raises; `InDoubt`: send the same batch again.

    The texts are sealed with a key of the agent, the day and the stretch: it ends with the agent,
    or when a memory is erased that was among the results. Raises `Erased` after that: what is
    recalled later needs another stretch.
    """
    now = clock()
    command = command_id(batch.actor, "recalls", batch.key)
    agent = agent_aggregate_id(application.log_name, batch.actor)
    stretch = stretch_id(application.log_name, batch.actor, batch.stretch)
    event = Event(
        aggregate_type=RECALL.name,
        aggregate_id=stretch,
        version=batch.version,
        event_id=event_id(command, 0),
        occurred_at=now,
        actor=batch.actor,
        correlation_id=batch.key,
        command_id=command,
        body=RecallServed(
            recalls=[one.served for one in batch.recalls],
            queries=[one.query for one in batch.recalls],
        ),
        subject=f"agent:{agent}:{now:%Y-%m-%d}:{stretch}",
    )
    with suppress(AlreadyAppended):
        application.save(event, command_id=command, fingerprint="", unchanged={}, fence=None)
