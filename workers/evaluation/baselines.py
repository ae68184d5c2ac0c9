"""What recall has to beat on the public sets, and by how much (docs/evaluation.md)."""

from __future__ import annotations

from typing import Final

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

LEAST_MEAN_GAIN: Final = 0.03
"""Mean gain in recall@10 over `BEST_SINGLE`, when every set of it is measured."""

WORSE_BY: Final = 0.01
"""How far below its best single method no set may fall."""

FLOORS: Final = {
    "locomo_dev": {"recall_at_10": 0.76, "recall_at_5": 0.67, "ndcg_at_10": 0.60},
}
"""Figures that a set has to reach besides."""

UPDATES_FLOOR: Final = 0.95
"""Share of updated facts that stand above those they replaced."""


def recall_at_10_floor(name: str) -> float:
    """Give the least recall@10 of a set; 0 for one that has no baseline."""
    floor = BEST_SINGLE.get(name, WORSE_BY) - WORSE_BY
    return max(floor, FLOORS.get(name, {}).get("recall_at_10", 0.0))
