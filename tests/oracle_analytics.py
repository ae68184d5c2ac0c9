"""What the analytics view must hold: each event of the log once, opened, with what it says.

Compared with the facts that `tests.oracle.read_log` opens by its own code. The view fills in what
an event left out; everything that stands in the event must stand in the view.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb

from tests.oracle import Fact


def event_rows(view: Path) -> list[dict[str, Any]]:
    """Read the live generation's files with a DuckDB of one's own, by position."""
    folder = view / (view / "CURRENT").read_text().strip()
    manifest = json.loads((folder / "manifest.json").read_text())
    files = [str(folder / file["path"]) for file in manifest["files"]]
    with duckdb.connect() as connection:
        found = connection.read_parquet(files).order('"position"')
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def event_differences(rows: Iterable[dict[str, Any]], facts: Iterable[Fact]) -> list[str]:
    """Give where the rows are not what the log says; [] when they are."""
    found = {row["position"]: row for row in rows}
    wrong = []
    for fact in facts:
        row = found.pop(fact["position"], None)
        if row is None:
            wrong.append(f"{fact['position']}: missing")
            continue
        said = {
            "event_id": fact["event_id"],
            "aggregate_type": fact["kind"],
            "aggregate_id": fact["id"],
            "version": fact["version"],
            "type": fact["type"],
            "command_id": fact["command_id"],
        }
        wrong += [f"{fact['position']}: {k}" for k, v in said.items() if row[k] != v]
        body = {k: v for k, v in fact["body"].items() if not k.startswith("_")}
        shown = json.loads(row["body"])
        wrong += [f"{fact['position']}: body.{k}" for k, v in body.items() if shown.get(k) != v]
    return wrong + [f"{position}: not in the log" for position in found]
