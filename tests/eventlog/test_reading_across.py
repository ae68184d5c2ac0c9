"""Whoever reads does not notice where the log ends and its archive begins."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventlog.chain import BEGINNING, links
from eventlog.entry import RawEntry
from eventlog.outcomes import LogGap
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.archive_places import PLACES
from tests.eventlog.archived import ArchivedLog
from tests.servers import LogServer

_names = itertools.count(1)


@pytest.fixture(params=PLACES)
def archived(
    request: pytest.FixtureRequest, log_server: LogServer, log_name: str, tmp_path: Path
) -> Iterator[ArchivedLog]:
    """45 events. `before_and_after` archives 40 of them and trims the same."""
    written = ArchivedLog(log_server.url, log_name, PLACES[request.param](tmp_path))
    written.write(45)
    with written.log:
        yield written


def before_and_after(archived: ArchivedLog) -> tuple[list[RawEntry], list[RawEntry]]:
    before = archived.everything()
    archiver = archived.archiver()
    archiver.archive_due()
    archiver.trim()
    return before, archived.everything()


def test_what_was_archived_is_read_as_it_was_stored(archived: ArchivedLog) -> None:
    before, after = before_and_after(archived)
    assert archived.log.floor() == 41
    assert after[: len(before)] == before
    assert [e.type for e in after[len(before) :]] == ["SegmentArchived"] * 4


def test_a_subscription_reads_across_and_its_chain_is_that_of_the_whole_log(
    archived: ArchivedLog,
) -> None:
    _, everything = before_and_after(archived)
    chains = [chain.hex() for chain in links(BEGINNING, everything)]
    log = archived.log
    for begin in (0, 1, 9, 10, 25, 39, 40, 41, 44):
        known = everything[begin - 1].event_id if begin else ""
        checkpoint = Checkpoint(begin, log.head().epoch, known, chains[begin - 1] if begin else "")
        with Subscription(log.url, log.name, checkpoint, archived.archive) as subscription:
            read: list[RawEntry] = []
            while page := subscription.read(limit=7, wait_s=0):
                for entry in page:
                    assert subscription.checkpoint_at(entry).chain == chains[entry.position - 1]
                read += page
        assert read == everything[begin:]


def test_a_log_trimmed_under_a_reader_who_lags_goes_on_in_the_archive(
    archived: ArchivedLog,
) -> None:
    log = archived.log
    with Subscription(log.url, log.name, Checkpoint(), archived.archive) as subscription:
        read = subscription.read(limit=3)
        _, everything = before_and_after(archived)
        while page := subscription.read(limit=20, wait_s=0):
            read += page
    assert read == everything


def test_without_its_archive_a_trimmed_log_has_a_gap(archived: ArchivedLog) -> None:
    before_and_after(archived)
    with RedisLog(archived.log.url, archived.log.name) as bare:
        with pytest.raises(LogGap):
            bare.read(1)
        with pytest.raises(LogGap):
            bare.read_aggregate("a1")
        with Subscription(bare.url, bare.name, Checkpoint()) as subscription:
            for _ in range(2):
                with pytest.raises(LogGap):
                    subscription.read()


def test_an_aggregate_is_read_across_whatever_part_of_it_is_asked_for(
    archived: ArchivedLog,
) -> None:
    before, _ = before_and_after(archived)
    with archived.log as log:
        for aggregate, last in archived.versions.most_common(1):
            whole = [entry for entry in before if entry.aggregate_id == aggregate]
            assert len(whole) == last
            for after in (-1, 0, 1, last // 2, last - 1, last, last + 1):
                for up_to in (None, 1, last // 2, last, last + 1):
                    for limit, newest_first in ((None, False), (1, False), (2, True)):
                        found = log.read_aggregate(
                            aggregate,
                            after,
                            up_to_version=up_to,
                            limit=limit,
                            newest_first=newest_first,
                        )
                        wanted = [
                            e
                            for e in whole
                            if e.version > after and (up_to is None or e.version <= up_to)
                        ]
                        assert found == (wanted[::-1] if newest_first else wanted)[:limit]


def test_trimming_leaves_an_index_its_last_version_and_what_is_hot(archived: ArchivedLog) -> None:
    before, _ = before_and_after(archived)
    for aggregate, last in archived.versions.items():
        positions = {e.version: e.position for e in before if e.aggregate_id == aggregate}
        kept = archived.log.call("ZRANGE", archived.log.keys.aggregate(aggregate), 0, -1)
        wanted = [p for v, p in sorted(positions.items()) if p >= 41 or v == last]
        assert [int(position) for position in kept] == wanted
    assert set(archived.snapshotted) == {e.aggregate_id for e in before[:40]}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("write"), st.integers(1, 25)),
            st.tuples(st.just("archive"), st.just(0)),
            st.tuples(st.just("archive all"), st.just(0)),
            st.tuples(st.just("trim"), st.integers(0, 12)),
        ),
        max_size=8,
    ),
    ranges=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(1, 30))),
)
def test_however_it_was_archived_and_trimmed_every_stretch_reads_the_same(
    log_server: LogServer,
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, int]],
    ranges: list[tuple[int, int, int]],
) -> None:
    name = f"across{next(_names)}"
    archived = ArchivedLog(log_server.url, name, tmp_path_factory.mktemp("archive"))
    everything: list[RawEntry] = []
    with archived.log as log:
        for step, number in steps:
            if step == "write":
                archived.write(number)
            elif step == "archive":
                archived.archiver().archive_due()
            elif step == "archive all":
                archived.archiver().archive_all()
            else:
                archived.rules = type(archived.rules)(
                    segment_events=10, hot_window=number, small_index=1
                )
                archived.archiver().trim()
            now = archived.everything()
            assert now[: len(everything)] == everything
            everything = now
        assert [entry.position for entry in everything] == list(range(1, len(everything) + 1))
        for first, last, limit in ranges:
            assert log.read(first, last, limit) == everything[first - 1 : last][:limit]
