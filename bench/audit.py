"""How long the ten questions of docs/audit.md take, and how fast the view is built.

MEMORYWEAVE_BENCH_EVENTS says of how many events (default 50,000; the stated bound is for
1,000,000). Events are made here, without a log: what is measured begins where they are opened. A
question is asked as the API asks it: all it takes is counted, of a process that waited for it. The
first question after a minute's rest has to start its process; that is measured too.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from uuid import UUID

from bench.ratio import Ratio
from domain import events as facts
from domain.events import Event, EventBody
from eventlog.subscription import Checkpoint
from projections.analytics.processes import SpareProcess
from projections.analytics.projector import AnalyticsProjector
from projections.analytics.question import Limits, ask
from projections.analytics.view import AnalyticsView
from projections.generation import ViewDirectory

LONGEST_S = 1.0
APPLIED_PER_S = 2_000
BATCH = 5_000
DAYS = 90
PAGE = Path(__file__).parents[1] / "docs" / "audit.md"
START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> list[Ratio]:
    count = int(os.environ.get("MEMORYWEAVE_BENCH_EVENTS", "50000"))
    questions = re.findall(
        r"^### (\d+)\..*?```sql\n(.*?)```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    with tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch:
        path = Path(scratch) / "views" / "analytics"
        per_s = _build(path, count)
        view = AnalyticsView(path)
        with closing(SpareProcess()) as processes:
            processes.replace()
            took = {number: _seconds(view, sql, processes) for number, sql in questions}
            nothing = _seconds(view, "SELECT 1", processes)
        slowest = max(took, key=lambda number: took[number])
        first = _seconds(view, dict(questions)[slowest], None)
        starting = _seconds(view, "SELECT 1", None) - nothing
        size = sum(file.bytes for file in view.live().manifest.files)
    detail = f"{count} events, question {slowest}; all: " + " ".join(
        f"{number}:{seconds:.2f}" for number, seconds in took.items()
    )
    return [
        Ratio(
            "audit: slowest of ten questions, s", took[slowest], ceiling=LONGEST_S, detail=detail
        ),
        Ratio(
            "audit: the same as the first question, s",
            first,
            ceiling=LONGEST_S,
            detail=f"{count} events; of it starting a process {starting:.2f} s",
        ),
        Ratio(
            "audit: events/s into the analytics view",
            per_s,
            APPLIED_PER_S,
            detail=f"{size / count:.0f} bytes an event on disk",
        ),
    ]


def _seconds(view: AnalyticsView, sql: str, processes: SpareProcess | None) -> float:
    times = []
    for _ in range(3):
        if processes is not None:
            processes.await_ready()
        began = time.perf_counter()
        ask(view, sql, Limits(seconds=60), processes)
        times.append(time.perf_counter() - began)
    return sorted(times)[1]


def _build(path: Path, count: int) -> float:
    directory = ViewDirectory(path)
    projector = AnalyticsProjector(directory.live, lambda: datetime.now(UTC))
    source = _history(count)
    spent = 0.0
    for last in range(BATCH, count + BATCH, BATCH):
        batch = list(islice(source, min(BATCH, count - last + BATCH)))
        began = time.perf_counter()
        projector.apply(batch, Checkpoint(position=batch[-1].position))
        projector.compact()
        spent += time.perf_counter() - began
    while projector.compact():
        pass
    directory.close()
    return count / spent


def _history(count: int) -> Iterator[Event]:
    chance = random.Random(5)
    step = timedelta(days=DAYS) / count
    memories: list[tuple[str, int]] = []
    position = 0
    while True:
        for kind, name, version, body in _step(chance, memories):
            position += 1
            yield Event(
                aggregate_type=kind,
                aggregate_id=name,
                version=version,
                event_id=_id(chance),
                occurred_at=START + position * step,
                actor=f"agent-{chance.randrange(20)}",
                correlation_id=f"c-{position}",
                body=body,
                command_id=_id(chance),
                fingerprint="f" * 64,
                position=position,
            )


def _step(
    chance: random.Random, memories: list[tuple[str, int]]
) -> list[tuple[str, str, int, EventBody]]:
    if len(memories) > 10 and chance.random() < 0.6:
        place = chance.randrange(len(memories))
        memory, version = memories[place]
        memories[place] = (memory, version + 1)
        return [("Memory", memory, version + 1, _change(chance))]
    episode, memory, agent = _id(chance), _id(chance), f"agent-{chance.randrange(20)}"
    text = _text(chance)
    memories.append((memory, 1))
    return [
        (
            "Episode",
            episode,
            1,
            facts.EpisodeCommitted(
                agent_id=agent, namespace=f"{agent}-main", content=text, source="owner_message"
            ),
        ),
        (
            "Memory",
            memory,
            1,
            facts.MemoryCreated(
                content=text,
                category="fact",
                decay_class="system_fact",
                namespace=f"{agent}-main",
                agent_id=agent,
                source="owner_message",
                distilled_by="caller",
                confidence=0.9,
                derived_from=[episode],
            ),
        ),
    ]


def _change(chance: random.Random) -> EventBody:
    lot = chance.random()
    if lot < 0.6:
        useful = chance.random() < 0.8
        return facts.FeedbackGiven(
            verdict="useful" if useful else "not_useful", agent_id=f"agent-{chance.randrange(20)}"
        )
    if lot < 0.9:
        return facts.MemoryCorrected(
            content=_text(chance), source="owner_message", agent_id="agent-1", reason="it moved"
        )
    return (
        facts.MemoryDeleted(agent_id="agent-2")
        if lot < 0.95
        else facts.MemoryRestored(agent_id="owner")
    )


def _text(chance: random.Random) -> str:
    return " ".join(f"w{chance.randrange(5000)}" for _ in range(chance.randint(5, 40)))


def _id(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128), version=4))
