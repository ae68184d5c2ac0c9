"""What a restore refuses, and that it leaves everything as it was then."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eventlog.guard import guard_log_server
from eventlog.loading import LogNotEmpty
from eventlog.nodes import NodeBeat, Nodes
from eventlog.outcomes import LogFork
from tests.backup.homes import Home, restored_from, speaker_of
from tests.servers import LogServer
from workers.backup import restoring
from workers.backup.container import BackupDamaged
from workers.backup.keys_part import KeysPartDamaged
from workers.backup.making import BackupMade, make_backup
from workers.backup.restoring import RestoreRefused, check_restorable


@pytest.fixture(scope="module")
def home(log_server: LogServer, tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("faults") / "data", log_server.url, "restore-faults")
    home.live_on(45, seed=6)
    home.archive_and_trim()
    home.live_on(5, seed=7)
    return home


@pytest.fixture(scope="module")
def made(home: Home, tmp_path_factory: pytest.TempPathFactory) -> BackupMade:
    return make_backup(home.settings, to=tmp_path_factory.mktemp("backups"))


@pytest.fixture
def empty_server() -> Iterator[LogServer]:
    with LogServer() as server:
        yield server


def refused(made: BackupMade, server: LogServer, tmp_path: Path, error: type, **more) -> str:
    """Restore, expect that error and that nothing was written; give what it says."""
    target = Home(tmp_path / "new", server.url, "restore-faults")
    with pytest.raises(error) as raised:
        restored_from(more.pop("backup", made.path), target, **more)
    assert not target.data.exists() or list(target.data.iterdir()) == []
    with server.client() as client:
        assert client.keys("{mw:restore-faults}*") == []
    return str(raised.value)


def test_a_backup_that_is_cut_or_changed_anywhere_is_refused_and_the_place_is_named(
    made: BackupMade, tmp_path: Path
) -> None:
    whole = made.path.read_bytes()
    chance = random.Random(1)
    copy = tmp_path / made.path.name
    for _ in range(25):
        copy.write_bytes(whole[: chance.randrange(len(whole))])
        with pytest.raises(BackupDamaged):
            check_restorable(copy)
    harmless = 0
    for at in (*range(8), *(chance.randrange(len(whole)) for _ in range(40))):
        copy.write_bytes(whole[:at] + bytes([whole[at] ^ 0x21]) + whole[at + 1 :])
        try:
            assert check_restorable(copy).chain == made.chain
            harmless += 1
        except BackupDamaged:
            continue
    assert harmless <= 3, "only a byte or two of zstd's header change nothing"
    copy.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BackupDamaged, match=r"segments/\d+-\d+\.parquet \(positions \d+ to \d+\)"):
        check_restorable(copy)


def test_a_damaged_backup_writes_nothing(
    made: BackupMade, empty_server: LogServer, tmp_path: Path
) -> None:
    copy = tmp_path / made.path.name
    copy.write_bytes(made.path.read_bytes()[:-200])
    refused(made, empty_server, tmp_path, BackupDamaged, backup=copy, keys=made.keys_path)


def test_the_keys_part_has_to_be_there_whole_and_of_this_backup(
    home: Home, made: BackupMade, empty_server: LogServer, tmp_path: Path
) -> None:
    other = make_backup(home.settings, to=tmp_path / "other")
    said = refused(made, empty_server, tmp_path, RestoreRefused, keys=other.keys_path)
    assert "belongs to another backup" in said
    cut = tmp_path / "cut.keys.zst"
    cut.write_bytes(made.keys_path.read_bytes()[:-30])
    refused(made, empty_server, tmp_path, KeysPartDamaged, keys=cut)
    said = refused(made, empty_server, tmp_path, RestoreRefused, keys=tmp_path / "none")
    for words in ("--keys FILE", "--without-keys", "can never be opened"):
        assert words in said


def test_without_keys_it_says_what_cannot_be_opened(
    made: BackupMade, empty_server: LogServer, tmp_path: Path
) -> None:
    target = Home(tmp_path / "new", empty_server.url, "restore-faults")
    restored = restored_from(made.path, target, without_keys=True)
    assert restored.keys is None
    assert restored.sealed["Episode"] > 10
    assert restored.sealed["Memory"] > 10
    assert restored.derived == 0
    with target.application() as application:
        assert application.read(1, 1)[0].body.content == "[erased]"


def test_a_directory_and_a_log_that_are_not_empty_are_refused(
    home: Home, made: BackupMade, empty_server: LogServer, tmp_path: Path
) -> None:
    full = Home(tmp_path / "full", empty_server.url, "restore-faults")
    full.data.mkdir()
    (full.data / "mine").write_text("x")
    with pytest.raises(RestoreRefused, match="is not empty"):
        restored_from(made.path, full)
    assert [path.name for path in full.data.iterdir()] == ["mine"]
    over = Home(tmp_path / "new", home.environment["REDIS_URL"], "restore-faults")
    with home.log() as log:
        before = log.head()
    with pytest.raises(LogNotEmpty):
        restored_from(made.path, over)
    with home.log() as log:
        assert log.head() == before
    assert list(over.data.iterdir()) == []
    other = Home(tmp_path / "other", empty_server.url, "another-log")
    with pytest.raises(RestoreRefused, match="--log restore-faults"):
        restored_from(made.path, other)


def test_a_restore_that_was_killed_is_no_log_and_begins_anew(
    made: BackupMade, empty_server: LogServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Home(tmp_path / "new", empty_server.url, "restore-faults")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("eventlog.loading._finish", killed)
        broken.setattr(restoring, "_clear", lambda _: None)  # what SIGKILL leaves
        with pytest.raises(KeyboardInterrupt):
            restored_from(made.path, target)
    assert (target.data / "restoring").exists()
    with target.log() as log:
        assert log.head().position == made.position
        assert log.head().epoch == ""
    with target.log() as log, pytest.raises(LogFork, match="run it again"):
        guard_log_server(log)
    restored = restored_from(made.path, target)
    assert restored.position == made.position
    with target.application() as application:
        assert speaker_of(application).remember("and on").position > made.position


def test_a_node_that_waits_for_the_log_is_not_in_the_way(
    made: BackupMade, empty_server: LogServer, tmp_path: Path
) -> None:
    # A beat comes every 10 s: as often as not one comes between the loss and the restore.
    new = Home(tmp_path / "new", empty_server.url, "restore-faults")
    with new.log() as log:
        Nodes(log).beat(
            NodeBeat(
                node_id="waiting",
                role="primary",
                url="",
                version="",
                epoch="",
                position=0,
                views={},
                said_at=datetime.now(UTC),
            )
        )
    restored_from(made.path, new)
