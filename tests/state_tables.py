"""A state view's tables as dicts, for comparison with `tests.oracle.fold_state`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from tests.oracle import Fact, Tables, fold_state, read_log

KEYS = {
    "episodes": ("id",),
    "memories": ("id",),
    "versions": ("memory_id", "version"),
    "votes": ("position",),
    "observations": ("position",),
    "memory_tags": ("memory_id", "tag"),
    "agents": ("agent_id",),
    "grants": ("agent_id", "namespace"),
    "enrolment_tokens": ("token_hash",),
    "namespaces": ("namespace",),
    "sessions": ("namespace", "session_id"),
    "removed": ("id",),
    "memory_history": ("id", "from_position"),
    "episode_history": ("id", "from_position"),
    "moments": ("position",),
    "erasures": ("id",),
    "golden_sets": ("set",),
    "golden_questions": ("set", "number"),
    "evaluations": ("position",),
    "served": ("position",),
    "recall_counts": ("memory_id",),
    "settling": ("memory_id",),
    "verifications": ("position",),
    "tag_levels": ("memory_id", "tag"),
}
BOOKKEEPING = {"meta", "checkpoint", "parked"}
JSON = {
    "tags", "metadata", "memory_ids", "reinforced_ids", "derived_from", "depends_on", "refers_to",
    "entities", "relations", "quota", "may_claim", "expected_ids", "figures",
}  # fmt: skip


def tables_of(view: Path) -> Tables:
    """Read every table of the live generation in ``views/state``."""
    generation = (view / "CURRENT").read_text().strip()
    connection = sqlite3.connect(f"file:{view / generation / 'state.sqlite'}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    try:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        assert {row[0] for row in names} == KEYS.keys() | BOOKKEEPING
        return {name: _table(connection, name, key) for name, key in KEYS.items()}
    finally:
        connection.close()


def parked_positions(view: Path) -> frozenset[int]:
    """Give the positions that the view has set aside."""
    generation = (view / "CURRENT").read_text().strip()
    connection = sqlite3.connect(f"file:{view / generation / 'state.sqlite'}?mode=ro", uri=True)
    try:
        return frozenset(row[0] for row in connection.execute("SELECT position FROM parked"))
    finally:
        connection.close()


def assert_state_equals_log(view: Path, url: str, log_name: str = "main") -> None:
    """Fail with the first rows that differ unless the view is what the log says."""
    assert_state_is(view, read_log(url, log_name))


def assert_state_is(view: Path, facts: Iterable[Fact]) -> None:
    """Fail with the first rows that differ unless the view is what the facts say."""
    expected = fold_state(facts, parked_positions(view))
    found = tables_of(view)
    for name, rows in expected.items():
        assert found[name].keys() == rows.keys(), f"rows of {name}"
        for key, row in rows.items():
            assert found[name][key] == row, f"{name} {key}"


def _table(connection: sqlite3.Connection, name: str, key: tuple[str, ...]) -> dict:
    rows = {}
    for row in connection.execute(f"SELECT * FROM {name}"):
        values = {
            column: json.loads(row[column]) if column in JSON else row[column]
            for column in row.keys()  # noqa: SIM118  # a sqlite3.Row iterates over its values
        }
        rows[values[key[0]] if len(key) == 1 else tuple(values[part] for part in key)] = values
    return rows
