"""Sets of questions on a deployment's own memories, and the history of their runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from domain.caller import SHARED
from domain.errors import NotFound, WrongState
from domain.events import LlmCalled
from domain.namespaces import is_ephemeral
from domain.policies.golden_questions import GoldenQuestion, Statement, golden_questions
from inference.llm import LanguageModel
from memoryweave import contract
from projections.state.rows import EvaluationRow
from projections.state.view import StateView
from queries.question_writing import in_the_models_words

OWN_SET: Final = "own"
"""The set that a run without a name asks."""
GIVEN: Final = "given"
"""Under this name stands a run of questions that came without one."""

_MOST_MEMORIES: Final = 5_000
_PAGE: Final = 500


class QuestionSet(Struct, frozen=True, kw_only=True):
    """Questions to be asked under a name; ``sha`` (hex) tells them from others of that name."""

    name: str
    questions: Sequence[contract.EvaluationQuestion]
    sha: str


class Generated(Struct, frozen=True, kw_only=True):
    """Questions that were made. ``model`` wrote them, None: templates; ``calls`` are its calls."""

    questions: list[GoldenQuestion]
    position: int
    model: str | None
    calls: list[LlmCalled]


def generate(
    request: contract.GenerateEvaluation,
    state: StateView,
    now: datetime,
    model: LanguageModel | None,
) -> Generated:
    """Make questions of the newest 5,000 live memories that no session takes with it.

    Raises `WrongState` where there is nothing to ask for, or no model although one is asked for.
    """
    if request.generator == "llm" and model is None:
        raise WrongState("no language model is configured: set LLM_ENDPOINT and LLM_MODEL")
    position = state.checkpoint().position
    scope = None if request.namespaces is None else frozenset(request.namespaces)
    statements = list(_statements(state, scope, now))
    drafts = golden_questions(statements, seed=request.seed, per_cell=request.per_cell)
    if not drafts:
        raise WrongState("there is no live memory that a question can be asked about")
    if model is None or request.generator == "templates":
        return Generated(questions=drafts, position=position, model=None, calls=[])
    texts = {one.memory_id: one.text for one in statements}
    written = in_the_models_words(drafts, texts, model)
    return Generated(
        questions=written.questions, position=position, model=model.name, calls=written.calls
    )


def questions_of(request: contract.RunEvaluation, state: StateView, now: datetime) -> QuestionSet:
    """Give what a run asks: the questions of the request, or those kept under its name.

    A kept question whose memory is not live any more is left out: it should not be found. Raises
    `NotFound` for a name that has none.
    """
    if request.questions is not None:
        return _given(request.set or GIVEN, request.questions)
    name = request.set or OWN_SET
    kept = state.golden_set(name)
    if kept is None:
        raise NotFound(f"no evaluation set {name!r}: POST /eval/generate makes one")
    rows = state.golden_questions(name)
    memories = state.memories({i for row in rows for i in row.expected_ids}, now=now)
    live = {memory_id for memory_id, memory in memories.items() if memory.state == "live"}
    questions = [
        contract.EvaluationQuestion(
            query=row.query,
            evidence_ids=row.expected_ids,
            id=str(row.number),
            category=f"{row.question_class}/{row.level}",
            namespaces=sorted({row.namespace, SHARED}),
        )
        for row in rows
        if live.issuperset(row.expected_ids)
    ]
    if not questions:
        raise NotFound(f"no question of the set {name!r} asks for a live memory: generate it anew")
    sha = hashlib.sha256(f"golden:{name}:{kept.position}".encode()).hexdigest()
    return QuestionSet(name=name, questions=questions, sha=sha)


def history(state: StateView, name: str | None, limit: int) -> contract.EvaluationHistory:
    """Give the last runs, the newest first."""
    return contract.EvaluationHistory(
        items=[_item(row) for row in state.evaluations(name, limit=limit)]
    )


def _given(name: str, questions: Sequence[contract.EvaluationQuestion]) -> QuestionSet:
    pairs = sorted((one.query, sorted(one.evidence_ids)) for one in questions)
    sha = hashlib.sha256(msgspec.json.encode(pairs)).hexdigest()
    return QuestionSet(name=name, questions=questions, sha=sha)


def _statements(
    state: StateView, scope: frozenset[str] | None, now: datetime
) -> Iterator[Statement]:
    cursor: str | None = None
    for _ in range(0, _MOST_MEMORIES, _PAGE):
        rows, cursor = state.list_memories(scope, now=now, cursor=cursor, limit=_PAGE)
        for row in rows:
            if not is_ephemeral(row.namespace):
                yield Statement(
                    memory_id=row.id,
                    text=row.content,
                    namespace=row.namespace,
                    category=row.category,
                    at=row.observed_at or row.recorded_at,
                )
        if cursor is None:
            return


def _item(row: EvaluationRow) -> contract.EvaluationItem:
    figures = row.figures
    return contract.EvaluationItem(
        set=row.set,
        at=row.finished_at,
        position=row.position,
        actor=row.actor,
        questions=figures.questions,
        recall_at_5=figures.recall_at_5,
        recall_at_10=figures.recall_at_10,
        precision_at_5=figures.precision_at_5,
        mean_reciprocal_rank=figures.mean_reciprocal_rank,
        ndcg_at_10=figures.ndcg_at_10,
        recall_by_agent=figures.recall_by_agent,
        recall_by_layer=figures.recall_by_layer,
        recall_by_category=figures.recall_by_category,
        consolidation_aware_hits=contract.ConsolidationAwareHits(
            total_distilled_used=figures.total_distilled_used,
            hits_after_consolidation=figures.hits_after_consolidation,
            consolidation_benefit=figures.consolidation_benefit,
        ),
        levels=figures.levels,
        embedder=figures.embedder,
        baseline=figures.baseline,
        regressed=figures.regressed,
    )
