"""Tables in docs/ that name tests, and whether those exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


def rows_of(page: str, first_cell: str) -> list[list[str]]:
    """Give the cells of the table in ``docs/<page>`` whose heading begins with ``first_cell``."""
    return [
        [cell.strip() for cell in line.strip("|\n ").split(" | ")]
        for line in (ROOT / "docs" / page).read_text().splitlines()
        if line.startswith("| ") and not line.startswith((f"| {first_cell}", "| ---"))
    ]


def assert_proved(claim: str, proof: str) -> None:
    """Fail unless ``proof`` names tests that exist, or says that there are none yet."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", proof)
    assert named or proof.startswith("not yet"), f"{claim}: names no test"
    for path, name in named:
        assert name in _functions(path), f"{claim}: {path} has no {name}"


@cache
def _functions(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )
