"""How long the ten questions of docs/audit.md take, and how fast the view is built.

MEMORYWEAVE_BENCH_EVENTS says of how many events (default 50,000; the stated bound is for
1,000,000). Events are made here, without a log: what is measured begins where they are opened. A
question is asked as the API asks it: all it takes is counted, of a process that waited for it. The
first question after a minute's rest has to start its process; that is measured too. Beside each
time stands the processor time, without the start of the process, and the machine's load: where more
wants to run than there are processors, only the processor time tells of the program.
"""

from __future__ import annotations

import os
import random
import re
import resource
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
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
LARGEST_MIB = 1_024
"""What a question's process may allocate: 512 MiB for DuckDB, as much for the rest."""
BATCH = 5_000
DAYS = 90
PAGE = Path(__file__).parents[1] / "docs" / "audit.md"
WRITTEN_OUT = "00000000-0000-4000-8000-000000000000"
"""Stands in the page where its reader writes a memory's id out."""
START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> list[Ratio]:
    count = int(os.environ.get("MEMORYWEAVE_BENCH_EVENTS", "50000"))
    questions = re.findall(
        r"^### (\d+)\..*?```sql\n(.*?)```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    with tempfile.TemporaryDirectory(prefix="mw-bench-") as scratch:
        path = Path(scratch) / "views" / "analytics"
        per_s, per_cpu_s = _build(path, count)
        view = AnalyticsView(path)
        newest = ask(view, "SELECT max(memory_id) FROM corrections", Limits(seconds=60))
        memory = newest.table.column(0)[0].as_py()
        asked = {number: sql.replace(WRITTEN_OUT, memory) for number, sql in questions}
        with closing(SpareProcess()) as processes, _peak_of_questions() as peak:
            processes.replace()
            took = {number: _took(view, sql, processes) for number, sql in asked.items()}
            nothing = _took(view, "SELECT 1", processes)
        slowest = max(took, key=lambda number: took[number].seconds)
        first = _took(view, asked[slowest], None)
        starting = _took(view, "SELECT 1", None).seconds - nothing.seconds
        size = sum(file.bytes for file in view.live().manifest.files)
    return [
        *(
            Ratio(
                f"audit: question {number}, s",
                found.seconds,
                ceiling=LONGEST_S,
                detail=f"{count} events; {found.cpu_s - nothing.cpu_s:.2f} s of processor; "
                f"{_load()}",
            )
            for number, found in took.items()
        ),
        Ratio(
            f"audit: question {slowest} as the first, s",
            first.seconds,
            ceiling=LONGEST_S + max(starting, 0),
            detail=f"of it starting a process {starting:.2f} s; {_load()}",
        ),
        Ratio(
            "audit: peak memory of a question, MiB",
            max(peak, default=0) / 1024,
            ceiling=LARGEST_MIB,
            detail=f"of {len(peak)} processes",
        ),
        Ratio(
            "audit: events/s into the analytics view",
            per_s,
            APPLIED_PER_S,
            detail=f"{per_cpu_s:.0f} per second of processor; {size / count:.0f} bytes an event "
            "on disk",
        ),
    ]


@dataclass(frozen=True)
class _Took:
    """The median of a question's times, and the least processor time of its whole process."""

    seconds: float
    cpu_s: float


def _took(view: AnalyticsView, sql: str, processes: SpareProcess | None) -> _Took:
    times, cpus = [], []
    for _ in range(3):
        if processes is not None:
            processes.await_ready()
        cpu, began = _cpu_of_children(), time.perf_counter()
        ask(view, sql, Limits(seconds=60), processes)
        times.append(time.perf_counter() - began)
        cpus.append(_cpu_of_children() - cpu)
    return _Took(sorted(times)[1], min(cpus))


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


@contextmanager
def _peak_of_questions() -> Iterator[list[int]]:
    """Give a list that holds, at the end, the peak KiB of each process that answered."""
    peaks: dict[str, int] = {}
    found: list[int] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.01):
            for children in Path("/proc/self/task").glob("*/children"):
                for child in _text_of(children).split():
                    # Before it is the question's process it is a copy of this one.
                    if "projections.analytics.sandbox" in _text_of(Path(f"/proc/{child}/cmdline")):
                        peak = re.search(
                            r"^VmHWM:\s+(\d+) kB$",
                            _text_of(Path(f"/proc/{child}/status")),
                            re.MULTILINE,
                        )
                        peaks[child] = int(peak[1]) if peak else peaks.get(child, 0)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield found
    finally:
        over.set()
        looking.join()
        found += peaks.values()


def _text_of(path: Path) -> str:
    # A process may end between two looks.
    with suppress(FileNotFoundError, ProcessLookupError):
        return path.read_text()
    return ""


def _build(path: Path, count: int) -> tuple[float, float]:
    directory = ViewDirectory(path)
    projector = AnalyticsProjector(directory.live, lambda: datetime.now(UTC))
    source = _history(count)
    spent = cpu = 0.0
    for last in range(BATCH, count + BATCH, BATCH):
        batch = list(islice(source, min(BATCH, count - last + BATCH)))
        began, cpu_began = time.perf_counter(), time.process_time()
        projector.apply(batch, Checkpoint(position=batch[-1].position))
        projector.compact()
        spent += time.perf_counter() - began
        cpu += time.process_time() - cpu_began
    while projector.compact():
        pass
    directory.close()
    return count / spent, count / cpu


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
