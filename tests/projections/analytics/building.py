"""The analytics view over a real log, and what the raw log says that it must hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Subscription
from projections.analytics.opening import OpenOrShowRaw
from projections.analytics.projector import AnalyticsProjector
from projections.generation import ViewDirectory
from tests.oracle import read_log

TAIL_ROWS = 40
BATCH = 25


def real_clock() -> datetime:
    return datetime.now(UTC)


def follow(
    log: RedisLog,
    view_path: Path,
    *,
    clock: Callable[[], datetime] = real_clock,
    tail_rows: int = TAIL_ROWS,
    compact: bool = True,
) -> None:
    """Bring the view to the log's end as a worker does, in small batches."""
    directory = ViewDirectory(view_path)
    projector = AnalyticsProjector(directory.live, clock, tail_rows=tail_rows)
    opener = OpenOrShowRaw(Codec(KeyRing(log.subject_keys)))
    with Subscription(log.url, log.name, projector.checkpoint()) as source:
        while entries := source.read(BATCH):
            projector.apply(opener.open_batch(entries), source.checkpoint_at(entries[-1]))
            if compact:
                projector.compact()
    projector.close()
    directory.close()


def opened_by_anyone(view_path: Path) -> duckdb.DuckDBPyConnection:
    """Open the view as the documentation tells people to, with a DuckDB of their own."""
    folder = view_path / (view_path / "CURRENT").read_text().strip()
    connection = duckdb.connect()
    connection.execute(f"SET VARIABLE folder = '{folder}'")
    connection.execute((folder / "views.sql").read_text())
    return connection


def shown(view_path: Path) -> list[dict[str, Any]]:
    """Give every event that the view shows, in the order of positions, as the oracle has it."""
    with opened_by_anyone(view_path) as connection:
        rows = connection.execute(
            'SELECT "position", event_id, aggregate_type, aggregate_id, "version", "type", '
            "epoch_us(occurred_at), command_id, actor, body::VARCHAR FROM events "
            'ORDER BY "position"'
        ).fetchall()
    names = ("position", "event_id", "kind", "id", "version", "type", "at", "command_id")
    names += ("actor", "body")
    return [
        {
            **dict(zip(names, row, strict=True)),
            "body": None if row[9] is None else json.loads(row[9]),
        }
        for row in rows
    ]


def in_the_log(url: str, name: str) -> list[dict[str, Any]]:
    """Give the same from the raw log, read and opened by other code."""
    facts = read_log(url, name)
    for fact in facts:
        if fact["body"] is not None:
            fact["body"].pop("_subject", None)
    return facts


def live_paths(view_path: Path) -> set[str]:
    """Give the data files that lie in the live generation's folder, relative to it."""
    folder = view_path / (view_path / "CURRENT").read_text().strip()
    return {
        file.relative_to(folder).as_posix()
        for part in ("tail", "events")
        for file in (folder / part).rglob("*")
        if file.is_file()
    }
