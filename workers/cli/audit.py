"""`memoryweave audit`: SQL over the analytics view of this node, under the same checks as the API.

Needs the data directory only: the service may be down.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.errors import MemoryWeaveError
from projections.analytics.question import Answer, Limits, ask
from projections.analytics.view import AnalyticsView
from queries.audit import plain_rows
from workers.cli.arguments import settings_flags
from workers.cli.failure import Failure
from workers.node import view_path
from workers.settings import resolve

_ANSWER_BYTES: Final = 256 << 20
_LONGEST_CELL: Final = 60


def run(arguments: argparse.Namespace) -> None:
    """Answer the statement in the form asked for."""
    if arguments.format == "parquet" and arguments.output is None:
        raise Failure("parquet is not for a terminal: name a file with --output")
    if arguments.limit < 1 or arguments.seconds <= 0:
        raise Failure("--limit and --seconds must be above 0")
    settings = resolve(settings_flags(arguments), os.environ).settings
    limits = Limits(rows=arguments.limit, seconds=arguments.seconds, answer_bytes=_ANSWER_BYTES)
    try:
        answer = ask(AnalyticsView(view_path(settings, "analytics")), arguments.sql, limits)
    except MemoryWeaveError as error:
        raise Failure(str(error)) from error
    _put(answer, arguments.format, arguments.output)
    if answer.truncated:
        print(f"only the first {arguments.limit} rows; see --limit", file=sys.stderr)


def _put(answer: Answer, form: str, output: Path | None) -> None:
    if form == "parquet":
        import pyarrow.parquet

        parquet: Any = pyarrow.parquet  # it has no types
        parquet.write_table(answer.table, output, compression="zstd")
        return
    text = {"table": _table, "csv": _csv, "json": _json}[form](answer)
    if output is None:
        print(text, end="")
    else:
        output.write_text(text)


def _table(answer: Answer) -> str:
    names = answer.table.column_names
    rows = [[_cell(value) for value in row] for row in plain_rows(answer)]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    lines = [names, ["-" * width for width in widths], *rows]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        + "\n"
        for line in lines
    )


def _csv(answer: Answer) -> str:
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(answer.table.column_names)
    rows.writerows([_text(value) for value in row] for row in plain_rows(answer))
    return written.getvalue()


def _json(answer: Answer) -> str:
    """Give one object a line: what every tool reads."""
    names = answer.table.column_names
    return "".join(
        msgspec.json.encode(dict(zip(names, row, strict=True))).decode() + "\n"
        for row in plain_rows(answer)
    )


def _cell(value: Any) -> str:
    # Controls would move the terminal's cursor; the text may be anybody's.
    text = "".join(sign if sign.isprintable() else " " for sign in _text(value))
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return msgspec.json.encode(value).decode().strip('"')
