"""How often an updated fact stands above the one it replaced.

A file pairs facts with what they became and a question for both. All old facts are remembered,
then all new ones, in one namespace: nobody says which replaces which. The new one counts as above
where it is among the first ten and the old one is not before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from memoryweave.contract import Commit, Recall
from queries.evaluation import DEPTH
from workers.evaluation.measuring import House

UPDATES: Final = Path("conflicts_dev") / "mquake_en.jsonl"
"""Where the public file lies among the sets."""
_NAMESPACE: Final = "updates"


class Update(Struct, frozen=True):
    """A fact and what it became; pairs of another ``label`` have no question."""

    old: str
    new: str
    label: str
    question: str = ""


def updates_above(house: House, updates: Sequence[Update]) -> int:
    """Remember both facts of every pair, ask, and count the new ones that stand above."""
    for texts in ([one.old for one in updates], [one.new for one in updates]):
        house.store([Commit(content=text, namespace=_NAMESPACE, distill=False) for text in texts])
    return sum(_is_above(house, update) for update in updates)


def read_updates(path: Path) -> list[Update]:
    """Read the pairs that are updates."""
    with path.open("rb") as file:
        pairs = [msgspec.json.decode(line, type=Update) for line in file]
    return [pair for pair in pairs if pair.label == "update"]


def _is_above(house: House, update: Update) -> bool:
    """Tell whether the new fact is found, and not behind the old one."""
    answer = house.recall(Recall(query=update.question, namespaces=[_NAMESPACE], top_k=DEPTH))
    found = [result.content for result in answer.results]
    if update.new not in found:
        return False
    return update.old not in found or found.index(update.new) < found.index(update.old)
