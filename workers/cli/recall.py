"""`memoryweave recall`: what is known, with where it came from."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from memoryweave.contract import RecallAnswer, RecallItem
from workers.cli.output import show
from workers.cli.service import service


def run(arguments: argparse.Namespace) -> None:
    """Ask and print the answers, best first."""
    with service(arguments) as client:
        answer = client.recall(
            arguments.query,
            top_k=arguments.top_k,
            namespaces=arguments.namespace,
            layers=[arguments.layer] if arguments.layer else ("memory", "episode"),
            as_of=arguments.as_of,
        )
    show(arguments, answer, answer_lines)


def answer_lines(answer: RecallAnswer) -> Iterable[str]:
    """Lay out an answer for people."""
    for part in answer.degraded:
        yield f"degraded: {part.part} ({part.reason})"
    if answer.as_of_position is not None:
        yield f"as of position {answer.as_of_position}"
    for item in answer.results:
        yield from item_lines(item)
    if not answer.results:
        yield "nothing is known" if answer.as_of_position is None else "nothing was known"


def item_lines(item: RecallItem) -> Iterable[str]:
    """Lay out one result: its text, then where it came from."""
    speaker = f"{item.speaker}: " if item.speaker else ""
    yield f"{item.score:.2f}  {speaker}{item.content}"
    yield f"      {provenance(item)}"


def provenance(item: RecallItem) -> str:
    """Say where a result came from, in one line."""
    parts = [f"{item.layer} {item.id}", f"position {item.position}", item.namespace]
    if item.session_id:
        parts.append(f"session {item.session_id}")
    if item.observed_at:
        parts.append(f"{item.observed_at:%Y-%m-%d}")
    if item.derived_from:
        parts.append(f"from {len(item.derived_from)} episode{'s' * (len(item.derived_from) > 1)}")
    return " · ".join([*parts, *item.warnings])
