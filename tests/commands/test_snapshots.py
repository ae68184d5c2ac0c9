"""Snapshots: kept every hundred events, used, and never needed."""

import pytest

from commands.snapshots import StateSnapshot
from domain.memory import MEMORY
from tests.commands.speaking import Speaker


@pytest.fixture
def voted(application, owner, monkeypatch):
    """A memory with 24 events, of which the 18th is a correction, and a snapshot every 10."""
    monkeypatch.setattr("commands.application.SNAPSHOT_EVERY", 10)
    memory_id = owner.remember("start").memory_id
    for number in range(22):
        owner.useful(memory_id)
        if number == 15:
            owner.correct(memory_id, "corrected")
    return memory_id


def kept_versions(application, memory_id):
    found = application.snapshots.get(memory_id)
    return [snapshot.originator_version for snapshot in found]


def reads(application, monkeypatch):
    """Count how many events are read from now on."""
    counted = []
    read_aggregate = application.event_log.read_aggregate

    def counting(*args, **kwargs):
        entries = read_aggregate(*args, **kwargs)
        counted.extend(entries)
        return entries

    monkeypatch.setattr(application.event_log, "read_aggregate", counting)
    return counted


def test_a_kept_snapshot_equals_the_fold(application, voted):
    assert kept_versions(application, voted) == [10, 20]
    events = [application.codec.open(e) for e in application.event_log.read_aggregate(voted)]
    for snapshot in application.snapshots.get(voted):
        upto = [e for e in events if e.version <= snapshot.originator_version]
        assert snapshot == StateSnapshot("Memory", MEMORY.replay(None, upto))
    assert application.load(MEMORY, voted) == MEMORY.replay(None, events)


def test_loading_reads_only_what_came_after_the_snapshot(application, voted, monkeypatch):
    counted = reads(application, monkeypatch)
    state = application.load(MEMORY, voted)
    assert state.version == 24
    assert len(counted) <= 4 + 2  # and the event each kept snapshot was taken after


def test_an_old_version_is_loaded_from_the_snapshot_before_it(application, voted):
    for version in (1, 9, 10, 11, 17, 18, 24):
        state = application.load(MEMORY, voted, version=version)
        assert state.version == version
        assert state.useful == version - 1 - (version >= 18)


def test_without_its_snapshots_an_aggregate_is_the_same(application, voted, log_server):
    before = application.load(MEMORY, voted)
    with log_server.client() as client:
        assert client.delete(application.event_log.keys.snapshots(voted)) == 1
    assert kept_versions(application, voted) == []
    assert application.load(MEMORY, voted) == before


def test_the_hundredth_event_keeps_a_snapshot_and_it_holds_nothing_of_the_text(
    application, hermes, log_server
):
    memory_id = hermes.remember("Schrödinger has a cat", tags=["Schrödinger"]).memory_id
    reader = Speaker.of_kind(application, "owner")
    for _ in range(99):
        reader.useful(memory_id, reason="Schrödinger")
    assert kept_versions(application, memory_id) == [100]
    with log_server.client() as client:
        raw = client.dump(application.event_log.keys.snapshots(memory_id))
    assert raw
    assert b"Schr" not in raw


def test_a_command_succeeds_although_its_snapshot_could_not_be_kept(
    application, owner, monkeypatch, log_server
):
    memory_id = owner.remember("start").memory_id
    for _ in range(98):
        owner.useful(memory_id)
    with log_server.client() as client:
        key = application.event_log.keys.snapshots(memory_id)
        client.set(key, "not what a snapshot is kept in")
    assert owner.useful(memory_id).version == 1
    assert application.load(MEMORY, memory_id).useful == 99
