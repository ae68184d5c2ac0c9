"""Which log a node follows, and that it refuses one that has lost events."""

from __future__ import annotations

from pathlib import Path

import pytest

from eventlog.outcomes import LogFork
from eventlog.redis_log import RedisLog
from projections.status import StatusFile, ViewStatus
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer
from workers.log_server import epoch_seen, guard_log
from workers.settings import Settings


@pytest.fixture
def settings(log_server: LogServer, log_name: str, tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, redis_url=log_server.url, log=log_name)


def view_has_come_to(data: Path, view: str, position: int) -> None:
    directory = data / "views" / view
    directory.mkdir(parents=True, exist_ok=True)
    status = StatusFile(directory)
    status.write(ViewStatus(state="running", position=position, parked=0, generation=1))
    status.close()


def test_a_node_keeps_the_epoch_of_its_log_and_refuses_a_new_one(
    settings: Settings, log: RedisLog, log_server: LogServer
) -> None:
    assert guard_log(settings, "writer").head.position == 0
    assert epoch_seen(settings.data) == ""
    log.append([an_entry("a", 1)], **new_command())
    epoch = guard_log(settings, "writer").head.epoch
    assert epoch_seen(settings.data) == epoch != ""

    with log_server.client() as admin:
        admin.delete(log.keys.stream, log.keys.meta, log.keys.aggregate("a"))
    log.follow("")
    log.append([an_entry("a", 1)], **new_command())

    with pytest.raises(LogFork, match=epoch):
        guard_log(settings, "writer")


@pytest.mark.parametrize("view", ["state", "vector"])
def test_a_log_that_ends_before_a_view_of_the_node_is_refused(
    settings: Settings, log: RedisLog, view: str
) -> None:
    log.append([an_entry("a", n) for n in (1, 2, 3)], **new_command())
    view_has_come_to(settings.data, view, 3)
    assert guard_log(settings, "writer").durable
    view_has_come_to(settings.data, view, 4)
    with pytest.raises(LogFork, match="come to position 4, the log ends at 3"):
        guard_log(settings, "writer")
