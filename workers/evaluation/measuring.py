"""Measuring a memory on an evaluation set: store what was said, ask, compare."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct, structs

from domain.policies.retrieval import Measures, mean_of, measures
from memoryweave.contract import Commit, Recall, RecallAnswer, RecallItem
from queries.evaluation import covered_by
from queries.tokens import token_count
from workers.evaluation.sets import read_lines, read_questions, replayed, request

DRAWS: Final = 2000


class Measured(Struct, frozen=True, kw_only=True):
    """A set's means over ``questions`` questions.

    ``margins`` are half of the 95 % bootstrap intervals of the means. ``levels`` counts how
    questions were answered, ``layers`` the results that covered evidence by their layer: without
    a distiller all are episodes. ``tokens`` is what a question's results hold on average, with the
    names of their speakers.
    """

    name: str
    questions: int
    means: Measures
    margins: Measures
    median_ms: float
    levels: dict[str, int]
    layers: dict[str, int]
    tokens: float


class House(Protocol):
    """A memory to be measured."""

    def store(self, entries: Sequence[Commit]) -> None:
        """Store entries; return when each can be found by its words and by its meaning."""

    def recall(self, request: Recall) -> RecallAnswer:
        """Answer one question."""


OpenHouse = Callable[[Path | None], AbstractContextManager[House]]
"""Opens an empty house; its vectors are kept in the directory given, if any."""


def measure(folder: Path, open_house: OpenHouse, vectors: Path | None) -> Measured:
    """Import one set into an empty house and ask its questions.

    ``vectors`` is where vectors are kept between runs. Raises `ValueError` for a set that has no
    question with evidence.
    """
    levels: Counter[str] = Counter()
    layers: Counter[str] = Counter()
    rows: list[Measures] = []
    times: list[float] = []
    tokens: list[int] = []
    lines, questions = read_lines(folder), read_questions(folder)
    if not questions:
        raise ValueError(f"{folder.name} has no question with evidence")
    with open_house(vectors) as house:
        for question in replayed(lines, questions, house.store):
            began = time.perf_counter()
            answer = house.recall(request(question))
            times.append(time.perf_counter() - began)
            levels[answer.level] += 1
            layers.update(i.layer for i in answer.results if covered_by(i) & question.evidence)
            tokens.append(sum(map(_tokens, answer.results)))
            rows.append(measures([covered_by(i) for i in answer.results], question.evidence))
    return Measured(
        name=folder.name,
        questions=len(rows),
        means=mean_of(rows),
        margins=_margins(rows),
        median_ms=1000 * statistics.median(times),
        levels=dict(levels),
        layers=dict(layers),
        tokens=statistics.fmean(tokens),
    )


def _tokens(item: RecallItem) -> int:
    return token_count(f"{item.speaker}: {item.content}" if item.speaker else item.content)


def _margins(rows: Sequence[Measures]) -> Measures:
    """Give half of each mean's 95 % percentile interval over 2,000 bootstrap draws."""
    import numpy as np

    values = np.array([structs.astuple(row) for row in rows])
    chance = np.random.default_rng(7)
    drawn = np.stack(
        [values[chance.integers(0, len(values), len(values))].mean(axis=0) for _ in range(DRAWS)]
    )
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return Measures(*(float(half) for half in (high - low) / 2))
