"""Keys parts: written whole or not at all, and struck out of every backup that is kept."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eventlog.keys import key_field
from workers.backup.elsewhere import remember_elsewhere
from workers.backup.folder import free_name, keys_of, remove_leftovers
from workers.backup.keys_part import (
    KeysHeader,
    KeysPartDamaged,
    Struck,
    opened_keys_part,
    strike_keys,
    write_keys_part,
)

KEYS = {key_field(f"memory:{n}"): bytes([n]) * 32 for n in range(5)}


def a_backup(folder: Path, day: int, keys: dict[bytes, bytes] = KEYS) -> Path:
    """A backup with its keys part; what is in the backup itself does not matter here."""
    folder.mkdir(exist_ok=True)
    backup = free_name(folder, datetime(2026, 3, day, 3, tzinfo=UTC))
    backup.write_bytes(b"sealed")
    header = KeysHeader(
        backup=f"b{day}",
        log="main",
        position=9,
        node={"API_KEY": "a"},
        settings="",
        derived_key=b"d" * 32,
    )
    write_keys_part(keys_of(backup), header, keys.items())
    return backup


def keys_in(backup: Path) -> dict[bytes, bytes]:
    with opened_keys_part(keys_of(backup)) as (_, keys):
        return dict(keys)


def header_of(backup: Path) -> KeysHeader:
    with opened_keys_part(keys_of(backup)) as (header, _):
        return header


def test_a_keys_part_gives_back_what_was_written_and_only_its_owner_may_read_it(tmp_path):
    backup = a_backup(tmp_path, 1)
    assert keys_in(backup) == KEYS
    assert header_of(backup).node == {"API_KEY": "a"}
    assert stat.S_IMODE(keys_of(backup).stat().st_mode) == 0o600
    assert "API_KEY" not in repr(header_of(backup))


def test_subjects_are_struck_out_of_every_kept_backup_with_the_key_of_what_is_derived(tmp_path):
    backups = [a_backup(tmp_path, day) for day in (1, 2)]
    older = a_backup(tmp_path, 3, {key_field("memory:0"): bytes(32)})
    gone = [key_field("memory:1"), key_field("memory:4")]
    struck = strike_keys(tmp_path, ["memory:1", "memory:4", "memory:77"])
    assert struck == Struck(rewritten=tuple(keys_of(backup).name for backup in backups))
    for backup in backups:
        assert keys_in(backup) == KEYS | dict.fromkeys(gone, b""), "no new key in their place"
        assert header_of(backup).derived_key == b""
        assert stat.S_IMODE(keys_of(backup).stat().st_mode) == 0o600
    assert header_of(older).derived_key == b"d" * 32
    assert strike_keys(tmp_path, ["memory:1"]) == Struck()


def test_of_a_session_nothing_stays_because_one_of_its_name_may_begin_anew(tmp_path):
    session = "session:hermes-ephemeral:s-1"
    backup = a_backup(tmp_path, 1, KEYS | {key_field(session): b"s" * 32})
    assert strike_keys(tmp_path, [session]).rewritten == (keys_of(backup).name,)
    assert keys_in(backup) == KEYS


def test_what_cannot_be_struck_is_named_and_stays_as_it_was(tmp_path):
    whole, damaged, away = (a_backup(tmp_path, day) for day in (1, 2, 3))
    cut = keys_of(damaged).read_bytes()[:-20]
    keys_of(damaged).write_bytes(cut)
    keys_of(away).unlink()
    struck = strike_keys(tmp_path, ["memory:1"])
    assert struck.rewritten == (keys_of(whole).name,)
    assert [line.split(":")[0] for line in struck.still_holding] == [
        keys_of(damaged).name,
        keys_of(away).name,
    ]
    assert keys_of(damaged).read_bytes() == cut
    assert not list(tmp_path.glob("*.new"))


def test_backups_in_other_folders_are_struck_too_and_named_once_they_are_gone(tmp_path):
    own, other = tmp_path / "own", tmp_path / "other"
    backup = a_backup(other, 1)
    remember_elsewhere(own, keys_of(backup))
    assert strike_keys(own, ["memory:1"]).rewritten == (keys_of(backup).name,)
    assert keys_in(backup)[key_field("memory:1")] == b""
    keys_of(backup).unlink()
    [line] = strike_keys(own, ["memory:2"]).still_holding
    assert line.startswith(f"{keys_of(backup)}: it is not there any more")


def test_a_folder_that_cannot_be_changed_is_named(tmp_path):
    a_backup(tmp_path, 1)
    (tmp_path / "keys.lock").unlink(missing_ok=True)
    (tmp_path / "keys.lock").mkdir()
    struck = strike_keys(tmp_path, ["memory:1"])
    assert struck.rewritten == ()
    assert struck.still_holding[0].startswith(str(tmp_path))
    assert strike_keys(tmp_path / "none", ["memory:1"]) == Struck()


@pytest.mark.parametrize("kept", [0, 1, 10, 60, -20])
def test_a_keys_part_that_is_not_whole_is_refused_wherever_it_is_cut(tmp_path, kept):
    backup = a_backup(tmp_path, 1)
    keys_of(backup).write_bytes(keys_of(backup).read_bytes()[:kept])
    with pytest.raises(KeysPartDamaged):
        keys_in(backup)


def test_one_flipped_byte_anywhere_is_noticed(tmp_path):
    backup = a_backup(tmp_path, 1)
    whole = keys_of(backup).read_bytes()
    unnoticed = []
    for at in range(len(whole)):
        keys_of(backup).write_bytes(whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1 :])
        try:
            assert keys_in(backup) == KEYS, "a flipped byte changed a key unnoticed"
            unnoticed.append(at)
        except KeysPartDamaged:
            continue
    # zstd's header holds a byte or two that change nothing of what is read.
    assert len(unnoticed) <= 2, unnoticed


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path):
    backup = a_backup(tmp_path, 1)
    orphan = tmp_path / "backup-20260302T030000Z.keys.zst"
    orphan.write_bytes(b"keys")
    (tmp_path / "backup-20260303T030000Z.tar.zst.new").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("mine")
    strike_keys(tmp_path, ["memory:1"])
    assert not orphan.exists()
    assert remove_leftovers(tmp_path) == []
    assert {p.name for p in tmp_path.iterdir()} >= {backup.name, keys_of(backup).name, "notes.txt"}
    assert not list(tmp_path.glob("*.new"))
