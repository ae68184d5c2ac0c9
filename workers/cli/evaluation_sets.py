"""Sets of conversations, measured over HTTP on a node of their own, as a table with a verdict."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from workers.cli.failure import Failure, Misused
from workers.cli.output import columns, print_json
from workers.evaluation.baselines import (
    BEST_SINGLE,
    FLOORS,
    LEAST_MEAN_GAIN,
    UPDATES_FLOOR,
    WORSE_BY,
)
from workers.evaluation.measuring import Measured, measure
from workers.evaluation.own_node import served
from workers.evaluation.sets import is_set
from workers.evaluation.updates import UPDATES, read_updates, updates_above

DATA: Final = "MEMORYWEAVE_EVAL_DATA"
VECTORS: Final = "MEMORYWEAVE_EVAL_VECTORS"
_FIGURES: Final = {
    "recall_at_5": "recall@5",
    "recall_at_10": "recall@10",
    "reciprocal_rank": "MRR",
    "ndcg_at_10": "nDCG@10",
}


class Updates(Struct, frozen=True, kw_only=True):
    """How many of ``questions`` updated facts stand above those they replaced."""

    questions: int
    above: int


class SetsReport(Struct, frozen=True, kw_only=True):
    """What was measured. ``missed`` says what fell short of its floor, in sentences."""

    sets: list[Measured]
    gains: dict[str, float]
    mean_gain: float | None
    updates: Updates | None
    missed: list[str]


def every_set(folder: Path) -> list[Path]:
    """Give the sets in a folder by name."""
    return sorted(path for path in folder.iterdir() if is_set(path))


def data_folder() -> Path:
    """Give the folder of named sets. Raises `Misused` where none is named."""
    given = os.environ.get(DATA)
    if not given:
        raise Misused(f"{DATA} does not say where the sets are")
    if not Path(given).is_dir():
        raise Misused(f"{DATA}: there is no folder {given}")
    return Path(given)


def find_set(name: str) -> Path | None:
    """Give the folder of a set: a path, or a name in the folder of named sets; None for neither."""
    places = [Path(name)]
    if os.environ.get(DATA) and "/" not in name:
        places.append(Path(os.environ[DATA]) / name)
    return next((place for place in places if is_set(place)), None)


def vectors_folder(arguments: argparse.Namespace) -> Path:
    """Say where the vectors of sets are kept between runs."""
    if arguments.vectors is not None:
        return Path(arguments.vectors)
    if os.environ.get(VECTORS):
        return Path(os.environ[VECTORS])
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches) / "memoryweave" / "evaluation"


def run_sets(arguments: argparse.Namespace, folders: Sequence[Path], updates: Path | None) -> int:
    """Measure each set, print the table, and give 1 if anything fell short of its floor."""
    vectors = vectors_folder(arguments)
    measured: list[Measured] = []
    for folder in folders:
        _tell(arguments, f"{folder.name} …")
        measured.append(_measure(folder, vectors))
        _tell(arguments, f"{folder.name}: {_line(measured[-1])}")
    above = None if updates is None else _updates(arguments, updates, vectors)
    report = report_of(measured, above)
    if arguments.json:
        print_json(report)
    else:
        for line in _table(report):
            print(line)
    return 1 if report.missed else 0


def report_of(measured: Sequence[Measured], updates: Updates | None) -> SetsReport:
    """Hold what was measured against the baselines.

    The mean gain counts only where every set with a baseline was measured.
    """
    gains = {
        one.name: one.means.recall_at_10 - BEST_SINGLE[one.name]
        for one in measured
        if one.name in BEST_SINGLE
    }
    mean_gain = sum(gains.values()) / len(gains) if gains.keys() == BEST_SINGLE.keys() else None
    missed = [
        f"{name}: recall@10 lies {-gain:.3f} below the best single method, {WORSE_BY} is allowed"
        for name, gain in gains.items()
        if gain < -WORSE_BY
    ]
    for one in measured:
        for figure, floor in FLOORS.get(one.name, {}).items():
            value = getattr(one.means, figure)
            if value < floor:
                missed.append(f"{one.name}: {_FIGURES[figure]} is {value:.3f}, below {floor}")
    if mean_gain is not None and mean_gain < LEAST_MEAN_GAIN:
        missed.append(f"mean gain in recall@10 is {mean_gain:.3f}, below {LEAST_MEAN_GAIN}")
    if updates is not None and updates.above < UPDATES_FLOOR * updates.questions:
        missed.append(f"updated facts above: {updates.above} of {updates.questions}")
    return SetsReport(
        sets=list(measured), gains=gains, mean_gain=mean_gain, updates=updates, missed=missed
    )


def _measure(folder: Path, vectors: Path) -> Measured:
    try:
        return measure(folder, served, vectors)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise Failure(f"{folder.name} cannot be measured: {error}") from error


def _updates(arguments: argparse.Namespace, path: Path, vectors: Path) -> Updates:
    updates = read_updates(path)
    _tell(arguments, f"{path.stem}: {len(updates)} updated facts …")
    with served(vectors) as house:
        return Updates(questions=len(updates), above=updates_above(house, updates))


def _tell(arguments: argparse.Namespace, line: str) -> None:
    if not arguments.json:
        print(line, file=sys.stderr, flush=True)


def _line(one: Measured) -> str:
    figures = ", ".join(f"{name} {getattr(one.means, at):.3f}" for at, name in _FIGURES.items())
    return f"{figures} over {one.questions} questions"


def _table(report: SetsReport) -> Iterable[str]:
    rows: list[Sequence[str]] = [
        ("set", "questions", *_FIGURES.values(), "best single", "gain", "ms", "from", "levels")
    ]
    for one in report.sets:
        gain = report.gains.get(one.name)
        rows.append(
            (
                one.name,
                str(one.questions),
                *(
                    f"{getattr(one.means, figure):.3f} ±{getattr(one.margins, figure):.3f}"
                    for figure in _FIGURES
                ),
                "-" if gain is None else f"{BEST_SINGLE[one.name]:.3f}",
                "-" if gain is None else f"{gain:+.3f}",
                f"{one.median_ms:.0f}",
                _counted(one.layers),
                _counted(one.levels),
            )
        )
    yield from columns(rows)
    yield "± is half of a 95 % bootstrap interval; best single: recall@10 (docs/evaluation.md)"
    if report.mean_gain is not None:
        yield (
            f"mean gain in recall@10 {report.mean_gain:+.3f} (at least {LEAST_MEAN_GAIN:+.3f}), "
            f"least {min(report.gains.values()):+.3f} (at least {-WORSE_BY:+.3f})"
        )
    if report.updates is not None:
        above, asked = report.updates.above, report.updates.questions
        yield f"updated facts above those they replaced: {above} of {asked} ({above / asked:.1%})"
    for sentence in report.missed:
        yield f"missed: {sentence}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "-"


def updates_file(folder: Path) -> Path | None:
    """Give the file of updated facts in the folder of named sets, if it is there."""
    path = folder / UPDATES
    return path if path.is_file() else None
