"""The analytics view holds exactly what the log holds, whatever happens to its files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from eventlog.subscription import Checkpoint, Subscription
from projections.analytics.compaction import LARGEST, SMALL, next_merge
from projections.analytics.filter import EventFilter
from projections.analytics.manifest import DataFile, read_manifest
from projections.analytics.opening import OpenOrShowRaw
from projections.analytics.projector import KEEP_RETIRED_S, AnalyticsProjector
from projections.analytics.view import AnalyticsView
from projections.generation import ViewDirectory
from projections.projector import ViewFenced
from tests.histories import START, Historian
from tests.projections.analytics.building import (
    BATCH,
    follow,
    in_the_log,
    live_paths,
    opened_by_anyone,
    real_clock,
    shown,
)
from tests.projections.test_f16_undecodable import add_by_hand
from tests.servers import LogServer


@pytest.fixture
def view_path(tmp_path: Path) -> Path:
    return tmp_path / "views" / "analytics"


@pytest.mark.parametrize("tail_rows", [1, 40, 10_000])
def test_the_view_equals_a_reading_of_the_raw_log(
    log: RedisLog, view_path: Path, historian: Historian, tail_rows: int
) -> None:
    historian.live_on(60)
    follow(log, view_path, tail_rows=tail_rows)
    historian.live_on(30)
    follow(log, view_path, tail_rows=tail_rows)
    assert shown(view_path) == in_the_log(log.url, log.name)
    assert AnalyticsView(view_path).checkpoint().position == historian.position


def test_each_days_file_holds_that_days_events_only(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(60)
    follow(log, view_path, tail_rows=1)
    with opened_by_anyone(view_path) as connection:
        rows = connection.execute(
            "SELECT DISTINCT f.filename, CAST(f.occurred_at AS DATE)::VARCHAR "
            "FROM read_parquet(getvariable('files'), filename = true) f"
        ).fetchall()
    assert rows
    for path, day in rows:
        assert f"/events/day={day}/" in path, path


def test_batches_delivered_again_change_nothing(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(60)
    directory = ViewDirectory(view_path)
    projector = AnalyticsProjector(directory.live, real_clock, tail_rows=40)
    opener = OpenOrShowRaw(Codec(KeyRing(log.subject_keys)))
    batches = []
    with Subscription(log.url, log.name, Checkpoint()) as source:
        while entries := source.read(BATCH):
            batches.append((opener.open_batch(entries), source.checkpoint_at(entries[-1])))
    for number, (events, checkpoint) in enumerate(batches):
        projector.apply(events, checkpoint)
        again = batches[max(0, number - 1)][0] + events
        projector.apply(again, checkpoint)
    directory.close()
    assert shown(view_path) == in_the_log(log.url, log.name)


def test_merging_files_changes_no_row_and_leaves_one_file_a_day(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(100)
    follow(log, view_path, tail_rows=1, compact=False)
    view = AnalyticsView(view_path)
    before = view.digest()
    many = len(view.live().manifest.files)
    directory = ViewDirectory(view_path)
    projector = AnalyticsProjector(directory.live, real_clock)
    while projector.compact():
        assert view.checkpoint().position == before.position
    directory.close()
    files = view.live().manifest.files
    assert len(files) < many
    days = [file.day for file in files[:-1]]
    assert sum(days.count(day) for day in set(days) - {max(days)}) == len(set(days)) - 1
    assert view.digest() == before
    assert shown(view_path) == in_the_log(log.url, log.name)


@pytest.mark.parametrize("rows", [1, 500, SMALL, LARGEST // 2, LARGEST])
def test_files_grow_to_a_size_and_are_then_left_alone(rows: int) -> None:
    files = [_file(number, rows) for number in range(200)]
    written = 0
    while (merge := next_merge(files)) is not None:
        total = sum(file.rows for file in merge.files)
        assert total <= LARGEST
        assert len(merge.files) >= 2
        written += total
        gone = {file.path for file in merge.files}
        files = [_file(1000 + written, total), *(f for f in files if f.path not in gone)]
    assert sum(file.rows for file in files) == 200 * rows
    assert written <= 2 * 200 * rows, "a row is written at most twice more"


def _file(number: int, rows: int) -> DataFile:
    return DataFile(
        path=f"{number}",
        day="2026-03-01",
        first=number,
        last=number,
        rows=rows,
        bytes=1,
    )


def test_files_that_no_manifest_names_are_not_read_and_go_at_the_next_start(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.live_on(40)
    follow(log, view_path)
    folder = view_path / "1"
    live = AnalyticsView(view_path).live().manifest.files
    whole = (folder / live[0].path).read_bytes()
    for name in ("events/day=2026-03-01/00009999.parquet", "tail/00009998.parquet"):
        (folder / name).write_bytes(whole)
    (folder / "events/day=2026-03-01/00009997.parquet.partial").write_bytes(whole[:100])
    assert shown(view_path) == in_the_log(log.url, log.name)
    historian.live_on(5)
    follow(log, view_path)
    assert not {name for name in live_paths(view_path) if "999" in name}
    assert shown(view_path) == in_the_log(log.url, log.name)


def test_a_replaced_file_stays_for_its_readers_and_then_goes(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    now = START

    def clock() -> datetime:
        return now

    historian.remember()
    follow(log, view_path, clock=clock)
    tail = AnalyticsView(view_path).live().manifest.files[-1].path
    historian.remember()
    follow(log, view_path, clock=clock)
    assert tail in live_paths(view_path)
    now += timedelta(seconds=KEEP_RETIRED_S + 1)
    historian.remember()
    follow(log, view_path, clock=clock)
    assert tail not in live_paths(view_path)
    manifest = read_manifest(view_path / "1")
    assert live_paths(view_path) == {f.path for f in [*manifest.files, *manifest.retired]}


@pytest.mark.parametrize(
    "changed",
    [
        {"d": b"\xff\x00 not JSON"},
        {"d": b'{"tier": "enormous"}'},
        {"t": "MemoryCorrected", "d": b'{"content": "bm90IHNlYWxlZA=="}'},
        {"s": "one"},
        {"n": str(1 << 80)},
        {"o": str(1 << 62)},
        {"extra": "field"},
        {"t": "MemoryDreamed"},
    ],
    ids=[
        "bytes", "bad value", "broken seal", "bad number", "huge number", "far future", "foreign",
        "newer type",
    ],
)  # fmt: skip
def test_what_cannot_be_opened_is_shown_raw_and_stops_nothing(
    log_server: LogServer,
    log: RedisLog,
    view_path: Path,
    historian: Historian,
    changed: Mapping[str, str | bytes],
) -> None:
    memory = historian.remember("first text")
    bad = add_by_hand(log_server, log, memory, changed)
    last = historian.remember("other text") and historian.position
    follow(log, view_path)
    rows = AnalyticsView(view_path).events(EventFilter(), limit=100)
    assert [row.position for row in rows] == list(range(1, last + 1))
    row = rows[bad - 1]
    assert row.body is None
    assert row.problem
    assert row.raw == (changed.get("d") or b'{"tier": "core"}')


def test_a_view_of_another_schema_is_not_written(
    log: RedisLog, view_path: Path, historian: Historian
) -> None:
    historian.remember()
    follow(log, view_path)
    manifest = view_path / "1" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"schema":1', '"schema":99'))
    with pytest.raises(ViewFenced, match="schema 99"):
        AnalyticsProjector(view_path / "1", real_clock)


@pytest.mark.parametrize("damage", ["missing file", "short file", "garbled manifest"])
def test_a_damaged_view_is_begun_anew_from_the_log(
    log: RedisLog, view_path: Path, historian: Historian, damage: str
) -> None:
    historian.live_on(40)
    follow(log, view_path)
    folder = view_path / "1"
    file = folder / AnalyticsView(view_path).live().manifest.files[0].path
    if damage == "missing file":
        file.unlink()
    elif damage == "short file":
        file.write_bytes(file.read_bytes()[:-5])
    else:
        (folder / "manifest.json").write_bytes(b'{"format": 1, ')
    follow(log, view_path)
    assert shown(view_path) == in_the_log(log.url, log.name)
