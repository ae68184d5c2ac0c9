"""A backup is whole or it is not there, and the ones before it stay as they are."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.errors import BackupFailed
from eventlog.keys import key_field
from eventlog.outcomes import ArchiveDamaged, LogFork
from tests.backup.dying_backup import REFUSED, STEPS
from tests.backup.homes import Home, speaker_of
from tests.servers import LogServer
from workers.archive import seen_links
from workers.backup.container import read_members
from workers.backup.folder import backups_in, keys_of, making
from workers.backup.keys_part import opened_keys_part, strike_keys
from workers.backup.making import BackupMade, make_backup
from workers.backup.place import backups_folder
from workers.backup.restoring import check_restorable
from workers.backup.settings_part import without_secrets

QUICK = ("segment written", "keys named")


@pytest.fixture
def home(log_server: LogServer, log_name: str, tmp_path: Path) -> Home:
    """A node with a trimmed log of three segments and a rest that is not archived yet."""
    home = Home(tmp_path / "data", log_server.url, log_name)
    home.live_on(45, seed=3)
    home.archive_and_trim()
    home.live_on(8, seed=4)
    return home


def folder_of(home: Home) -> dict[str, bytes]:
    """Every backup and every part of one, with its content; locks and notes left out."""
    return {
        path.name: path.read_bytes()
        for path in backups_folder(home.untouched).iterdir()
        if path.name.startswith("backup-")
    }


def dying(home: Home, step: str, count: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.backup.dying_backup", str(home.data)]
    command += [home.environment["REDIS_URL"], home.untouched.log, step, str(count)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("step", "count"),
    [one if one[0] in QUICK else pytest.param(*one, marks=pytest.mark.slow) for one in STEPS],
)
def test_a_backup_killed_at_any_step_leaves_the_one_before_whole(
    home: Home, step: str, count: int
) -> None:
    first = make_backup(home.untouched)
    before = folder_of(home)
    home.live_on(3, seed=5)
    died = dying(home, step, count)
    assert died.returncode == -signal.SIGKILL, died.stderr
    after = folder_of(home)
    assert {name: after[name] for name in before} == before
    whole = [backup.path for backup in backups_in(backups_folder(home.untouched))]
    assert len(whole) == (2 if step == "named" else 1), "named means whole, and nothing else does"
    for path in whole:
        check_restorable(path)
    again = make_backup(home.untouched)
    assert again.position > first.position
    left = set(folder_of(home)) - {p.name for w in whole for p in (w, keys_of(w))}
    assert left == {again.path.name, again.keys_path.name}, "left-overs went at the next run"


@pytest.mark.parametrize("limit", [pytest.param(0, marks=pytest.mark.slow), 3_000])
def test_on_a_full_disk_no_backup_is_made_and_nothing_is_left(home: Home, limit: int) -> None:
    make_backup(home.untouched)
    before = folder_of(home)
    refused = dying(home, "limit", limit)
    assert refused.returncode == REFUSED, refused.stderr
    assert "File too large" in refused.stdout
    assert folder_of(home) == before


def test_commands_archiving_and_trimming_go_on_while_a_backup_is_made(home: Home) -> None:
    going = threading.Event()

    def write() -> None:
        with home.application() as application:
            speaker = speaker_of(application)
            for number in range(40):
                speaker.remember(f"written meanwhile {number}")
                going.set()

    def archive(step: str) -> None:
        if step in ("begun", "hot written"):
            home.archive_and_trim()

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        assert going.wait(30)
        for _ in range(2):
            made = make_backup(home.untouched, said=archive)
            described = check_restorable(made.path)
            assert (described.position, described.chain) == (made.position, made.chain)
        writing.result(60)
    with home.log() as log:
        assert log.floor() > 41, "it was trimmed meanwhile"


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_a_log_whose_archive_is_damaged_is_not_backed_up(home: Home, damage: str) -> None:
    make_backup(home.untouched)
    before = folder_of(home)
    segment = sorted((home.data / "archive").glob("*-*.parquet"))[1]
    content = segment.read_bytes()
    if damage == "missing":
        segment.unlink()
    else:
        segment.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    with pytest.raises(ArchiveDamaged, match="position 21"):
        make_backup(home.untouched)
    assert folder_of(home) == before


def test_an_event_that_this_node_has_read_otherwise_is_not_backed_up(home: Home) -> None:
    settings = home.settings
    with home.log() as log:
        head = log.head()
    seen_links(settings).add(head.epoch, head.position - 1, [b"another chain, 32 bytes of it..."])
    with pytest.raises(LogFork, match=f"what stands at {head.position - 1}"):
        make_backup(settings)
    assert folder_of(home) == {}


def test_an_empty_log_and_a_folder_that_is_none_are_refused(
    log_server: LogServer, log_name: str, tmp_path: Path, home: Home
) -> None:
    with pytest.raises(BackupFailed, match="the log is empty"):
        make_backup(Home(tmp_path / "empty", log_server.url, f"{log_name}-empty").settings)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BackupFailed, match="file"):
        make_backup(home.untouched, to=tmp_path / "file" / "backups")


def test_two_at_once_are_one_and_a_refusal(home: Home) -> None:
    with (
        making(backups_folder(home.untouched)),
        pytest.raises(BackupFailed, match="another process makes a backup"),
    ):
        make_backup(home.untouched)


def test_keys_that_are_struck_while_a_backup_is_made_are_not_in_it(home: Home) -> None:
    subject = f"memory:{next(r.memory_id for *_, r in home.sent if getattr(r, 'memory_id', None))}"
    with home.log() as log:
        assert log.subject_keys([subject])

        def erase(step: str) -> None:
            if step == "log written":
                with home.log() as other:
                    field = key_field(subject)
                    other.call("HDEL", other.keys.sealing_keys(field), field)
                strike_keys(backups_folder(home.untouched), [subject])

        before, made = make_backup(home.untouched), make_backup(home.untouched, said=erase)
    assert made.keys == before.keys - 1
    with opened_keys_part(made.keys_path) as (header, _):
        assert header.derived_key == b"", "its vectors may be of the erased text"


def test_older_backups_make_way_and_a_clock_that_was_set_back_costs_none(home: Home) -> None:
    start = datetime.now(UTC)

    def made_at(**ago: float) -> BackupMade:
        now = start - timedelta(**ago)
        return make_backup(home.untouched, vectors=False, clock=lambda: now)

    for day in (12, 11, 10, 9, 8, 7, 6, 5, 4):
        made_at(days=day)
    kept = backups_in(backups_folder(home.untouched))
    assert 7 <= len(kept) <= 9
    older = made_at(days=40)
    assert older.path.exists(), "the one just made stays, whatever the clock says"
    assert older.removed == ()
    assert len(backups_in(backups_folder(home.untouched))) == len(kept) + 1
    assert all(backup.keys.exists() for backup in kept)


def test_a_backup_elsewhere_is_not_counted_and_its_keys_are_reached_by_an_erase(
    home: Home, tmp_path: Path
) -> None:
    own = make_backup(home.untouched)
    made = make_backup(home.untouched, to=tmp_path / "other", vectors=False)
    assert made.removed == ()
    assert [b.path for b in backups_in(backups_folder(home.untouched))] == [own.path]
    subject = f"memory:{next(r.memory_id for *_, r in home.sent if getattr(r, 'memory_id', None))}"
    struck = strike_keys(backups_folder(home.untouched), [subject])
    assert set(struck.rewritten) == {own.keys_path.name, made.keys_path.name}
    assert struck.still_holding == ()


def test_secrets_of_the_settings_are_with_the_keys_only(home: Home) -> None:
    text = (
        'log_level = "warning"\napi_key = "an-admin-key-of-sixteen"\n'
        '[embed]\nmodel = "m"\napi_key = "a-model-key"\n'
    )
    (home.data / "memoryweave.toml").write_text(text)
    shown = without_secrets(text)
    assert shown == 'log_level = "warning"\n[embed]\nmodel = "m"\n'
    made = make_backup(replace(home.untouched, log_level="warning"))
    with opened_keys_part(made.keys_path) as (header, _):
        assert header.settings == text
    found = list[bytes]()
    for name, data in read_members(made.path):
        found += [data] if name == "memoryweave.toml" else []
        assert b"a-model-key" not in data
    assert found == [shown.encode()]


@pytest.mark.parametrize(
    "text",
    ['embed = {model = "m", api_key = "secret"}\n', 'x = """\napi_key = 1\n"""\n', "api_key = "],
)
def test_a_settings_file_that_cannot_be_cut_goes_with_the_keys_only(text: str) -> None:
    assert without_secrets(text) == ""
