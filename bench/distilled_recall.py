"""What conversations give when they are distilled without a model, and whether recall gains by it.

Two sets of MEMORYWEAVE_EVAL_DATA, one English and one Chinese, each committed over HTTP to a node
that distils by rules and to one that does not. Of the first: memories for each turn, and the share
of the questions' evidence that a memory names; of both: recall@10, and what the ten results hold.
Vectors are kept between runs in the directory named by MEMORYWEAVE_BENCH_CACHE, else nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from bench.ratio import Ratio
from bench.recall_quality import DATA, cache_from_environment
from memoryweave.client import Client
from memoryweave.contract import Commit
from queries.evaluation import covered_by
from tests.servers import eventually
from workers.cli.shown import wait_until_shown
from workers.evaluation.measuring import measure
from workers.evaluation.own_node import SEARCHED, Served, client_of_a_node, served
from workers.evaluation.sets import read_lines, read_questions

SETS: Final = {"locomo_dev": 1, "memorybank_zh": 2}
"""How many turns a line holds: in the second set what a person said and what was answered."""

COVERED: Final = 0.75
MEMORIES_A_TURN: Final = 0.4
TOKENS: Final = 0.75
WITHIN_S: Final = 900.0
AT_ONCE: Final = {"MEMORYWEAVE_DISTILL_BY": "rules", "MEMORYWEAVE_DISTILL_WAIT_S": "1"}
_PAGE: Final = 100


class _Distilled:
    """A memory that is measured when all that was said is distilled."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._served = Served(client)
        self.recall = self._served.recall

    def store(self, entries: Sequence[Commit]) -> None:
        """Import the entries; return when none waits for the distiller and all can be found."""
        self._served.store(entries)
        eventually(self._is_done, within_s=WITHIN_S, every_s=0.2)
        wait_until_shown(self._client, self._client.health().log.position, views=SEARCHED)

    def _is_done(self) -> bool:
        queue = self._client.stats().queue
        return queue is not None and not queue.waiting


class _Memories(Struct):
    """How many there are, and the ids of the lines that they came from."""

    count: int = 0
    lines: frozenset[str] = frozenset()


def main() -> list[Ratio]:
    """Measure both sets, if they are there."""
    folder = os.environ.get(DATA)
    ratios: list[Ratio] = []
    for name in SETS:
        if not folder or not (Path(folder) / name).is_dir():
            print(f"skip  distilled_recall: {name} is not in {DATA}")
            continue
        ratios += _measure(Path(folder) / name)
    return ratios


def _measure(folder: Path) -> list[Ratio]:
    made = _Memories()

    @contextmanager
    def distilled(vectors: Path | None) -> Iterator[_Distilled]:
        with client_of_a_node(vectors, AT_ONCE) as client:
            yield _Distilled(client)
            made.count, made.lines = _memories(client)

    cache = cache_from_environment()
    with_memories = measure(folder, distilled, cache)
    alone = measure(folder, served, cache)
    turns = len(read_lines(folder)) * SETS[folder.name]
    evidence = frozenset(line for one in read_questions(folder) for line in one.evidence)
    covered = len(evidence & made.lines) / len(evidence)
    a, b = with_memories.means, alone.means
    return [
        Ratio(
            f"evidence that a memory names, {folder.name}",
            covered,
            floor=COVERED,
            detail=f"of {len(evidence)} lines",
        ),
        Ratio(
            f"memories a turn, {folder.name}",
            made.count / turns,
            ceiling=MEMORIES_A_TURN,
            detail=f"{made.count} of {turns} turns",
        ),
        Ratio(
            f"recall@10 with memories / episodes alone, {folder.name}",
            a.recall_at_10 / b.recall_at_10,
            floor=1.0,
            detail=f"{a.recall_at_10:.3f} / {b.recall_at_10:.3f}, {alone.questions} questions",
        ),
        Ratio(
            f"tokens of ten results with memories / episodes alone, {folder.name}",
            with_memories.tokens / alone.tokens,
            ceiling=TOKENS,
            detail=f"{with_memories.tokens:.0f} / {alone.tokens:.0f}",
        ),
    ]


def _memories(client: Client) -> tuple[int, frozenset[str]]:
    """Read every memory, a page after the other."""
    count, lines, cursor = 0, set[str](), None
    while True:
        page = client.memories(cursor=cursor, limit=_PAGE)
        count += len(page.items)
        for item in page.items:
            lines |= covered_by(item)
        cursor = page.next
        if cursor is None:
            return count, frozenset(lines)


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
