"""What was erased does not come back with a backup, made before or after it was erased."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from commands.application import MemoryApplication
from domain.errors import NotFound
from eventlog.body_shape import ERASED
from eventlog.keys import key_field
from projections.state.view import StateView
from tests.backup.homes import Home, restored_from, speaker_of
from tests.commands.speaking import Speaker
from tests.erasure.searching import files_with, log_with
from tests.servers import LogServer
from workers.backup.keys_part import opened_keys_part, strike_keys
from workers.backup.making import make_backup
from workers.backup.place import backups_folder
from workers.backup.rebuilding import build_all_views
from workers.log_server import log_url
from workers.node import view_path

CANARY = "quetzalwren"


def admin_of(application: MemoryApplication) -> Speaker:
    admin = Speaker.of_kind(application, "admin")
    admin.clock.now = datetime.now(UTC)
    return admin


@pytest.mark.parametrize("made", ["before the erase", "after the erase"])
def test_a_restored_log_opens_nothing_erased_and_makes_it_no_new_key(
    log_server: LogServer, log_name: str, tmp_path: Path, made: str
) -> None:
    home = Home(tmp_path / "a", log_server.url, log_name)
    home.live_on(10, seed=1)
    with home.application() as application:
        speaker = speaker_of(application)
        told = speaker.remember(f"the {CANARY} nests in April", tags=[CANARY])
        speaker.correct(told.memory_id, f"the {CANARY} nests in May", reason=CANARY)
        session = speaker.remember(
            f"a {CANARY} for now", namespace="hermes-ephemeral", session_id="s-1"
        )
    backup = make_backup(home.settings) if made == "before the erase" else None
    subjects = [f"memory:{told.memory_id}", f"episode:{told.episode_id}"]
    with home.application() as application:
        admin = admin_of(application)
        erased = admin.erase(memory_id=told.memory_id).erasure
        ended = admin.erase(memory_id=session.memory_id).erasure
    struck = strike_keys(backups_folder(home.settings), [*erased.subjects, *ended.subjects])
    assert len(struck.rewritten) == (1 if backup else 0)
    backup = backup or make_backup(home.settings)

    again = Home(tmp_path / "b", None, log_name)
    restored = restored_from(backup.path, again)
    with again.servers(), again.log() as log, again.application() as application:
        keys = dict(log.all_subject_keys())
        assert [keys[key_field(subject)] for subject in subjects] == [b"", b""]
        assert restored.keys == sum(key != b"" for key in keys.values())
        url = log_url(again.untouched, "admin")
        assert log_with(url, log_name, CANARY.encode()) == []
        assert files_with(again.data, CANARY.encode()) == {}
        state = StateView(view_path(again.untouched, "state"))
        row = state.memory(told.memory_id, now=datetime.now(UTC))
        speaker = speaker_of(application)
        if made == "before the erase":
            assert restored.erased == {"Memory": 3, "Episode": 2}
            assert row is not None
            assert (row.content, row.tags) == (ERASED, [])
            with pytest.raises(NotFound):
                speaker.correct(told.memory_id, f"the {CANARY} nests in June")
            # Erased here too, it goes.
            admin_of(application).erase(memory_id=told.memory_id)
        else:
            assert restored.erased == {}
            assert row is None
            assert restored.digests == build_all_views(home.settings, lambda *_: None)
        with pytest.raises(NotFound):
            speaker.correct(told.memory_id, f"the {CANARY} nests in June")
        assert [log.subject_keys([subject]) for subject in subjects] == [{}, {}]
        anew = speaker.remember("anew", namespace="hermes-ephemeral", session_id="s-1")
        assert anew.memory_id != session.memory_id
        assert log.subject_keys(["session:hermes-ephemeral:s-1"]) != {}
    for digest in restored.digests:
        assert digest.parked == []
    with opened_keys_part(backup.keys_path) as (header, _):
        assert (header.derived_key == b"") == (made == "before the erase")
