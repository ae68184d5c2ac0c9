"""A view never passes an event that is not what it was: it stops before it and says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eventlog.archive.archiver import LEASE, Archiver
from eventlog.archive.reader import Archive
from eventlog.archive.rules import ArchiveRules
from eventlog.lease import Lease
from eventlog.links import LinkRecord
from eventlog.redis_log import RedisLog
from projections.state.view import StateView
from tests.histories import Historian
from tests.projections.running import running
from tests.servers import LogServer

SEGMENT = 40


@pytest.fixture
def log(log_server: LogServer, log_name: str, tmp_path: Path) -> Iterator[RedisLog]:
    """At least 100 events, one view built from them, the first 80 archived and trimmed."""
    archive = Archive(tmp_path / "archive")
    with RedisLog(log_server.url, log_name, archive=archive) as log:
        historian = Historian(log, seed=9)
        while historian.position < 100:
            historian.live_on(5)
        with running(log, tmp_path / "first", seen=seen(tmp_path)) as worker:
            worker.reaches(historian.position)
        archiver = Archiver(
            log,
            archive.place,
            Lease(log, LEASE, "one", 60),
            keep_snapshots=lambda _: None,
            clock=lambda: datetime(2026, 3, 1, tzinfo=UTC),
            rules=ArchiveRules(segment_events=SEGMENT, hot_window=15),
        )
        archiver.archive_due()
        assert archiver.trim().floor == 81
        yield log


def seen(folder: Path) -> LinkRecord:
    return LinkRecord(folder / "chain")


def change_the_stream(server: LogServer, log: RedisLog, _folder: Path) -> int:
    with server.client() as client:
        entries = client.xrange(log.keys.stream)
        client.delete(log.keys.stream)
        for entry_id, fields in entries:
            if entry_id == b"90-0":
                fields[b"u"] = b"nobody"
            client.xadd(log.keys.stream, fields, id=entry_id)
    return 90


def delete_from_the_stream(server: LogServer, log: RedisLog, _folder: Path) -> int:
    with server.client() as client:
        client.xdel(log.keys.stream, "95-0")
    return 95


def swap_in_the_stream(server: LogServer, log: RedisLog, _folder: Path) -> int:
    with server.client() as client:
        entries = dict(client.xrange(log.keys.stream))
        entries[b"88-0"], entries[b"91-0"] = entries[b"91-0"], entries[b"88-0"]
        client.delete(log.keys.stream)
        for entry_id, fields in entries.items():
            client.xadd(log.keys.stream, fields, id=entry_id)
    return 88


def flip_in_a_segment(_server: LogServer, _log: RedisLog, folder: Path) -> int:
    segment = sorted((folder / "archive").glob("*.parquet"))[1]
    data = bytearray(segment.read_bytes())
    data[len(data) // 3] ^= 0x10
    segment.write_bytes(data)
    return SEGMENT + 1


def rewrite_the_manifest(_server: LogServer, _log: RedisLog, folder: Path) -> int:
    manifest = folder / "archive" / "manifest.json"
    text = manifest.read_text()
    first, second = text.split('"first": 41')
    manifest.write_text(first + '"first": 41' + second.replace('"chain": "', '"chain": "00', 1))
    return 1


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (change_the_stream, "log-fork"),
        (delete_from_the_stream, "log-gap"),
        (swap_in_the_stream, "log-fork"),
        (flip_in_a_segment, "archive-damaged"),
        (rewrite_the_manifest, "log-fork"),
    ],
)
def test_a_view_built_anew_stops_before_what_was_changed(
    log: RedisLog,
    log_server: LogServer,
    tmp_path: Path,
    damage: Callable[[LogServer, RedisLog, Path], int],
    problem: str,
) -> None:
    position = damage(log_server, log, tmp_path)
    with running(log, tmp_path / "second", seen=seen(tmp_path)) as worker:
        status = worker.shows(lambda status: status.state == "stopped")
    assert status.problem == problem
    assert status.position == (0 if position == 1 else position - 1)


def test_a_view_built_anew_across_the_archive_equals_the_first(
    log: RedisLog, tmp_path: Path
) -> None:
    head = log.head().position
    with running(log, tmp_path / "first", seen=seen(tmp_path)) as worker:
        worker.reaches(head)
    with running(log, tmp_path / "second", seen=seen(tmp_path)) as worker:
        worker.reaches(head)
    first, second = StateView(tmp_path / "first"), StateView(tmp_path / "second")
    assert first.digest() == second.digest()
    assert first.checkpoint() == second.checkpoint()
    assert first.checkpoint().chain
    first.close()
    second.close()
