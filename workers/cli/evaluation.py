"""`memoryweave eval`: what recall is worth on questions with known answers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from inference.llm import LanguageModelError
from memoryweave.contract import (
    EvaluationHistory,
    EvaluationLine,
    EvaluationQuestion,
    EvaluationReport,
    GoldenSetReceipt,
)
from workers.cli.arguments import settings_flags
from workers.cli.evaluation_sets import data_folder, every_set, find_set, run_sets, updates_file
from workers.cli.failure import Failure, Misused
from workers.cli.output import columns, show
from workers.cli.service import service
from workers.evaluation.dialogues import Written, write_dialogues
from workers.node import make_language_model
from workers.settings import resolve

_PATIENCE_S: Final = 900.0
"""A set of 500 questions may take a minute, and a model as long for its questions."""
MOST_QUESTIONS: Final = 500
"""In one run; more are a set of conversations."""


def run(arguments: argparse.Namespace) -> int:
    """Measure a set (exit code 1: worse than it was, or than it has to be).

    A set of conversations is measured on a node of its own, everything else on the running service.
    """
    if arguments.all:
        folder = data_folder()
        found = every_set(folder)
        if not found:
            raise Misused(f"{folder} holds no set")
        return run_sets(arguments, found, updates_file(folder))
    folder_of_set = None if arguments.set is None else find_set(arguments.set)
    if folder_of_set is not None:
        return run_sets(arguments, [folder_of_set], None)
    report = _run_on_service(arguments)
    show(arguments, report, _report_lines)
    return 1 if report.regression is not None else 0


def generate(arguments: argparse.Namespace) -> None:
    """Make questions on the running service's memories."""
    with service(arguments, timeout_s=_PATIENCE_S) as client:
        receipt = client.generate_evaluation(
            arguments.set,
            seed=arguments.seed,
            per_cell=arguments.per_cell,
            namespaces=arguments.namespace,
            generator=arguments.generator,
        )
    show(arguments, receipt, _receipt_lines)


def history(arguments: argparse.Namespace) -> None:
    """Print how runs went, the newest first."""
    with service(arguments) as client:
        runs = client.evaluation_history(arguments.set, limit=arguments.limit)
    show(arguments, runs, _history_lines)


def dialogues(arguments: argparse.Namespace) -> None:
    """Have the configured language model write a set of dialogues with known answers."""
    settings = resolve(settings_flags(arguments), os.environ).settings
    model = make_language_model(settings)
    if model is None:
        raise Misused("no language model is configured: set LLM_ENDPOINT and LLM_MODEL")
    try:
        written = write_dialogues(
            model,
            arguments.folder,
            count=arguments.count,
            seed=arguments.seed,
            language=arguments.language,
        )
    except (LanguageModelError, OSError) as error:
        raise Failure(f"no dialogues were written: {error}") from error
    show(arguments, written, _written_lines)


def _run_on_service(arguments: argparse.Namespace) -> EvaluationReport:
    name, questions = arguments.set, None
    if name is not None and Path(name).suffix == ".jsonl":
        questions = _questions(Path(name))
        name = Path(name).stem
    with service(arguments, timeout_s=_PATIENCE_S) as client:
        return client.run_evaluation(name, questions=questions, namespaces=arguments.namespace)


def _questions(path: Path) -> list[EvaluationQuestion]:
    """Read a file of questions; those without evidence have no answer to be found."""
    try:
        lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise Misused(f"{path} cannot be read: {error.strerror}") from error
    questions: list[EvaluationQuestion] = []
    for number, raw in enumerate(lines, start=1):
        try:
            line = msgspec.json.decode(raw, type=EvaluationLine)
        except msgspec.DecodeError as error:
            raise Misused(f"{path}, line {number}: {error}") from error
        if line.evidence_ids:
            questions.append(
                EvaluationQuestion(
                    query=line.query,
                    evidence_ids=line.evidence_ids,
                    id=line.id,
                    category=line.category,
                )
            )
    if not questions:
        raise Misused(f"{path} has no question with evidence")
    if len(questions) > MOST_QUESTIONS:
        raise Misused(f"{path} has {len(questions)} questions, a run asks {MOST_QUESTIONS} at most")
    return questions


def _report_lines(report: EvaluationReport) -> Iterable[str]:
    yield f"{report.set}: {report.questions} questions"
    yield from columns(
        [
            ("recall@5", "recall@10", "precision@5", "MRR", "nDCG@10"),
            tuple(
                f"{value:.3f}"
                for value in (
                    report.recall_at_5,
                    report.recall_at_10,
                    report.precision_at_5,
                    report.mean_reciprocal_rank,
                    report.ndcg_at_10,
                )
            ),
        ]
    )
    for meaning, groups in (
        ("category", report.recall_by_category),
        ("layer", report.recall_by_layer),
        ("agent", report.recall_by_agent),
        ("tag", report.recall_at_5_by_tag),
    ):
        if groups:
            yield f"recall@5 by {meaning}: {_groups(groups)}"
    hits = report.consolidation_aware_hits
    yield (
        f"{hits.total_distilled_used} distilled memories among the first five; they alone cover "
        f"{hits.hits_after_consolidation} expected ids ({hits.consolidation_benefit:+.3f} recall@5)"
    )
    if report.regression is not None:
        yield (
            f"alarm: recall@10 fell from {report.regression.baseline:.3f} "
            f"to {report.regression.recall_at_10:.3f}"
        )


def _receipt_lines(receipt: GoldenSetReceipt) -> Iterable[str]:
    by = receipt.model or "templates"
    yield f"{receipt.set}: {receipt.questions} questions by {by}, seed {receipt.seed}"
    yield from columns(sorted(receipt.cells.items()))


def _history_lines(runs: EvaluationHistory) -> Iterable[str]:
    rows: list[Sequence[str | None]] = [
        ("at", "set", "questions", "recall@5", "recall@10", "MRR", "nDCG@10", "against", "")
    ]
    rows += [
        (
            f"{item.at:%Y-%m-%d %H:%M}",
            item.set,
            str(item.questions),
            f"{item.recall_at_5:.3f}",
            f"{item.recall_at_10:.3f}",
            f"{item.mean_reciprocal_rank:.3f}",
            f"{item.ndcg_at_10:.3f}",
            None if item.baseline is None else f"{item.baseline:.3f}",
            "fell" if item.regressed else "",
        )
        for item in runs.items
    ]
    yield from columns(rows)


def _written_lines(written: Written) -> Iterator[str]:
    yield (
        f"{written.folder}: {written.dialogues} dialogues, {written.lines} lines, "
        f"{written.questions} questions; {written.tokens} tokens"
    )
    yield f"measure it with: memoryweave eval run {written.folder}"


def _groups(groups: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in groups.items())
