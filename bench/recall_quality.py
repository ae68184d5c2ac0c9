"""How well recall finds the evidence for questions over public conversations.

    python -m bench.recall_quality [--in-process] [set …]

reads ``<MEMORYWEAVE_EVAL_DATA>/<set>/corpus.jsonl`` and ``queries.jsonl`` (default: every set of
`BEST_SINGLE` that is there), imports every conversation into a namespace of its own, waits for the
vectors and asks every question in its conversation's namespace, all over HTTP from a node with
default settings. Where a set says which lines existed when a question was asked, the conversation
is replayed: lines are imported up to there, then the question is asked. With
``--in-process`` the same house is driven without HTTP and other processes, which is quicker.
Vectors are kept between runs in the directory named by MEMORYWEAVE_BENCH_CACHE, else nowhere.
Gives recall@5, recall@10 with its standard error, MRR and nDCG@10; ``python -m bench
recall_quality`` holds recall@10 to the best single method of each set.

Questions without evidence (abstention) are left out. LoCoMo: categories 1 to 4, and the audited
evidence where the audit corrected it.
"""

from __future__ import annotations

import hashlib
import math
import os
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

import msgspec
from msgspec import Struct

from bench.ratio import Ratio
from bench.served import served
from memoryweave.contract import Commit, Recall, RecallAnswer

DATA: Final = "MEMORYWEAVE_EVAL_DATA"
CACHE: Final = "MEMORYWEAVE_BENCH_CACHE"

BEST_SINGLE: Final = {
    "locomo_dev": 0.631,
    "memorybank_zh": 0.963,
    "memorybank_en": 0.953,
    "madial_zh": 0.621,
    "madial_en": 0.602,
    "xquad_zh_cross_dev": 0.976,
    "xquad_en_cross_dev": 0.920,
    "realmem_dev": 0.414,
    "lifebench_zh_dev": 0.388,
}
"""Recall@10 of the better of words alone (BM25) and meaning alone (the bundled model), measured
once outside the service; the largest figure seen for each set."""

WORSE_BY: Final = 0.01
"""How far below its best single method no set may fall."""

LEAST_MEAN_GAIN: Final = 0.03
LOCOMO_FLOOR: Final = 0.76
"""For ``locomo_dev``."""

_COUNTED_CATEGORIES: Final = (1, 2, 3, 4)
_DEEPEST: Final = 10


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


class Measures(Struct, frozen=True):
    """One question's measures, or their means."""

    recall_at_5: float
    recall_at_10: float
    reciprocal_rank: float
    ndcg_at_10: float


class Report(Struct, frozen=True):
    """A set's means over ``questions`` questions; ``levels`` counts how they were answered."""

    name: str
    questions: int
    means: Measures
    recall_at_10_error: float
    median_ms: float
    levels: dict[str, int]


class House(Protocol):
    """A memory to be measured."""

    def store(self, entries: Sequence[Commit]) -> None:
        """Store entries; return when each can be found by its words and by its meaning."""

    def recall(self, request: Recall) -> RecallAnswer:
        """Answer one question."""


OpenHouse = Callable[[Path | None], AbstractContextManager[House]]
"""Opens an empty house; its vectors are kept in the directory given, if any."""


def main() -> list[Ratio]:
    """Measure over HTTP every set that is there."""
    folder = os.environ.get(DATA)
    if not folder:
        print(f"skip  recall_quality: {DATA} is not set")
        return []
    present = [name for name in BEST_SINGLE if (Path(folder) / name).is_dir()]
    for name in BEST_SINGLE.keys() - set(present):
        print(f"skip  recall_quality: {name} is not in {DATA}")
    reports = [measure(Path(folder) / name, served) for name in present]
    ratios = [
        Ratio(
            f"recall@10 on {report.name}",
            report.means.recall_at_10,
            floor=floor_of(report.name),
            detail=describe(report),
        )
        for report in reports
    ]
    if len(reports) == len(BEST_SINGLE):
        gains = [report.means.recall_at_10 - BEST_SINGLE[report.name] for report in reports]
        ratios.append(
            Ratio(
                "mean gain over best single methods",
                statistics.fmean(gains),
                floor=LEAST_MEAN_GAIN,
                detail=f"recall@10, over {len(gains)} sets",
            )
        )
    return ratios


def floor_of(name: str) -> float:
    """Give the least recall@10 of a set."""
    return LOCOMO_FLOOR if name == "locomo_dev" else BEST_SINGLE[name] - WORSE_BY


