"""Whether a distilled memory is one at once, or waits for the owner's word.

The owner chooses by namespace (spec: lifecycle.md, "Distillation"; docs/distillation.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Settle = Literal["auto", "confirm"]

ANY_NAMESPACE: Final = "*"
"""Stands for every namespace that has no word of its own; no namespace is called so."""

UNLESS_TOLD: Final[Settle] = "auto"


def settle_of(namespace: str, chosen: Mapping[str, Settle]) -> Settle:
    """Give how what is distilled in ``namespace`` settles: its own word, else that of ``*``."""
    return chosen.get(namespace) or chosen.get(ANY_NAMESPACE, UNLESS_TOLD)
