"""Writing down what was recalled (spec: events.md, "Recall"); nobody waits for it.

Each process writes stretches of its own. What was erased since the answer takes its question along:
the append itself looks, for an erasure may come between any look and it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from commands.application import MemoryApplication
from commands.command import Clock
from domain.agent import agent_aggregate_id
from domain.erasure import erasure_id
from domain.errors import Erased
from domain.events import Event, RecallServed, ServedRecall
from domain.identity import command_id, event_id
from domain.recall_stretch import RECALL, stretch_id
from eventlog.outcomes import AlreadyAppended, Conflict

RECALLS_AN_EVENT: Final = 100
EVENTS_A_STRETCH: Final = 500
"""Below the 512 up to which the index of an aggregate is stored in its small form."""

RESULTS_AN_EVENT: Final = 1000
"""One recall may have more. The append looks at each whether it was erased."""


class AskedRecall(Struct, frozen=True):
    """One recall with the text of its question. ``episode_ids``: what was found beside memories."""

    query: str
    served: ServedRecall
    episode_ids: list[str] = []

    @property
    def results(self) -> int:
        """How many memories and episodes there were."""
        return len(self.served.results) + len(self.episode_ids)

    def subjects(self) -> Iterable[str]:
        """Name the subjects of what was answered with."""
        yield from (f"memory:{result.memory_id}" for result in self.served.results)
        yield from (f"episode:{episode_id}" for episode_id in self.episode_ids)


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
    or when a memory or episode is erased that was among the results. Raises `Erased` after that:
    what is recalled later needs another stretch. Where a result, or the agent, was erased since the
    answer, what was served is told and the question is not.
    """
    now = clock()
    agent = agent_aggregate_id(application.log_name, batch.actor)
    stretch = stretch_id(application.log_name, batch.actor, batch.stretch)
    subject = f"agent:{agent}:{now:%Y-%m-%d}:{stretch}"
    ending = erasure_id(application.log_name, "agent", batch.actor)
    told = batch.recalls
    while True:
        event = _event(batch, stretch, subject, now, told)
        asked = [one for one in told if one.query]
        try:
            application.save(
                event,
                command_id=event.command_id,
                fingerprint="",
                unchanged={ending: 0} if asked else {},
                named_subjects=sorted({name for one in asked for name in one.subjects()}),
                fence=None,
            )
        except AlreadyAppended:
            return
        except Erased as erased:
            if subject in erased.subjects:
                raise
            gone = erased.subjects
            told = [one if gone.isdisjoint(one.subjects()) else _unasked(one) for one in told]
        except Conflict as conflict:
            if conflict.aggregate_id != ending:
                raise
            # The agent is being erased, or was: nobody may ever have its name again.
            told = [_unasked(one) for one in told]
        else:
            return


def _event(
    batch: RecallBatch, stretch: str, subject: str, now: datetime, told: list[AskedRecall]
) -> Event:
    command = command_id(batch.actor, "recalls", batch.key)
    queries = [one.query for one in told]
    return Event(
        aggregate_type=RECALL.name,
        aggregate_id=stretch,
        version=batch.version,
        event_id=event_id(command, 0),
        occurred_at=now,
        actor=batch.actor,
        correlation_id=batch.key,
        command_id=command,
        body=RecallServed(
            recalls=[one.served for one in told],
            queries=queries if any(queries) else [],
            episode_ids=sorted({i for one in told if one.query for i in one.episode_ids}),
        ),
        subject=subject,
    )


def _unasked(recall: AskedRecall) -> AskedRecall:
    return replace(recall, query="")
