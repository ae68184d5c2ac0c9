"""Asking recall questions with known answers, on the deployment itself."""

from __future__ import annotations

from typing import Annotated

import msgspec
import structlog
from litestar import Response
from litestar.params import JSONBody, QueryParameter
from msgspec import structs

from api.calls import Call, Handler, carry_out, require_no_agent
from api.dependencies import GivenCall, WaitFor
from api.documented import command, question
from api.idempotency import command_context
from api.node import Node
from api.recalling import question_of
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.evaluation import (
    EvaluationKept,
    KeepEvaluation,
    KeepGoldenSet,
    evaluation_kept,
    golden_set_receipt,
    keep_evaluation,
    keep_golden_set,
)
from commands.execution import Done, done_before
from memoryweave import contract
from queries.evaluation import Asked, Evaluated, evaluated, request_of
from queries.golden_sets import Generated, QuestionSet, generate, history, questions_of
from queries.recall import recall_in_full

_log = structlog.get_logger("evaluation")


@command("POST", "/eval/run", contract.EvaluationReport, tag="evaluation")
async def post_run(
    call: GivenCall, data: JSONBody[contract.RunEvaluation], wait: WaitFor = "true"
) -> Response[contract.EvaluationReport]:
    """Ask a set's questions and keep how it went (admin, owner).

    Without a name the deployment's own set, which POST /eval/generate makes. The questions are no
    recalls: nothing is counted, cached or pushed. Groups give recall@5.
    """
    require_no_agent(call.caller)
    done = await call.threads.ask_log(_done_before, call, data)
    if done is not None:
        return Response(_report(evaluation_kept(done), None, call.node))
    node = call.node
    asked_set = await call.threads.run(questions_of, data, node.state, node.clock())
    answers: dict[bytes, contract.RecallAnswer] = {}
    asked = []
    for one in asked_set.questions:
        request = request_of(one, data.namespaces)
        key = msgspec.json.encode(request)
        if key not in answers:  # nothing changes by asking the same again
            answers[key] = await call.threads.search(_answer, call, request)
        asked.append(Asked(question=one, answer=answers[key]))
    found = await call.threads.run(evaluated, asked, node.state, node.clock())
    return await carry_out(call, _keeping(node, asked_set, found), data, wait=wait)


@command("POST", "/eval/generate", contract.GoldenSetReceipt, tag="evaluation")
async def post_generate(
    call: GivenCall, data: JSONBody[contract.GenerateEvaluation], wait: WaitFor = "true"
) -> Response[contract.GoldenSetReceipt]:
    """Make questions on the live memories and keep them under a name (admin, owner).

    Four classes at three levels; by the language model where one is configured, else by templates:
    then the same memories and seed give the same questions.
    """
    require_no_agent(call.caller)
    done = await call.threads.ask_log(_done_before, call, data)
    if done is not None:
        return Response(golden_set_receipt(done))
    node = call.node
    # Before the command: a model takes its time, and no thread that commands need waits for it.
    made = await call.threads.audit(generate, data, node.state, node.clock(), node.language_model)
    return await carry_out(call, _keeping_set(made), data, wait=wait)


@question("GET", "/eval/history", tag="evaluation")
async def get_history(
    call: GivenCall,
    name: Annotated[str | None, QueryParameter(name="set", max_length=128)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> contract.EvaluationHistory:
    """Read how runs went, the newest first (admin, owner). ``set``: only this one's."""
    require_no_agent(call.caller)
    return await call.threads.run(history, call.node.state, name, limit)


def _done_before(
    call: Call, message: contract.RunEvaluation | contract.GenerateEvaluation
) -> Done | None:
    node = call.node
    context = command_context(call.request, call.caller, message, node.clock, node.randomness)
    return done_before(node.application, context)


def _answer(call: Call, request: contract.Recall) -> contract.RecallAnswer:
    """Answer beside POST /recall: what that keeps and counts of an answer is not kept of this."""
    return recall_in_full(question_of(call, request)).answer


def _keeping_set(
    made: Generated,
) -> Handler[contract.GenerateEvaluation, contract.GoldenSetReceipt]:
    def handler(
        application: MemoryApplication, given: Command[contract.GenerateEvaluation], clock: Clock
    ) -> contract.GoldenSetReceipt:
        keep = KeepGoldenSet(
            set=given.request.set,
            seed=given.request.seed,
            questions=made.questions,
            position=made.position,
            model=made.model,
            calls=made.calls,
        )
        kept = Command(caller=given.caller, context=given.context, request=keep)
        return keep_golden_set(application, kept, clock)

    return handler


def _keeping(
    node: Node, asked: QuestionSet, found: Evaluated
) -> Handler[contract.RunEvaluation, contract.EvaluationReport]:
    def handler(
        application: MemoryApplication, given: Command[contract.RunEvaluation], clock: Clock
    ) -> contract.EvaluationReport:
        keep = KeepEvaluation(
            set=asked.name,
            questions=len(asked.questions),
            questions_sha=asked.sha,
            means=found.means,
            recall_by_agent=found.by_agent,
            recall_by_layer=found.by_layer,
            recall_by_category=found.by_category,
            consolidation=found.consolidation,
            levels=found.levels,
            embedder=node.embedder.name,
        )
        kept = keep_evaluation(
            application,
            Command(caller=given.caller, context=given.context, request=keep),
            clock,
        )
        report = _report(kept, found, node)
        if report.regression is not None and not report.duplicate:
            _log.warning("evaluation_fell", set=report.set, **structs.asdict(report.regression))
        return report

    return handler


def _report(kept: EvaluationKept, found: Evaluated | None, node: Node) -> contract.EvaluationReport:
    """Give what the log holds of a run, with the details if it was this one."""
    figures = kept.finished
    regression = None
    if figures.regressed:
        assert figures.baseline is not None, "only what has a baseline can fall below it"
        regression = contract.Regression(
            recall_at_10=figures.recall_at_10,
            baseline=figures.baseline,
            allowed=node.application.policy.evaluation_drop_allowed,
        )
    shown = None if kept.duplicate else found
    return contract.EvaluationReport(
        set=figures.set,
        questions=figures.questions,
        recall_at_5=figures.recall_at_5,
        recall_at_10=figures.recall_at_10,
        precision_at_5=figures.precision_at_5,
        mean_reciprocal_rank=figures.mean_reciprocal_rank,
        ndcg_at_10=figures.ndcg_at_10,
        recall_at_5_by_tag=shown.by_tag if shown else {},
        recall_by_agent=figures.recall_by_agent,
        query_details=shown.details if shown else [],
        consolidation_aware_hits=contract.ConsolidationAwareHits(
            total_distilled_used=figures.total_distilled_used,
            hits_after_consolidation=figures.hits_after_consolidation,
            consolidation_benefit=figures.consolidation_benefit,
        ),
        recall_by_layer=figures.recall_by_layer,
        recall_by_category=figures.recall_by_category,
        levels=figures.levels,
        regression=regression,
        position=kept.position,
        duplicate=kept.duplicate,
    )
