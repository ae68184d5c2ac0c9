"""How answers are shown: for people, or as JSON for machines (`--json`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec


def show(arguments: argparse.Namespace, answer: Any, human: Callable[[Any], Iterable[str]]) -> None:
    """Print one answer: a JSON document with ``--json``, else the lines that ``human`` makes."""
    if arguments.json:
        print_json(answer)
        return
    for line in human(answer):
        print(line)


def print_json(answer: Any) -> None:
    """Print one JSON document on one line."""
    sys.stdout.write(msgspec.json.encode(answer, enc_hook=_plain).decode() + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} has no place in a JSON document")


def columns(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lay out rows in aligned columns; None is shown as ``-``."""
    cells = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
