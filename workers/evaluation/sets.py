"""Evaluation sets as folders: ``corpus.jsonl`` is what was said, ``queries.jsonl`` what is asked.

Where a set says which lines existed when a question was asked, the conversation is replayed: lines
are stored up to there, then the question is asked. Every conversation has a namespace of its own,
and a question is asked in its conversation's.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from memoryweave.contract import Commit, Recall
from queries.evaluation import DEPTH

CORPUS: Final = "corpus.jsonl"
QUERIES: Final = "queries.jsonl"
_COUNTED_CATEGORIES: Final = (1, 2, 3, 4)
"""Of numbered categories: LoCoMo's fifth asks for what was never said."""


class Line(Struct, frozen=True):
    """One line of a conversation."""

    id: str
    text: str
    conversation: str | None = None
    session: str | None = None
    speaker: str | None = None
    timestamp: str | None = None
    seq: int | None = None


class Audit(Struct, frozen=True):
    """What a later check of the set found wrong with a question."""

    correct_evidence_ids: list[str] | None = None


class Question(Struct, frozen=True):
    """One question; ``max_seq``: only lines with a smaller ``seq`` existed when it was asked."""

    query: str
    evidence_ids: list[str]
    conversation: str | None = None
    category_no: int | None = None
    max_seq: int | None = None
    audit: Audit | None = None

    @property
    def evidence(self) -> frozenset[str]:
        """The ids of the lines that hold the answer."""
        if self.audit is not None and self.audit.correct_evidence_ids:
            return frozenset(self.audit.correct_evidence_ids)
        return frozenset(self.evidence_ids)


def is_set(folder: Path) -> bool:
    """Tell whether a folder is an evaluation set."""
    return (folder / CORPUS).is_file() and (folder / QUERIES).is_file()


def read_lines(folder: Path) -> list[Line]:
    """Read a set's corpus. Raises `msgspec.MsgspecError` and `OSError`."""
    with (folder / CORPUS).open("rb") as file:
        return [msgspec.json.decode(raw, type=Line) for raw in file if raw.strip()]


def read_questions(folder: Path) -> list[Question]:
    """Read a set's questions that have evidence and count. Raises like `read_lines`."""
    with (folder / QUERIES).open("rb") as file:
        questions = [msgspec.json.decode(raw, type=Question) for raw in file if raw.strip()]
    return [
        question
        for question in questions
        if question.evidence
        and (question.category_no is None or question.category_no in _COUNTED_CATEGORIES)
    ]


def replayed(
    lines: Iterable[Line], questions: Iterable[Question], store: Callable[[list[Commit]], None]
) -> Iterator[Question]:
    """Give the questions, each when exactly the lines are stored that existed when it was asked."""
    said: defaultdict[str | None, list[Line]] = defaultdict(list)
    for line in lines:
        said[line.conversation].append(line)
    for of_one in said.values():
        of_one.sort(key=lambda line: line.seq or 0)
    asked = sorted(questions, key=_asked_at)
    if all(question.max_seq is None for question in asked):
        store([entry(line) for of_one in said.values() for line in of_one])
        said.clear()
    for question in asked:
        waiting = said[question.conversation]
        ready = [line for line in waiting if (line.seq or 0) < _asked_at(question)[1]]
        if ready:
            store([entry(line) for line in ready])
            said[question.conversation] = waiting[len(ready) :]
        yield question


def entry(line: Line) -> Commit:
    """Give a line as a client imports it."""
    return Commit(
        content=line.text,
        namespace=namespace_of(line.conversation),
        speaker=line.speaker or None,
        session_id=line.session or None,
        observed_at=_moment(line.timestamp),
        metadata={"external_id": line.id},
    )


def request(question: Question) -> Recall:
    """Give a question as a client asks it: default settings, its own conversation."""
    return Recall(
        query=question.query, namespaces=[namespace_of(question.conversation)], top_k=DEPTH
    )


def namespace_of(conversation: str | None) -> str:
    """Give the namespace that holds one conversation."""
    return "set-" + hashlib.sha256((conversation or "all").encode()).hexdigest()[:12]


def _asked_at(question: Question) -> tuple[str, float]:
    return question.conversation or "", (
        math.inf if question.max_seq is None else float(question.max_seq)
    )


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
