"""docs/promises.md names only tests that exist, and hides nothing that is missing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|\n ").split(" | ")]
    for line in (ROOT / "docs" / "promises.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith(("| promise", "| ---"))
]


def test_every_promise_of_the_product_is_listed() -> None:
    assert len(ROWS) == 11


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_a_promise_is_proved_by_tests_that_exist_or_says_not_yet(row: list[str]) -> None:
    promise, proof = row
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", proof)
    assert named or proof.startswith("not yet"), f"{promise}: names no test"
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text())
        functions = {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        assert name in functions, f"{promise}: {path} has no {name}"
