"""How often an updated fact stands above the one it replaced (`workers.evaluation.updates`).

``python -m bench fact_updates`` asks over HTTP; it needs MEMORYWEAVE_EVAL_DATA.
"""

from __future__ import annotations

import os
from pathlib import Path

from bench.ratio import Ratio
from bench.recall_quality import DATA, cache_from_environment
from workers.evaluation.baselines import UPDATES_FLOOR
from workers.evaluation.own_node import served
from workers.evaluation.updates import UPDATES, read_updates, updates_above


def main() -> list[Ratio]:
    """Ask every question over HTTP."""
    path = Path(os.environ.get(DATA, "")) / UPDATES
    if DATA not in os.environ or not path.is_file():
        print(f"skip  fact_updates: {DATA} is not set, or has no {UPDATES}")
        return []
    updates = read_updates(path)
    with served(cache_from_environment()) as house:
        above = updates_above(house, updates)
    return [
        Ratio(
            "updated facts above those they replaced",
            above / len(updates),
            floor=UPDATES_FLOOR,
            detail=f"{above} of {len(updates)}",
        )
    ]


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
