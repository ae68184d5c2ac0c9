"""How well recall finds the evidence for questions over public conversations.

    python -m bench.recall_quality [--in-process] [set …]

measures ``<MEMORYWEAVE_EVAL_DATA>/<set>`` (default: every set of `BEST_SINGLE` that is there) as
`make eval` does, over HTTP from a node with default settings. With ``--in-process`` the same house
is driven without HTTP and other processes, which is quicker. Vectors are kept between runs in the
directory named by MEMORYWEAVE_BENCH_CACHE, else nowhere. Gives recall@5, recall@10 with its
bootstrap margin, MRR and nDCG@10; ``python -m bench recall_quality`` holds recall@10 to the best
single method of each set.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.ratio import Ratio
from workers.evaluation.baselines import BEST_SINGLE, LEAST_MEAN_GAIN, recall_at_10_floor
from workers.evaluation.measuring import Measured, OpenHouse, measure
from workers.evaluation.own_node import served

DATA: Final = "MEMORYWEAVE_EVAL_DATA"
CACHE: Final = "MEMORYWEAVE_BENCH_CACHE"


def main() -> list[Ratio]:
    """Measure over HTTP every set that is there."""
    folder = os.environ.get(DATA)
    if not folder:
        print(f"skip  recall_quality: {DATA} is not set")
        return []
    present = [name for name in BEST_SINGLE if (Path(folder) / name).is_dir()]
    for name in BEST_SINGLE.keys() - set(present):
        print(f"skip  recall_quality: {name} is not in {DATA}")
    reports = [measure(Path(folder) / name, served, cache_from_environment()) for name in present]
    ratios = [
        Ratio(
            f"recall@10 on {report.name}",
            report.means.recall_at_10,
            floor=recall_at_10_floor(report.name),
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


def describe(report: Measured) -> str:
    """Give a report in one line."""
    means = report.means
    against = ""
    if report.name in BEST_SINGLE:
        gain = means.recall_at_10 - BEST_SINGLE[report.name]
        against = f", {gain:+.3f} against the best single method's recall@10"
    levels = ", ".join(f"{count} {level}" for level, count in sorted(report.levels.items()))
    return (
        f"recall@5 {means.recall_at_5:.3f}, recall@10 {means.recall_at_10:.3f} "
        f"± {report.margins.recall_at_10:.3f}, MRR {means.reciprocal_rank:.3f}, nDCG@10 "
        f"{means.ndcg_at_10:.3f}{against}, {report.questions} questions of "
        f"{report.median_ms:.0f} ms ({levels})"
    )


def cache_from_environment() -> Path | None:
    """Give the directory in which vectors are kept between runs, if one is named."""
    return Path(os.environ[CACHE]) if os.environ.get(CACHE) else None


def _measure_chosen(arguments: Sequence[str]) -> None:
    open_house: OpenHouse = served
    if "--in-process" in arguments:
        # Only here: its storage library warns when a process that has loaded it starts others.
        from bench.in_process import in_process

        open_house = in_process
    chosen = [name for name in arguments if name != "--in-process"]
    for name in chosen or BEST_SINGLE:
        report = measure(Path(os.environ[DATA]) / name, open_house, cache_from_environment())
        print(f"{name}: {describe(report)}", flush=True)


if __name__ == "__main__":
    _measure_chosen(sys.argv[1:])
