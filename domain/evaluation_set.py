"""The EvaluationSet aggregate: the questions of a name, and how its runs went."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.events import EvaluationFinished, Event
from domain.identity import id_from_key

RUNS_KEPT: Final = 20
"""As many as `PolicySettings.evaluation_runs_compared` may be."""


class Run(Struct, frozen=True):
    """One run: which questions were asked, and how much was found."""

    questions_sha: str
    recall_at_10: float


class EvaluationSet(Struct, frozen=True, kw_only=True):
    """``runs`` are the last ones, oldest first."""

    id: str
    version: int
    runs: tuple[Run, ...] = ()

    def recalls(self, questions_sha: str) -> list[float]:
        """Give recall@10 of the runs that asked the same questions, oldest first."""
        return [run.recall_at_10 for run in self.runs if run.questions_sha == questions_sha]


def evaluation_set_id(log: str, name: str) -> str:
    """Give the id of the set of that name."""
    return id_from_key(log, "evaluation-set", name)


def fold(evaluation_set: EvaluationSet | None, event: Event) -> EvaluationSet:
    """Apply one event of the log to the state."""
    state = evaluation_set or EvaluationSet(id=event.aggregate_id, version=0)
    runs, body = state.runs, event.body
    if isinstance(body, EvaluationFinished):
        runs = (*runs, Run(body.questions_sha, body.recall_at_10))[-RUNS_KEPT:]
    return replace(state, version=event.version, runs=runs)


EVALUATION_SET = AggregateKind("EvaluationSet", EvaluationSet, fold, grows=True)
