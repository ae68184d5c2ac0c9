"""`memoryweave replay`: a range of the log, printed, or folded beside the live view."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eventlog.archive.archiver import Archiver
from eventlog.archive.rules import ArchiveRules
from eventlog.codec import Codec
from eventlog.lease import Lease
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from projections.generation import ViewDirectory, sign
from projections.scratch import ScratchInUse, remove_left_scratch, scratch_of
from projections.state.digest import digest_state
from tests.histories import Historian
from tests.projections.running import catch_up
from tests.projections.test_f16_undecodable import add_by_hand
from tests.servers import LogServer
from workers.archive import open_archive
from workers.cli.main import main
from workers.keys import ensure_keys
from workers.replaying import replay
from workers.settings import resolve
from workers.view_writing import LogParts
from workers.views import VIEW_KINDS

STATE = VIEW_KINDS["state"]
Command = Callable[..., list[str]]


@pytest.fixture
def parts(log_server: LogServer, log_name: str, tmp_path: Path) -> Iterator[LogParts]:
    """A node's log of 100-odd events, of which the first are in the archive only."""
    given = {"data": str(tmp_path / "data"), "log": log_name}
    settings = ensure_keys(resolve(given, {"REDIS_URL": log_server.url})).resolved.settings
    archive = open_archive(settings)
    with RedisLog(log_server.url, log_name, archive=archive) as log:
        Historian(log, seed=5).live_on(60)
        archiver = Archiver(
            log,
            archive.place,
            Lease(log, "archive", "one", ttl_s=60),
            keep_snapshots=lambda *_: None,
            clock=lambda: datetime.now(UTC),
            rules=ArchiveRules(segment_events=20, hot_window=30, small_index=1),
        )
        archiver.archive_due()
        archiver.trim()
        yield LogParts(log, Codec(KeyRing(log.subject_keys)), settings)


@pytest.fixture
def view(parts: LogParts) -> Path:
    """Its state view, as a worker of this program has begun and written it."""
    path = parts.settings.data / "views" / "state"
    with closing(ViewDirectory(path)) as directory:
        sign(directory.live, STATE.builder(parts.settings))
    catch_up(parts.log, path, parts.log.head().position)
    return path


@pytest.fixture
def command(
    parts: LogParts, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """`memoryweave replay` on that node; gives its lines, or its error's."""
    monkeypatch.setenv("REDIS_URL", parts.log.url)
    monkeypatch.setenv("MEMORYWEAVE_LOG", parts.log.name)

    def run(*arguments: str, code: int = 0, verb: tuple[str, ...] = ("replay",)) -> list[str]:
        done = main([*verb, *arguments, "--data", str(parts.settings.data)])
        out, err = capsys.readouterr()
        assert done == code, out + err
        return (err if code else out).splitlines()

    return run


def test_a_range_is_printed_across_the_archive_boundary_as_log_show_does(
    parts: LogParts, command: Command
) -> None:
    floor = parts.log.floor()
    assert 10 < floor < parts.log.head().position - 5
    printed = command("--print", "--from", "7", "--to", str(floor + 5), "--json")
    events = [json.loads(line) for line in printed]
    assert [event["position"] for event in events] == list(range(7, floor + 6))
    shown = ("--first", "7", "--last", str(floor + 5), "--json")
    assert printed == command(*shown, verb=("log", "show"))
    assert "memoryweave" not in command("--print", "--from", str(floor))[0]
    assert any("content: " in line for line in command("--print"))


def test_a_range_that_does_not_exist_is_wrong_usage(parts: LogParts, command: Command) -> None:
    head = parts.log.head().position
    for wrong, word in (
        (("--from", "0"), "first position is 1"),
        (("--from", "9", "--to", "8"), "lies before"),
        (("--to", str(head + 1)), f"ends at {head}"),
        (("--from", str(head + 1)), f"ends at {head}"),
    ):
        for how in (("--print",), ("--view", "state")):
            assert word in command(*how, *wrong, code=2)[0]
    assert "state, vector" in command("--view", "graph", code=2)[0]
    shown = ("--first", "9", "--last", "8")
    assert "lies before" in command(*shown, code=2, verb=("log", "show"))[0]
    with pytest.raises(SystemExit, match="2"):
        command("--from", "1")  # neither --print nor --view


def test_a_replayed_range_tells_what_it_did_and_that_the_live_view_has_it(
    parts: LogParts, view: Path, command: Command
) -> None:
    before = digest_state(view / "1")
    answer = json.loads(command("--view", "state", "--from", "30", "--to", "50", "--json")[0])
    assert answer["comparison"]["equal"] is True
    assert answer["comparison"]["live"]["position"] == before.position
    assert answer["comparison"]["standing"] > 0
    assert answer["comparison"]["missing"] == 0
    assert {table["table"] for table in answer["tables"]} >= {"memories", "episodes"}
    moments = next(table for table in answer["tables"] if table["table"] == "moments")
    assert moments["replaced"] == 0
    assert digest_state(view / "1") == before
    assert not (view / "replay").exists()
    assert "are equal" in command("--view", "state")[-1]


def test_what_cannot_be_shown_fails_a_replay_unless_it_is_allowed(
    log_server: LogServer, parts: LogParts, view: Path, command: Command
) -> None:
    bad = add_by_hand(log_server, parts.log, "m-1", {"d": b"no JSON"})
    catch_up(parts.log, view, bad)
    assert f"position {bad} (TierChanged) cannot be shown" in command("--view", "state", code=1)[0]
    assert command("--view", "state", "--to", str(bad - 1))
    allowed = command("--view", "state", "--allow-parked")
    assert f"set aside: {bad}" in allowed
    assert "are equal" in allowed[-1]
    assert command("--view", "analytics", "--from", str(bad)), "it shows what it cannot open"


def test_a_scratch_copy_is_one_process_s_and_does_not_outlive_it(
    parts: LogParts, view: Path
) -> None:
    with scratch_of(view) as folder:
        (folder / "state.sqlite").write_text("opened texts")
        remove_left_scratch(view)
        assert folder.exists(), "it is in use"
        with pytest.raises(ScratchInUse, match="state view"):
            replay(STATE, parts, 1, 2)
    assert not folder.exists()
    folder.mkdir()
    (folder / "state.sqlite").write_text("left by a killed process")
    remove_left_scratch(view)
    assert not folder.exists()


def test_a_live_view_that_is_not_what_the_log_says_is_found(
    parts: LogParts, view: Path, command: Command
) -> None:
    with closing(sqlite3.connect(view / "1" / "state.sqlite")) as connection:
        changed = connection.execute(
            "UPDATE memories SET content = 'changed by hand' WHERE position = "
            "(SELECT max(position) FROM memories)"
        )
        assert changed.rowcount == 1
        connection.commit()
    assert "not what the log says" in command("--view", "state", code=1)[0]
    replayed = replay(STATE, parts, 1, parts.log.head().position)
    assert replayed.comparison is not None
    assert replayed.comparison.missing == 1


def test_without_a_live_view_to_compare_with_the_reason_is_told(
    parts: LogParts, command: Command
) -> None:
    for name in VIEW_KINDS:
        assert "no live view" in command("--view", name, "--to", "40")[-1]
