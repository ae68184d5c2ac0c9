"""How often an updated fact stands above the one it replaced.

``conflicts_dev/mquake_en.jsonl`` pairs facts with what they became and a question for both.
All old facts are remembered, then all new ones, in one namespace: nobody says which replaces which.
The new one counts as above where it is among the first ten and the old one is not before it.
``python -m bench fact_updates`` asks over HTTP; it needs MEMORYWEAVE_EVAL_DATA.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from bench.ratio import Ratio
from bench.recall_quality import DATA, House, cache_from_environment
from bench.served import served
from memoryweave.contract import Commit, Recall

FLOOR: Final = 0.95
_NAMESPACE: Final = "updates"
_TOP: Final = 10


class Update(Struct, frozen=True):
    """A fact and what it became; pairs of another ``label`` have no question."""

    old: str
    new: str
    label: str
    question: str = ""


def main() -> list[Ratio]:
    """Ask every question over HTTP."""
    path = Path(os.environ.get(DATA, "")) / "conflicts_dev" / "mquake_en.jsonl"
    if DATA not in os.environ or not path.is_file():
        print(f"skip  fact_updates: {DATA} is not set, or has no conflicts_dev")
        return []
    updates = read_updates(path)
    with served(cache_from_environment()) as house:
        store(house, updates)
        above = sum(is_above(house, update) for update in updates)
    return [
        Ratio(
            "updated facts above those they replaced",
            above / len(updates),
            floor=FLOOR,
            detail=f"{above} of {len(updates)}",
        )
    ]


def read_updates(path: Path) -> list[Update]:
    """Read the pairs that are updates."""
    with path.open("rb") as file:
        pairs = [msgspec.json.decode(line, type=Update) for line in file]
    return [pair for pair in pairs if pair.label == "update"]


def store(house: House, updates: list[Update]) -> None:
    """Remember the old facts, then the new ones."""
    for texts in ([one.old for one in updates], [one.new for one in updates]):
        house.store([Commit(content=text, namespace=_NAMESPACE, distill=False) for text in texts])


def is_above(house: House, update: Update) -> bool:
    """Tell whether the new fact is found, and not behind the old one."""
    answer = house.recall(Recall(query=update.question, namespaces=[_NAMESPACE], top_k=_TOP))
    found = [result.content for result in answer.results]
    if update.new not in found:
        return False
    return update.old not in found or found.index(update.new) < found.index(update.old)


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
