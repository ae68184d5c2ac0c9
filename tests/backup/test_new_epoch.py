"""A log taken as it is: what of the archive goes on to count, and what is set aside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eventlog.archive.manifest import read_manifest
from eventlog.lineage import Branch, EpochChanged, begin_epoch, comes_from, read_lineage
from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from eventlog.verification import verify_log
from tests.backup.homes import Home
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer
from workers.archive import open_archive, seen_links
from workers.new_epoch import begin_new_epoch


@pytest.fixture
def home(log_server: LogServer, log_name: str, tmp_path: Path) -> Home:
    """A node whose archive has three segments of 20 events; nothing is trimmed."""
    home = Home(tmp_path / "data", log_server.url, log_name, MEMORYWEAVE_ARCHIVE_HOT_WINDOW="1000")
    home.live_on(50, seed=8)
    home.archive_and_trim()
    return home


def lose_after(home: Home, log_server: LogServer, position: int) -> None:
    """Take the newest events off the log, as a replica lacks them that was promoted."""
    with home.log() as log, log_server.client() as client:
        kept = client.xrange(log.keys.stream, max=f"{position}-0")
        gone = client.xrange(log.keys.stream, min=f"({position}-0")
        client.delete(log.keys.stream)
        for entry_id, fields in kept:
            client.xadd(log.keys.stream, fields, id=entry_id)
        for entry_id, fields in gone:
            client.zrem(log.keys.aggregate(fields[b"a"].decode()), int(entry_id.split(b"-")[0]))
            client.hdel(log.keys.commands(fields[b"c"].decode()), fields[b"c"])


def test_segments_of_the_lost_history_are_set_aside_and_archiving_goes_on(
    home: Home, log_server: LogServer
) -> None:
    place = open_archive(home.untouched).place
    before = read_manifest(place)
    assert before is not None
    lose_after(home, log_server, 45)
    with pytest.raises(LogFork):
        home.archive_and_trim()
    dropped = [segment for segment in before.segments if segment.last > 45]
    contents = {segment.file_name: place.read(segment.file_name) for segment in dropped}

    begun = begin_new_epoch(home.settings, os.urandom)
    assert (begun.position, begun.archived, begun.parent) == (45, 40, before.epoch)
    aside = place.within(begun.set_aside)
    assert {name: aside.read(name) for name in contents} == contents
    assert read_manifest(aside) == before

    home.sent.clear()  # what these commands made may be among what was lost
    home.live_on(40, seed=9)
    home.archive_and_trim()
    with home.log() as log:
        verified = verify_log(log, open_archive(home.untouched), seen_links(home.untouched))
        assert verified.position == log.head().position
        manifest = read_manifest(place)
        assert manifest is not None
        assert manifest.last > 60
        assert manifest.epoch == log.head().epoch == begun.epoch


def test_a_trimmed_log_whose_archive_is_anothers_is_not_taken(
    log_server: LogServer, log_name: str, tmp_path: Path
) -> None:
    home = Home(tmp_path / "data", log_server.url, log_name)
    home.live_on(45, seed=10)
    assert home.archive_and_trim() > 20
    (home.data / "archive" / "manifest.json").unlink()
    with home.log() as log:
        before = log.head()
    with pytest.raises(LogFork, match="restore a backup"):
        begin_new_epoch(home.settings, os.urandom)
    with home.log() as log:
        assert log.head() == before
        assert read_lineage(log) == ()


def test_of_two_who_begin_an_epoch_one_is_told_that_the_other_did(log: RedisLog) -> None:
    log.append([an_entry("a", 1)], **new_command())
    first = log.head().epoch
    begin_epoch(log, [Branch(epoch="b", parent=first, position=1)], first)
    begin_epoch(log, [Branch(epoch="b", parent=first, position=1)], first)  # sent twice
    with pytest.raises(EpochChanged, match="has epoch b"):
        begin_epoch(log, [Branch(epoch="c", parent=first, position=1)], first)
    lineage = read_lineage(log)
    assert comes_from(lineage, "b", first)
    assert not comes_from(lineage, first, "b")
    longer = (*lineage, Branch(epoch="d", parent="b", position=7))
    assert comes_from(longer, "d", first)
    assert not comes_from(longer, "d", "another")


def test_a_lineage_that_leads_round_ends() -> None:
    round_ = [Branch(epoch="a", parent="b", position=1), Branch(epoch="b", parent="a", position=1)]
    assert comes_from(round_, "a", "b")
    assert not comes_from(round_, "a", "c")
