"""What each stage of recall's order is worth, on every public set.

    python -m bench.recall_ablation [set …]

stores a set as `recall_quality` does, in this process, and asks every question with all stages and
with one switched off in turn. Prints the means, and of the differences the 95 % intervals of a
paired bootstrap over questions (2,000 draws). Needs MEMORYWEAVE_EVAL_DATA; vectors are kept in the
directory that MEMORYWEAVE_BENCH_CACHE names.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from bench.in_process import in_process
from bench.recall_quality import DATA, cache_from_environment
from domain.policies.retrieval import measures
from queries.evaluation import covered_by
from queries.stages import EVERY_STAGE, NO_STAGE, Stages
from workers.evaluation.baselines import BEST_SINGLE
from workers.evaluation.sets import read_lines, read_questions, replayed, request

WHOLE: Final = "whole"
VARIANTS: Final[dict[str, Stages]] = {
    WHOLE: EVERY_STAGE,
    "without windows": Stages(word_window=False, meaning_window=False),
    **{
        f"without {name}": structs.replace(EVERY_STAGE, **{name: False})
        for name in Stages.__struct_fields__
    },
    "without everything": NO_STAGE,
}
_DRAWS: Final = 2000
_COLUMNS: Final = ("R@5", "R@10", "MRR", "nDCG@10")
_MEASURES: Final = ("recall_at_5", "recall_at_10", "reciprocal_rank", "ndcg_at_10")

Floats = NDArray[np.float64]


def ablation(folder: Path) -> dict[str, Floats]:
    """Give the measures of every question under every variant: float64[questions, 4]."""
    found: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    with in_process(cache_from_environment()) as house:
        embed = lru_cache(maxsize=1)(house.embedder.embed_query)
        house.embedder.embed_query = embed  # type: ignore[method-assign]  # once a question
        for question in replayed(read_lines(folder), read_questions(folder), house.store):
            for name, stages in VARIANTS.items():
                answer = house.recall(request(question), stages)
                ranking = [covered_by(item) for item in answer.results]
                got = measures(ranking, question.evidence)
                found[name].append(tuple(getattr(got, column) for column in _MEASURES))
    return {name: np.array(rows) for name, rows in found.items()}


def interval(differences: Floats) -> tuple[float, float, float]:
    """Give a mean and its 95 % bootstrap interval."""
    chance = np.random.default_rng(7)
    drawn = differences[chance.integers(0, len(differences), (_DRAWS, len(differences)))]
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(differences.mean()), float(low), float(high)


def show(name: str, found: dict[str, Floats]) -> None:
    """Print a set's table."""
    whole = found[WHOLE]
    print(f"\n{name}: {len(whole)} questions\n{'':36}{'  '.join(_COLUMNS)}   recall@10 lost")
    for variant, rows in found.items():
        means = "  ".join(f"{value:.3f}" for value in rows.mean(axis=0))
        lost, low, high = interval(whole[:, 1] - rows[:, 1])
        print(f"{variant:36}{means}   {lost:+.3f} [{low:+.3f}, {high:+.3f}]", flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or BEST_SINGLE:
        show(chosen, ablation(Path(os.environ[DATA]) / chosen))
