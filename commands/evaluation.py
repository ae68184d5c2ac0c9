"""Keeping questions with known answers, and what came of asking them (spec: recall.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import Done, execute
from commands.unit_of_work import UnitOfWork
from domain.evaluation_set import EVALUATION_SET, evaluation_set_id
from domain.events import EvaluationFinished, GoldenQuestionWritten, GoldenSetGenerated, LlmCalled
from domain.language_model import LANGUAGE_MODEL, language_model_id
from domain.policies.golden_questions import GoldenQuestion
from domain.policies.regression import baseline_of, has_fallen
from domain.policies.retrieval import Measures
from memoryweave import contract


class KeepGoldenSet(Struct, frozen=True, kw_only=True):
    """Questions that replace a set's. ``position``: what the memories were read at.

    ``calls`` are the language model's, if it was asked.
    """

    set: str
    seed: int
    questions: Sequence[GoldenQuestion]
    position: int
    model: str | None = None
    calls: Sequence[LlmCalled] = ()


class KeepEvaluation(Struct, frozen=True, kw_only=True):
    """A run's figures. ``questions_sha`` tells the questions from others (hex SHA-256)."""

    set: str
    questions: int
    questions_sha: str
    means: Measures
    recall_by_agent: dict[str, float]
    recall_by_layer: dict[str, float]
    recall_by_category: dict[str, float]
    consolidation: contract.ConsolidationAwareHits
    levels: dict[str, int]
    embedder: str


class EvaluationKept(Struct, frozen=True, kw_only=True):
    """What the log holds of a run."""

    finished: EvaluationFinished
    position: int
    duplicate: bool


def keep_golden_set(
    application: MemoryApplication, command: Command[KeepGoldenSet], clock: Clock
) -> contract.GoldenSetReceipt:
    """Store questions under a set's name; each under the key of the memory it asks for."""
    request = command.request

    def decide(work: UnitOfWork) -> None:
        set_id = evaluation_set_id(work.log, request.set)
        generated = GoldenSetGenerated(
            set=request.set,
            seed=request.seed,
            generator="templates" if request.model is None else "llm",
            questions=len(request.questions),
            position=request.position,
            model=request.model,
        )
        work.record(EVALUATION_SET, set_id, [generated])
        for number, question in enumerate(request.questions, start=1):
            written = GoldenQuestionWritten(
                set=request.set,
                number=number,
                query=question.query,
                expected_ids=[question.memory_id],
                question_class=question.question_class,
                level=question.level,
                namespace=question.namespace,
            )
            # Its words are the memory's: they go when the memory is erased.
            subject = f"memory:{question.memory_id}"
            work.record(EVALUATION_SET, set_id, [written], subject)
        for call in request.calls:
            work.record(LANGUAGE_MODEL, language_model_id(work.log, call.model), [call])

    return execute(application, command, clock, decide, golden_set_receipt)


def golden_set_receipt(done: Done) -> contract.GoldenSetReceipt:
    """Give the receipt of a kept set."""
    generated = next(e.body for e in done.events if isinstance(e.body, GoldenSetGenerated))
    assert isinstance(generated, GoldenSetGenerated)
    cells = Counter(
        f"{event.body.question_class}/{event.body.level}"
        for event in done.events
        if isinstance(event.body, GoldenQuestionWritten)
    )
    return contract.GoldenSetReceipt(
        set=generated.set,
        seed=generated.seed,
        generator=generated.generator,
        model=generated.model,
        questions=generated.questions,
        cells=dict(sorted(cells.items())),
        position=done.position,
        duplicate=done.duplicate,
    )


def keep_evaluation(
    application: MemoryApplication, command: Command[KeepEvaluation], clock: Clock
) -> EvaluationKept:
    """Store a run's figures, held against the earlier runs of the same questions."""
    request = command.request

    def decide(work: UnitOfWork) -> None:
        set_id = evaluation_set_id(work.log, request.set)
        known = work.get(EVALUATION_SET, set_id)
        baseline = baseline_of(known.recalls(request.questions_sha) if known else [], work.policy)
        means, consolidation = request.means, request.consolidation
        finished = EvaluationFinished(
            set=request.set,
            questions=request.questions,
            questions_sha=request.questions_sha,
            recall_at_5=means.recall_at_5,
            recall_at_10=means.recall_at_10,
            precision_at_5=means.precision_at_5,
            mean_reciprocal_rank=means.reciprocal_rank,
            ndcg_at_10=means.ndcg_at_10,
            recall_by_agent=request.recall_by_agent,
            recall_by_layer=request.recall_by_layer,
            recall_by_category=request.recall_by_category,
            total_distilled_used=consolidation.total_distilled_used,
            hits_after_consolidation=consolidation.hits_after_consolidation,
            consolidation_benefit=consolidation.consolidation_benefit,
            levels=request.levels,
            embedder=request.embedder,
            baseline=baseline,
            regressed=has_fallen(means.recall_at_10, baseline, work.policy),
        )
        work.record(EVALUATION_SET, set_id, [finished])

    return execute(application, command, clock, decide, evaluation_kept)


def evaluation_kept(done: Done) -> EvaluationKept:
    """Give what a run's command has become."""
    (finished,) = [e.body for e in done.events if isinstance(e.body, EvaluationFinished)]
    return EvaluationKept(finished=finished, position=done.position, duplicate=done.duplicate)
