"""F8: a view whose checkpoint is garbled, too old, too new or of another history.

Each view keeps its checkpoint in its own way: a row of SQLite, a row of the Lance table, a field
of the manifest. Garbled, the view is built anew by itself; too old, it applies again what it has
and is the same; ahead of the log or with another event's id, it stops and says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import lancedb
import msgspec
import pytest
from msgspec.structs import replace

from domain.errors import ViewDegraded
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint
from projections.analytics.manifest import commit_manifest, read_manifest
from projections.analytics.view import AnalyticsView
from projections.state.schema import FILE_NAME
from projections.vector.schema import SENTINEL_ID, TABLE
from projections.vector.sentinel import read_sentinel
from projections.vector.view import VectorView
from tests.histories import Historian
from tests.servers import LogServer
from tests.state_tables import assert_state_equals_log
from tests.view_workers import building, digests, live_folder, reach, shows
from workers.gathering import Gathering
from workers.node import view_path
from workers.settings import Settings
from workers.views import VIEW_KINDS

VIEWS = tuple(VIEW_KINDS)
Change = Callable[[Checkpoint], Checkpoint]


@pytest.fixture
def settings(
    log_server: LogServer, log_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    monkeypatch.setattr("workers.views.Gathering", partial(Gathering, longest_s=0.05))
    return Settings(data=tmp_path / "data", redis_url=log_server.url, log=log_name)


def set_state_row(folder: Path, change: Change) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        row = connection.execute("SELECT position, epoch, event_id, chain FROM checkpoint")
        new = change(Checkpoint(*row.fetchone()))
        connection.execute(
            "UPDATE checkpoint SET position = ?, epoch = ?, event_id = ?, chain = ?",
            (new.position, new.epoch, new.event_id, new.chain),
        )


def set_sentinel(folder: Path, content: str) -> None:
    lancedb.connect(folder).open_table(TABLE).update(
        where=f"id = '{SENTINEL_ID}'", values={"content": content}
    )


def set_vector_row(folder: Path, change: Change) -> None:
    sentinel = read_sentinel(lancedb.connect(folder).open_table(TABLE))
    new = replace(sentinel, checkpoint=change(sentinel.checkpoint))
    set_sentinel(folder, msgspec.json.encode(new).decode())


def set_manifest(folder: Path, change: Change) -> None:
    manifest = read_manifest(folder)
    commit_manifest(folder, replace(manifest, checkpoint=change(manifest.checkpoint)))


SET = {"state": set_state_row, "vector": set_vector_row, "analytics": set_manifest}


def garble_state(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.execute("DELETE FROM checkpoint")


def tear_state(folder: Path) -> None:
    file = folder / FILE_NAME
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def garble_sentinel(folder: Path) -> None:
    content = read_sentinel(lancedb.connect(folder).open_table(TABLE))
    set_sentinel(folder, msgspec.json.encode(content).decode()[:-20])


def delete_sentinel(folder: Path) -> None:
    lancedb.connect(folder).open_table(TABLE).delete(f"id = '{SENTINEL_ID}'")


def garble_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_bytes(b"\x00" * 400)


def tear_manifest(folder: Path) -> None:
    file = folder / "manifest.json"
    file.write_bytes(file.read_bytes()[:-30])


GARBLED = {
    "garbled": {
        "state": garble_state,
        "vector": garble_sentinel,
        "analytics": garble_manifest,
    },
    "torn": {"state": tear_state, "vector": delete_sentinel, "analytics": tear_manifest},
}


@pytest.mark.parametrize("how", GARBLED)
def test_f08_a_garbled_checkpoint_is_refused_and_its_view_built_anew_by_itself(
    settings: Settings, log: RedisLog, how: str
) -> None:
    historian = Historian(log, seed=8)
    historian.live_on(20)
    with building(settings):
        reach(settings, historian.position)
    before = digests(settings)
    for view, garble in GARBLED[how].items():
        garble(live_folder(settings, view))
    with pytest.raises(ViewDegraded):
        VectorView(view_path(settings, "vector")).checkpoint()
    with pytest.raises(ViewDegraded):
        AnalyticsView(view_path(settings, "analytics")).checkpoint()
    with building(settings):
        reach(settings, historian.position)
    assert digests(settings) == before
    assert_state_equals_log(view_path(settings, "state"), log.url, log.name)


def test_f08_an_older_checkpoint_replays_and_the_view_is_the_same(
    settings: Settings, log: RedisLog
) -> None:
    historian = Historian(log, seed=9)
    historian.live_on(20)
    with building(settings):
        reach(settings, historian.position)
    older = {view: read_checkpoint(live_folder(settings, view), view) for view in VIEWS}
    historian.live_on(20)
    with building(settings):
        reach(settings, historian.position)
    before = digests(settings)
    for view, checkpoint in older.items():
        SET[view](live_folder(settings, view), lambda _, old=checkpoint: old)
    with building(settings):
        reach(settings, historian.position)
    assert digests(settings) == before
    assert_state_equals_log(view_path(settings, "state"), log.url, log.name)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda known: replace(known, position=known.position + 5), "ends at"),
        (lambda known: replace(known, event_id="another"), "has read 'another'"),
    ],
    ids=["ahead of the log", "another event's id"],
)
def test_f08_a_checkpoint_of_another_history_stops_its_view_with_log_fork(
    settings: Settings, log: RedisLog, wrong: Change, said: str
) -> None:
    historian = Historian(log, seed=10)
    historian.live_on(10)
    with building(settings):
        reach(settings, historian.position)
    for view in VIEWS:
        SET[view](live_folder(settings, view), wrong)
    with building(settings):
        for view in VIEWS:
            status = shows(settings, view, lambda status: status.problem == "log-fork")
            assert status.state == "stopped", view
            assert said in status.reason


def read_checkpoint(folder: Path, view: str) -> Checkpoint:
    """Give the checkpoint as it is stored."""
    found: list[Checkpoint] = []

    def note(known: Checkpoint) -> Checkpoint:
        found.append(known)
        return known

    SET[view](folder, note)
    return found[0]
