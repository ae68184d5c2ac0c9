"""`memoryweave demo`: a conversation of several sessions, ten questions, answers with provenance.

Uses the running service of the data directory; where there is none it starts one on a directory
and a port of its own and ends it afterwards.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from memoryweave.client import Client
from memoryweave.contract import EvaluationLine, RecallItem
from memoryweave.errors import MemoryWeaveError
from queries.evaluation import covered_by
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.cli.import_lines import Options, import_file
from workers.cli.output import print_json
from workers.cli.recall import item_lines
from workers.cli.service import service
from workers.cli.shown import wait_until_shown
from workers.evaluation.own_node import own_node
from workers.keys import kept_keys
from workers.running import find_running
from workers.settings import resolve

NAMESPACE: Final = "demo"
QUESTIONS: Final = 10
SHOWN: Final = 2


class Answered(Struct, frozen=True, kw_only=True):
    """One question with what was recalled. ``found``: its evidence is among the first five."""

    query: str
    found: bool
    results: list[RecallItem]


def run(arguments: argparse.Namespace) -> None:
    """Import, ask, print."""
    with _material() as (conversation, questions), _some_service(arguments) as client:
        report = import_file(
            client, conversation, Options(namespace=NAMESPACE), quiet=arguments.json
        )
        if not arguments.json:
            print(f"{report.lines} lines are in the log; waiting until they can be recalled …")
        wait_until_shown(client, report.position, lambda left: print(f"  {left}", file=sys.stderr))
        answered = [_ask(client, question) for question in questions]
    if arguments.json:
        print_json(answered)
        return
    for line in _lines(answered):
        print(line)


def _ask(client: Client, question: EvaluationLine) -> Answered:
    answer = client.recall(question.query, top_k=5, namespaces=[NAMESPACE])
    seen = {line for item in answer.results for line in covered_by(item)}
    return Answered(
        query=question.query,
        found=not seen.isdisjoint(question.evidence_ids),
        results=answer.results,
    )


def _lines(answered: list[Answered]) -> Iterable[str]:
    for number, one in enumerate(answered, start=1):
        yield f"\n{number}. {one.query}"
        for item in one.results[:SHOWN]:
            yield from (f"   {line}" for line in item_lines(item))
    found = sum(one.found for one in answered)
    yield f"\nThe line with the answer is among the first five for {found} of {len(answered)}."


@contextmanager
def _material() -> Iterator[tuple[Path, list[EvaluationLine]]]:
    """Give a conversation file and ten questions: from MEMORYWEAVE_EVAL_DATA, else our own."""
    given = os.environ.get("MEMORYWEAVE_EVAL_DATA")
    if given:
        folder = Path(given) / "locomo_dev"
        if not folder.is_dir():
            raise Failure(f"MEMORYWEAVE_EVAL_DATA: there is no folder {folder}")
        with tempfile.TemporaryDirectory(prefix="memoryweave-demo-") as scratch:
            yield _first_conversation(folder, Path(scratch) / "conversation.jsonl")
        return
    here = files("workers.cli")
    questions = here.joinpath("sample_questions.jsonl").read_bytes()
    with as_file(here.joinpath("sample_conversation.jsonl")) as conversation:
        yield conversation, _questions(questions.splitlines())


def _first_conversation(folder: Path, target: Path) -> tuple[Path, list[EvaluationLine]]:
    lines = (folder / "corpus.jsonl").read_bytes().splitlines(keepends=True)
    first = msgspec.json.decode(lines[0])["conversation"]
    target.write_bytes(
        b"".join(line for line in lines if msgspec.json.decode(line)["conversation"] == first)
    )
    questions = _questions((folder / "queries.jsonl").read_bytes().splitlines())
    answerable = [q for q in questions if q.conversation == first and q.evidence_ids]
    return target, answerable[:QUESTIONS]


def _questions(lines: Iterable[bytes]) -> list[EvaluationLine]:
    return [msgspec.json.decode(line, type=EvaluationLine) for line in lines if line.strip()]


@contextmanager
def _some_service(arguments: argparse.Namespace) -> Iterator[Client]:
    settings = resolve(settings_flags(arguments), os.environ).settings
    if arguments.url or os.environ.get("MEMORYWEAVE_URL") or find_running(settings.data):
        with service(arguments, patience_s=120.0) as client:
            yield client
        return
    with tempfile.TemporaryDirectory(prefix="memoryweave-demo-") as scratch:
        data = Path(scratch) / "data"
        if not arguments.json:
            print("no service runs on this data directory: starting one for the demo …", flush=True)
        with (
            own_node(data) as url,
            Client(url, kept_keys(data)["API_KEY"], outbox=None) as client,
        ):
            try:
                yield client
            except MemoryWeaveError as error:
                raise Failure(str(error)) from error