def describe(report: Report) -> str:
    """Give a report in one line."""
    means = report.means
    against = ""
    if report.name in BEST_SINGLE:
        gain = means.recall_at_10 - BEST_SINGLE[report.name]
        against = f", {gain:+.3f} against the best single method's recall@10"
    levels = ", ".join(f"{count} {level}" for level, count in sorted(report.levels.items()))
    return (
        f"recall@5 {means.recall_at_5:.3f}, recall@10 {means.recall_at_10:.3f} "
        f"± {report.recall_at_10_error:.3f}, MRR {means.reciprocal_rank:.3f}, nDCG@10 "
        f"{means.ndcg_at_10:.3f}{against}, {report.questions} questions of "
        f"{report.median_ms:.0f} ms ({levels})"
    )


def cache_from_environment() -> Path | None:
    """Give the directory in which vectors are kept between runs, if one is named."""
    return Path(os.environ[CACHE]) if os.environ.get(CACHE) else None


def measure(folder: Path, open_house: OpenHouse) -> Report:
    """Import one set into an empty house and ask its questions."""
    levels: Counter[str] = Counter()
    measured, times = [], []
    with open_house(cache_from_environment()) as house:
        for question in replayed(read_lines(folder), read_questions(folder), house.store):
            began = time.perf_counter()
            answer = house.recall(request(question))
            times.append(time.perf_counter() - began)
            levels[answer.level] += 1
            measured.append(measures(found_ids(answer), question.evidence))
    return Report(
        name=folder.name,
        questions=len(measured),
        means=Measures(*(statistics.fmean(column) for column in _columns(measured))),
        recall_at_10_error=statistics.stdev(one.recall_at_10 for one in measured)
        / math.sqrt(len(measured)),
        median_ms=1000 * statistics.median(times),
        levels=dict(levels),
    )


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


def read_lines(folder: Path) -> list[Line]:
    """Read a set's corpus."""
    with (folder / "corpus.jsonl").open("rb") as file:
        return [msgspec.json.decode(raw, type=Line) for raw in file]


def read_questions(folder: Path) -> list[Question]:
    """Read a set's questions that have evidence and count."""
    with (folder / "queries.jsonl").open("rb") as file:
        questions = [msgspec.json.decode(raw, type=Question) for raw in file]
    return [
        question
        for question in questions
        if question.evidence
        and (question.category_no is None or question.category_no in _COUNTED_CATEGORIES)
    ]


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
        query=question.query, namespaces=[namespace_of(question.conversation)], top_k=_DEEPEST
    )


def namespace_of(conversation: str | None) -> str:
    """Give the namespace that holds one conversation."""
    return "set-" + hashlib.sha256((conversation or "all").encode()).hexdigest()[:12]


def found_ids(answer: RecallAnswer) -> list[str]:
    """Give the lines found, best first."""
    return [result.metadata["external_id"] for result in answer.results]


def measures(found: Sequence[str], evidence: frozenset[str]) -> Measures:
    """Compare one ranking with the evidence; gains are binary."""
    hits = [line in evidence for line in found]
    gains = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(hits) if hit)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(_DEEPEST, len(evidence))))
    return Measures(
        recall_at_5=sum(hits[:5]) / len(evidence),
        recall_at_10=sum(hits) / len(evidence),
        reciprocal_rank=next((1 / (rank + 1) for rank, hit in enumerate(hits) if hit), 0.0),
        ndcg_at_10=gains / ideal,
    )


def _asked_at(question: Question) -> tuple[str, float]:
    return question.conversation or "", (
        math.inf if question.max_seq is None else float(question.max_seq)
    )


def _columns(measured: Iterable[Measures]) -> Iterable[tuple[float, ...]]:
    return zip(*(msgspec.structs.astuple(one) for one in measured), strict=True)


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _measure_chosen(arguments: Sequence[str]) -> None:
    open_house: OpenHouse = served
    if "--in-process" in arguments:
        # Only here: its storage library warns when a process that has loaded it starts others.
        from bench.in_process import in_process

        open_house = in_process
    chosen = [name for name in arguments if name != "--in-process"]
    for name in chosen or BEST_SINGLE:
        report = measure(Path(os.environ[DATA]) / name, open_house)
        print(f"{name}: {describe(report)}", flush=True)


if __name__ == "__main__":
    _measure_chosen(sys.argv[1:])
