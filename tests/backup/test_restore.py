"""A backup, restored on a fresh directory, is the node it was at that position."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.errors import KeyReused
from eventlog.embedded import find_server
from eventlog.outcomes import Conflict
from eventlog.verification import verify_log
from projections.vector.view import VectorView
from tests.backup.homes import Home, restored_from, speaker_of
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer
from tests.view_oracles import seed_cache
from workers.archive import open_archive, seen_links
from workers.backup.making import make_backup
from workers.backup.rebuilding import build_all_views
from workers.node import view_path


@pytest.fixture
def empty_server() -> Iterator[LogServer]:
    """A log server of its own, to restore into."""
    with LogServer() as server:
        yield server


@pytest.mark.parametrize("seed", [1, 2])
def test_a_restored_node_is_what_it_was_and_goes_on(
    log_server: LogServer, empty_server: LogServer, log_name: str, tmp_path: Path, seed: int
) -> None:
    home = Home(tmp_path / "a", log_server.url, log_name)
    home.live_on(40, seed)
    assert home.archive_and_trim() > 20
    home.live_on(15, seed + 100)
    before = build_all_views(home.settings, lambda *_: None)
    made = make_backup(home.settings)
    kept = list(home.sent)
    home.live_on(10, seed + 200)

    again = Home(tmp_path / "b", empty_server.url, log_name)
    restored = restored_from(made.path, again)
    assert (restored.position, restored.chain) == (made.position, made.chain)
    assert restored.digests == before
    assert restored.keys == made.keys

    with again.application() as application, again.log() as log:
        head = log.head()
        assert (head.position, head.epoch) == (made.position, restored.epoch)
        assert log.floor() > 20
        speaker = speaker_of(application)
        for move, arguments, key, receipt in kept:
            repeated = move(speaker, *arguments, key=key)
            assert repeated.duplicate
            assert repeated.position == receipt.position
        move, arguments, key, _ = kept[0]
        with pytest.raises(KeyReused):
            move(speaker, "something else", key=key)
        assert log.head() == head
        entry = log.read(made.position, made.position)[0]
        with pytest.raises(Conflict) as conflict:
            log.append([an_entry(entry.aggregate_id, entry.version)], **new_command())
        assert conflict.value.actual == entry.version
        assert speaker.remember("something new").position > made.position

    again.live_on(40, seed + 300)
    assert again.archive_and_trim() > made.position
    with again.log() as log:
        verified = verify_log(log, open_archive(again.settings), seen_links(again.settings))
        assert verified.position == log.head().position
    assert make_backup(again.settings).position == verified.position


def test_onto_an_embedded_server_with_the_vectors_and_without_embedding_again(
    log_server: LogServer, log_name: str, tmp_path: Path
) -> None:
    home = Home(tmp_path / "a", log_server.url, log_name)
    home.live_on(20, seed=5)
    with home.log() as log:
        seed_cache(home.settings, log)
    (tmp_path / "a" / "carriers" / "shared").mkdir(parents=True)
    (tmp_path / "a" / "carriers" / "shared" / "notes.md").write_text("# Notes")
    made = make_backup(home.settings)
    embedded = Home(tmp_path / "b", None, log_name)
    restored = restored_from(made.path, embedded)
    assert find_server(embedded.data, "log") is None, "it was stopped"
    assert not (embedded.data / "restoring").exists()
    notes = embedded.data / "carriers" / "shared" / "notes.md"
    assert notes.read_text() == "# Notes"
    view = VectorView(view_path(embedded.settings, "vector"))
    assert view.vectors() > 0
    assert view.missing_vectors(None) == 0
    with embedded.servers(), embedded.log() as log, embedded.application() as application:
        assert log.head().position == made.position
        assert log.head().epoch == restored.epoch
        for move, arguments, key, _ in home.sent:
            assert move(speaker_of(application), *arguments, key=key).duplicate
        assert make_backup(embedded.settings).position == made.position
