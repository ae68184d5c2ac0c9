"""F20: a slow reader holds trimming back, for a while; then it goes on from the archive."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.errors import Fenced
from eventlog.archive.archiver import LEASE
from eventlog.lease import Lease
from eventlog.outcomes import LogFork, LogGap
from eventlog.readers import Readers
from eventlog.subscription import Checkpoint as From
from eventlog.subscription import Subscription
from tests.eventlog.archived import NOW, SMALL, ArchivedLog
from tests.servers import LogServer

HOLDING = replace(SMALL, hold_events=60, hold_s=3600.0)


@pytest.fixture
def archived(log_server: LogServer, log_name: str, tmp_path: Path) -> Iterator[ArchivedLog]:
    written = ArchivedLog(log_server.url, log_name, tmp_path, rules=HOLDING)
    with written.log:
        written.write(45)
        yield written


def reported_at(archived: ArchivedLog, position: int, name: str = "n/slow") -> Subscription:
    """A reader that has come to a position, and has said so."""
    log = archived.log
    reader = Subscription(log.url, log.name, From(), archived.archive)
    while reader.checkpoint.position < position:
        reader.read(limit=position - reader.checkpoint.position)
    Readers(log).report(name, reader.checkpoint, archived.now)
    return reader


def test_f20_trimming_stops_at_the_slowest_reader_and_names_it(archived: ArchivedLog) -> None:
    with reported_at(archived, 25), reported_at(archived, 45, "n/quick"):
        archiver = archived.archiver()
        archiver.archive_due()
        plan = archiver.trim()
        assert (plan.floor, plan.held_by, plan.left_behind) == (21, ("n/slow",), ())
        assert archived.log.floor() == 21


def test_f20_a_reader_too_far_behind_is_left_to_the_archive_and_reads_the_same(
    archived: ArchivedLog,
) -> None:
    before = archived.everything()
    with reported_at(archived, 5) as slow:
        archiver = archived.archiver()
        archiver.archive_due()
        assert archiver.trim().held_by == ("n/slow",)
        assert archived.log.floor() == 1
        archived.write(20)
        archiver.archive_due()
        plan = archiver.trim()
        assert (plan.held_by, plan.left_behind) == ((), ("n/slow",))
        assert plan.floor == archived.log.floor() == 61
        everything = archived.everything()
        assert everything[:45] == before
        read = []
        while page := slow.read(limit=8, wait_s=0):
            read += page
        assert read == everything[5:]

        # Having caught up, it is one like all others.
        Readers(archived.log).report("n/slow", slow.checkpoint, archived.now)
        assert archiver.trim().left_behind == ()


def test_f20_without_the_archive_a_reader_left_behind_stops(archived: ArchivedLog) -> None:
    log = archived.log
    with Subscription(log.url, log.name, From()) as slow:
        slow.read(limit=5)
        archiver = archived.archiver()
        archiver.archive_due()
        archiver.trim()
        for _ in range(2):
            with pytest.raises(LogGap):
                slow.read()
        assert slow.checkpoint.position == 5


def test_a_reader_that_nobody_has_seen_for_long_holds_nothing_back(archived: ArchivedLog) -> None:
    with reported_at(archived, 5):
        archiver = archived.archiver()
        archiver.archive_due()
        archived.now = NOW + timedelta(seconds=3601)
        assert archiver.trim().left_behind == ("n/slow",)
        assert archived.log.floor() == 41


def test_a_forgotten_reader_holds_nothing_back(archived: ArchivedLog) -> None:
    with reported_at(archived, 5):
        Readers(archived.log).forget("n/slow")
        archiver = archived.archiver()
        archiver.archive_due()
        assert archiver.trim().floor == 41


def test_of_two_archivers_only_the_holder_of_the_lease_acts(archived: ArchivedLog) -> None:
    first, second = archived.archiver("one"), archived.archiver("two")
    first.archive_due()
    for act in (second.archive_due, second.archive_all, second.trim):
        with pytest.raises(Fenced, match="one archives"):
            act()
    Lease(archived.log, LEASE, "one", 60).release()
    assert second.trim().floor == 41
    with pytest.raises(Fenced, match="two archives"):
        first.trim()


def test_an_archiver_that_slept_past_its_lease_can_neither_announce_nor_trim(
    archived: ArchivedLog,
) -> None:
    """Its token is an old one: the log's own scripts refuse it."""
    from eventlog.archive.trimming import trim_log

    log = archived.log
    old = Lease(log, LEASE, "one", 60).take().fence
    assert old is not None
    log.call("DEL", log.keys.lease(LEASE))  # as its end does
    new = Lease(log, LEASE, "two", 60).take().fence
    assert new is not None
    assert new.token > old.token
    with pytest.raises(Fenced):
        trim_log(log, old, 11, "ab" * 32)
    assert log.floor() == 1
    assert len(archived.everything()) == 45


def test_a_second_archive_of_one_log_is_refused(archived: ArchivedLog, tmp_path: Path) -> None:
    archived.archiver().archive_all()
    other = ArchivedLog(archived.log.url, archived.log.name, tmp_path / "other")
    with other.log, pytest.raises(LogFork, match="another archive"):
        other.archiver("one").archive_due()
