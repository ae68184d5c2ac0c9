"""What signals within their bounds can cost, and what they can gain, on the public sets.

    python -m bench.signal_bounds [set …]

The sets hold talk, about whose worth nothing is known. So worth is drawn: every result found gets
votes, an age and a confidence, by chance, or such that what answers has the better ones in seven
of ten cases. Prints recall@10 in the order of relevance, and after `queries.signals.nudge` with
the default bounds, half of them and the double of them; drawn 20 times. Needs
MEMORYWEAVE_EVAL_DATA; vectors are kept in the directory that MEMORYWEAVE_BENCH_CACHE names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct, structs

from bench.in_process import in_process
from bench.recall_quality import DATA, cache_from_environment
from domain.settings import DEFAULT_POLICY, PolicySettings
from queries.evaluation import covered_by
from queries.signals import Signals, bound, nudge
from workers.evaluation.baselines import BEST_SINGLE
from workers.evaluation.sets import read_lines, read_questions, replayed, request

INFORMED: Final = 0.7
_DRAWS: Final = 20
_DEEP: Final = 50
_TOP: Final = 10


class Ranked(Struct, frozen=True):
    """One question's results: scores, whether each answers, and how many answers there are."""

    scores: np.ndarray
    answers: np.ndarray
    evidence: int


def rankings(folder: Path) -> list[Ranked]:
    """Ask every question of a set for 50 results in the order of relevance."""
    found = []
    with in_process(cache_from_environment()) as house:
        for question in replayed(read_lines(folder), read_questions(folder), house.store):
            asked = structs.replace(request(question), top_k=_DEEP, diversity=0.0)
            results = house.recall(asked).results
            answers = [bool(covered_by(one) & question.evidence) for one in results]
            scores = np.array([one.score for one in results])
            found.append(Ranked(scores, np.array(answers, dtype=bool), len(question.evidence)))
    return found


def recall_after(ranked: Iterable[Ranked], policy: PolicySettings, informed: float) -> float:
    """Give the mean recall@10 after nudging. Worth tells answers apart in a share of cases:
    ``informed`` 0.5 is chance."""
    chance = np.random.default_rng(11)
    shares = []
    for one in ranked:
        for _ in range(_DRAWS):
            good = one.answers == (chance.random(len(one.scores)) < informed)
            factors = [nudge(_drawn(worth, chance), policy) for worth in good]
            order = np.argsort(-one.scores * factors, kind="stable")
            shares.append(one.answers[order[:_TOP]].sum() / one.evidence)
    return float(np.mean(shares))


def _drawn(good: bool, chance: np.random.Generator) -> Signals:
    for_, against = chance.integers(0, 10), chance.integers(0, 3)
    return Signals(
        confidence=chance.uniform(1.0, 2.0) if good else chance.uniform(0.3, 1.0),
        importance=chance.uniform(1.0, 2.0) if good else chance.uniform(0.3, 1.0),
        useful=int(for_ if good else against),
        not_useful=int(against if good else for_),
        freshness="verified" if good else "stale",
    )


def _times(factor: float) -> PolicySettings:
    names = [name for name in PolicySettings.__struct_fields__ if name.startswith("nudge_")]
    return structs.replace(
        DEFAULT_POLICY, **{name: factor * getattr(DEFAULT_POLICY, name) for name in names}
    )


if __name__ == "__main__":
    for name in sys.argv[1:] or BEST_SINGLE:
        kept = rankings(Path(os.environ[DATA]) / name)
        alone = recall_after(kept, _times(0.0), 0.5)
        print(f"\n{name}: {len(kept)} questions, recall@10 by relevance alone {alone:.3f}")
        for factor in (0.5, 1.0, 2.0):
            policy = _times(factor)
            lost = recall_after(kept, policy, 0.5) - alone
            gained = recall_after(kept, policy, INFORMED) - alone
            print(
                f"bound {bound(policy):.2f}: by chance {lost:+.3f}, informed {gained:+.3f}",
                flush=True,
            )
