"""The lifecycle worker on a real log: it archives, trims, says what holds it, and gives way."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commands.application import MemoryApplication
from domain.memory import MEMORY
from eventlog.readers import Readers
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.histories import Historian, facts
from tests.servers import LogServer, eventually
from workers.archive import open_archive, seen_links
from workers.cli.main import main
from workers.lifecycle_status import read_status
from workers.lifecycle_worker import work
from workers.settings import Settings


@pytest.fixture
def settings(log_server: LogServer, log_name: str, tmp_path: Path) -> Settings:
    return Settings(
        data=tmp_path,
        redis_url=log_server.url,
        log=log_name,
        archive_segment_events=50,
        archive_hot_window=20,
    )


@contextmanager
def working(settings: Settings) -> Iterator[threading.Thread]:
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(settings, stop, 0.02))
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join(timeout=20)
        assert not thread.is_alive()


def test_it_archives_and_trims_and_aggregates_load_as_before(
    settings: Settings, log: RedisLog
) -> None:
    historian = Historian(log, seed=3)
    memory = historian.remember("ComfyUI listens on port 8188")
    for _ in range(30):
        historian.change(memory, facts.FeedbackGiven(verdict="useful", agent_id="hermes-1"))
    historian.live_on(100)
    old = historian.memories[1]
    with MemoryApplication(log.url, log.name) as application:
        before = [application.load(MEMORY, one) for one in (memory, old)]
        with working(settings):
            eventually(lambda: log.floor() > 50, within_s=30)
    status = read_status(settings.data)
    assert status is not None
    assert status.active
    assert status.archived >= 50
    archive = settings.data / "archive"
    with MemoryApplication(log.url, log.name, archive=str(archive)) as application:
        assert [application.load(MEMORY, one) for one in (memory, old)] == before
        # The much-voted one is loaded from its snapshot: its index is thinned.
        assert log.call("ZCARD", log.keys.aggregate(memory)) < 30
        assert log.snapshots(memory)


def test_a_reader_that_holds_trimming_is_named_until_it_has_come_on(
    settings: Settings, log: RedisLog
) -> None:
    Historian(log, seed=4).live_on(120)
    readers = Readers(log)
    with Subscription(log.url, log.name, Checkpoint()) as reader:
        reader.read(limit=10)
        readers.report("other/state", reader.checkpoint, datetime.now(UTC))
        with working(settings):
            eventually(lambda: "other/state" in trouble(settings), within_s=30)
            assert log.floor() == 1
            while reader.read(wait_s=0):
                pass
            readers.report("other/state", reader.checkpoint, datetime.now(UTC))
            eventually(lambda: log.floor() > 50 and not trouble(settings), within_s=30)


def trouble(settings: Settings) -> str:
    status = read_status(settings.data)
    return status.trouble if status else ""


def test_of_two_workers_one_is_active_and_the_other_takes_over(
    settings: Settings, log: RedisLog, tmp_path_factory: pytest.TempPathFactory
) -> None:
    Historian(log, seed=5).live_on(10)
    other = Settings(
        **{
            **{name: getattr(settings, name) for name in settings.__struct_fields__},
            "data": tmp_path_factory.mktemp("other"),
            "archive_location": str(settings.data / "archive"),
        }
    )

    def is_active(of: Settings) -> bool | None:
        status = read_status(of.data)
        return status.active if status else None

    with working(settings):
        eventually(lambda: is_active(settings) is True)
        with working(other):
            eventually(lambda: is_active(other) is False)
    with working(other):
        eventually(lambda: is_active(other) is True)


def test_verify_ends_with_1_and_names_the_position_when_an_event_was_changed(
    settings: Settings, log: RedisLog, log_server: LogServer, capsys: pytest.CaptureFixture[str]
) -> None:
    Historian(log, seed=6).live_on(60)
    with working(settings):
        eventually(lambda: log.floor() > 50, within_s=30)
    archive, seen = open_archive(settings), seen_links(settings)
    with Subscription(log.url, log.name, Checkpoint(), archive, seen) as reader:
        while reader.read(wait_s=0):
            pass
        head = reader.checkpoint.position
    command = [*("verify", "--data", str(settings.data), "--redis-url", log.url, "--log", log.name)]
    assert main(command) == 0
    assert f"positions 1 to {head} are what they were" in capsys.readouterr().out

    changed = head - 2
    with log_server.client() as client:
        entries = client.xrange(log.keys.stream)
        client.delete(log.keys.stream)
        for entry_id, fields in entries:
            if entry_id == b"%d-0" % changed:
                fields[b"u"] = b"nobody"
            client.xadd(log.keys.stream, fields, id=entry_id)
    assert main(command) == 1
    assert f"position {changed}: " in capsys.readouterr().out
    assert main([*command, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["position"] == changed
