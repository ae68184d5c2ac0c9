"""The state view is what the log says, however the log reached it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.events import EVENT_TYPES
from eventlog.redis_log import RedisLog
from projections.state.projector import HANDLERS, NOT_SHOWN
from projections.state.view import StateView
from tests.histories import START, Historian
from tests.oracle import fold_state, read_log
from tests.projections.running import catch_up
from tests.state_tables import assert_state_equals_log, tables_of


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_the_view_equals_an_independent_fold_of_the_log(
    log: RedisLog, view_path: Path, seed: int
) -> None:
    historian = Historian(log, seed)
    for _ in range(4):
        historian.live_on(90)
        historian.evaluate()
        historian.erase_some()
        catch_up(log, view_path, historian.position)
    assert_state_equals_log(view_path, log.url, log.name)
    tables = tables_of(view_path)
    assert all(tables.values()), [name for name, rows in tables.items() if not rows]


def test_rows_read_by_id_hold_exactly_what_the_log_says(log: RedisLog, view_path: Path) -> None:
    historian = Historian(log, seed=9)
    historian.live_on(200)
    catch_up(log, view_path, historian.position)
    tables = fold_state(read_log(log.url, log.name))
    view = StateView(view_path)
    for table, read in (("memories", view.memories), ("episodes", view.episodes)):
        rows = read(tables[table], now=START)  # before anything expires
        assert rows.keys() == tables[table].keys()
        for name, row in rows.items():
            expected = dict(tables[table][name])
            expected["references"] = expected.get("refers_to")
            expected["observed_in"] = [
                seen["episode_id"]
                for seen in tables["observations"].values()
                if seen["memory_id"] == name
            ]
            expected["reinforcements"] = {
                seen["memory_id"]: seen["position"]
                for seen in tables["observations"].values()
                if seen["episode_id"] == name
            }
            if table == "memories":
                present = tables["versions"][name, expected["version"]]
                expected["told_by"] = present["updated_by"]
                counted = tables["recall_counts"].get(name, {})
                expected["recall_count"] = counted.get("recalls", 0)
                expected["last_recalled_at"] = counted.get("last_recalled_at")
                settled = tables["settling"].get(name, {})
                expected["settled_at"] = settled.get("settled_at")
                expected["verifications"] = sum(
                    seen["memory_id"] == name and not seen["faint"]
                    for seen in tables["verifications"].values()
                )
            found = {field: plain(getattr(row, field)) for field in row.__struct_fields__}
            assert found == {field: expected[field] for field in found}
    for memory_id in tables["memories"]:
        for version in view.versions(memory_id):
            expected = tables["versions"][memory_id, version.version]
            assert {f: plain(getattr(version, f)) for f in version.__struct_fields__} == expected
    for agent in view.agents():
        expected = tables["agents"][agent.agent_id] | {
            "granted": {name for holder, name in tables["grants"] if holder == agent.agent_id}
        }
        found = {field: plain(getattr(agent, field)) for field in agent.__struct_fields__}
        assert found == {field: expected[field] for field in found}
    view.close()


def plain(value: Any) -> Any:
    """Give a row's value as the tables hold it."""
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return set(value) if isinstance(value, frozenset) else msgspec.to_builtins(value)


def test_every_event_type_is_shown_or_named_as_not_shown() -> None:
    assert set(EVENT_TYPES.values()) == HANDLERS.keys() | NOT_SHOWN
    assert not HANDLERS.keys() & NOT_SHOWN
